"""Defaults of the methods that commands name in their help, without importing the methods."""

from typing import Final

ENOUGH_EXAMINEES: Final = 200
"""Number of examinees from which `auto` uses no priors, as the answers suffice."""
LEAST_IN_GROUP: Final = 100
"""Fewest examinees of a group; in smaller groups items differ by chance alone."""
ALLOWANCE: Final = 0.15
"""The lead that a person may have over a language model, which costs less, in nearness to others.

Of the alternative annotator test, for people who are trained; 0.2 for experts, 0.1 for crowds.
"""
