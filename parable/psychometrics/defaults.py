"""Default values that the help of commands mentions.

This module imports no methods.
"""

from typing import Final

ENOUGH_EXAMINEES: Final = 200
"""The number of examinees from which on the choice `auto` uses no priors."""
LEAST_IN_GROUP: Final = 100
"""The fewest examinees of a group; in smaller groups, items differ by chance alone."""
ALLOWANCE: Final = 0.15
"""The allowance for people in the alternative annotator test: a language model costs less than a person.

0.15 is for trained people, 0.2 for experts, 0.1 for crowds.
"""
