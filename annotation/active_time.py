"""How much of the time between two signs of work was work. Pure."""

from datetime import datetime, timedelta
from typing import Final

LONGEST_THOUGHT: Final = timedelta(minutes=2)
"""A longer silence was a pause."""


def active_seconds(since: datetime, until: datetime) -> int:
    """The seconds from one sign of work to the next as far as they were work; none of a pause."""
    passed = until - since
    return round(passed.total_seconds()) if timedelta(0) <= passed <= LONGEST_THOUGHT else 0
