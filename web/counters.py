"""Counters of the whole site in Redis, to which every process of every machine adds.

A process counts in memory and adds its counts to those in Redis every few seconds, so that a count costs no
round trip, and whichever web process is asked has the sums of all. A batch of counts has a number, and Redis
adds each number once: a batch that is sent again, because the answer to it was lost, does not count twice. A
process that is killed loses at most the counts of `FLUSH_SECONDS`.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
import uuid
from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, cast

import redis
from django.conf import settings
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

FLUSH_SECONDS: Final = 5.0
HOUR: Final = 3600
_TOTALS: Final = "parable:counters"
_SEPARATOR: Final = "|"
_KEEPS_HOURS: Final = 3 * HOUR
_KEEPS_NUMBERS: Final = 24 * HOUR

# KEYS: all counts, those of this hour, the number of the process's last batch. ARGV: the batch's number, the
# seconds to keep the counts of the hour and the number, then names and amounts.
_ADD: Final = """
if tonumber(redis.call('GET', KEYS[3]) or '0') >= tonumber(ARGV[1]) then return 0 end
for at = 4, #ARGV, 2 do
  redis.call('HINCRBY', KEYS[1], ARGV[at], ARGV[at + 1])
  redis.call('HINCRBY', KEYS[2], ARGV[at], ARGV[at + 1])
end
redis.call('EXPIRE', KEYS[2], ARGV[2])
redis.call('SET', KEYS[3], ARGV[1], 'EX', ARGV[3])
return 1
"""

Name = tuple[str, ...]
"""A counter: what is counted, then the values of its labels, none of which contains a vertical bar."""


class Counters:
    """The counts of this process that are not in Redis yet."""

    def __init__(self) -> None:
        self.start_empty()

    def start_empty(self) -> None:
        """Forget all counts, as a forked process must: its parent adds those from before the fork."""
        self._lock = threading.Lock()
        self._flushing = threading.Lock()
        self._counts: Counter[Name] = Counter()
        self._batch: Counter[Name] = Counter()
        self._number = 1
        self._process = uuid.uuid4().hex
        self._timer: threading.Timer | None = None

    def add(self, amounts: Mapping[Name, int]) -> None:
        """Add to several counters at once."""
        with self._lock:
            for name, amount in amounts.items():
                self._counts[name] += amount
            self._start_timer()

    def flush(self) -> bool:
        """Add the counts to those in Redis; return whether this succeeded. If not, they are sent later."""
        with self._flushing:
            with self._lock:
                self._timer = None
                if not self._batch:
                    self._batch, self._counts = self._counts, Counter()
            if self._batch and not self._send():
                with self._lock:
                    self._start_timer()
                return False
            self._batch = Counter()
            return True

    def _start_timer(self) -> None:
        if self._timer is None:
            self._timer = threading.Timer(FLUSH_SECONDS, self.flush)
            self._timer.daemon = True
            self._timer.start()

    def _send(self) -> bool:
        keys = [_TOTALS, _hour_key(time.time()), f"{_TOTALS}:of:{self._process}"]
        amounts = [part for name, amount in self._batch.items() for part in (_SEPARATOR.join(name), amount)]
        try:
            client().eval(_ADD, len(keys), *keys, self._number, _KEEPS_HOURS, _KEEPS_NUMBERS, *amounts)
        except (RedisError, OSError) as error:
            logger.debug("counts wait for Redis", exc_info=error)
            return False
        self._number += 1
        return True


_counters: Final = Counters()
os.register_at_fork(after_in_child=_counters.start_empty)
atexit.register(_counters.flush)
add, flush = _counters.add, _counters.flush


def count(*name: str, by: int = 1) -> None:
    """Add to one counter."""
    add({name: by})


def totals() -> dict[Name, int]:
    """Return all counts since Redis was last emptied. Raise `RedisError` if Redis does not respond."""
    return _read(_TOTALS)


def recent() -> tuple[dict[Name, int], float]:
    """Return the counts of this hour and the hour before, and the time at which they begin."""
    now = time.time()
    counts: Counter[Name] = Counter()
    for moment in (now - HOUR, now):
        counts.update(_read(_hour_key(moment)))
    return dict(counts), (now // HOUR - 1) * HOUR


def client() -> redis.Redis:
    """Return a client for the site's Redis that does not wait long."""
    return _client(settings.REDIS_URL)


@cache
def _client(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, socket_timeout=2, socket_connect_timeout=2, decode_responses=True)


def _hour_key(moment: float) -> str:
    return f"{_TOTALS}:{int(moment // HOUR)}"


def _read(key: str) -> dict[Name, int]:
    found = cast("dict[str, Any]", client().hgetall(key))
    return {tuple(name.split(_SEPARATOR)): int(amount) for name, amount in found.items()}
