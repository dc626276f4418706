"""Records which workers are running: each reports its queues every few seconds, even while it is busy."""

from collections.abc import Iterable

from django.core.cache import cache
from django.utils import timezone

from core.presence import presence_key


def show_presence(queues: Iterable[str]) -> None:
    """Save the current time as the time at which a worker of these queues was last seen."""
    now = timezone.now()
    cache.set_many({presence_key(queue): now for queue in queues}, timeout=None)
