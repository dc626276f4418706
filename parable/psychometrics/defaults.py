"""Defaults that commands name in their help; kept apart from the methods, so that help imports none."""

from typing import Final

ENOUGH_EXAMINEES: Final = 200
"""From this number of examinees on, the choice `auto` uses no priors, as the answers suffice."""
LEAST_IN_GROUP: Final = 100
"""Fewest examinees of a group; in smaller groups items differ by chance alone."""
ALLOWANCE: Final = 0.15
"""The handicap of people in the alternative annotator test, as a language model costs less than a person.

0.15 is for trained people, 0.2 for experts, 0.1 for crowds.
"""
