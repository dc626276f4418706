"""How much of the time between two signs of work counts as work. Pure."""

from datetime import datetime, timedelta
from typing import Final

LONGEST_THOUGHT: Final = timedelta(minutes=2)
"""A longer silence counts as this much: the writer may have read for that long."""


def active_seconds(since: datetime, until: datetime) -> int:
    """Return the seconds of work between two signs of work: all of them, but at most two minutes."""
    return round(max(timedelta(0), min(until - since, LONGEST_THOUGHT)).total_seconds())
