"""Which queues workers are there for: each worker says so every few seconds, whatever it is busy with."""

from collections.abc import Iterable

from django.core.cache import cache
from django.utils import timezone

from jobs.queries import presence_key


def show_presence(queues: Iterable[str]) -> None:
    """Note that a worker serves these queues now. Nothing depends on it but what pages say."""
    now = timezone.now()
    cache.set_many({presence_key(queue): now for queue in queues}, timeout=None)
