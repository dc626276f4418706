"""Records which workers are present: each reports its queues every few seconds, even while it is busy."""

from collections.abc import Iterable

from django.core.cache import cache
from django.utils import timezone

from jobs.queries import presence_key


def show_presence(queues: Iterable[str]) -> None:
    """Record that a worker serves these queues now, which pages display."""
    now = timezone.now()
    cache.set_many({presence_key(queue): now for queue in queues}, timeout=None)
