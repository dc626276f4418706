"""Computation of a user's active time. Pure."""

from datetime import datetime, timedelta
from typing import Final

LONGEST_THOUGHT: Final = timedelta(minutes=2)
"""A pause counts as at most this much active time: the writer may have been reading."""


def active_seconds(since: datetime, until: datetime) -> int:
    """Return the seconds between two actions of a user, at most `LONGEST_THOUGHT`."""
    return round(max(timedelta(0), min(until - since, LONGEST_THOUGHT)).total_seconds())
