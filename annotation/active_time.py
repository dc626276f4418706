"""Computation of a user's active time. Pure."""

from datetime import datetime, timedelta
from typing import Final

LONGEST_THOUGHT: Final = timedelta(minutes=2)
"""A longer silence counts as this much: the writer may have read for that long."""


def active_seconds(since: datetime, until: datetime) -> int:
    """Return the seconds between two actions of a user at work, at most two minutes."""
    return round(max(timedelta(0), min(until - since, LONGEST_THOUGHT)).total_seconds())
