"""Numbers of the methods that commands name in their help, which loads none of the methods."""

from typing import Final

ENOUGH_EXAMINEES: Final = 200
"""From so many examinees on the priors `auto` are none: the answers speak for themselves."""
LEAST_IN_GROUP: Final = 100
"""Smaller groups show differences of items by chance alone."""
ALLOWANCE: Final = 0.15
"""By how much a person may be nearer to the others than a language model, which costs less.

Of the alternative annotator test, for people who are trained; 0.2 for experts, 0.1 for crowds.
"""
