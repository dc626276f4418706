"""One rate limit for all workers together, kept in Redis: so many requests in any minute, per endpoint."""

import uuid
from functools import cache
from typing import Final

import redis
from django.conf import settings

from jobs.models import Endpoint

# A request reaches the server a little after it was allowed. A second more than a minute, and the
# server never counts one too many even where the first was slow and the last was quick.
WINDOW_MS: Final = 61_000

# KEYS: allowed requests by time, a pause that the server asked for. ARGV: limit, window, a unique name.
# Answers 0 where the request is allowed (and counts it), else the milliseconds to wait. Redis' own clock
# counts, since the clocks of workers differ.
_ALLOW: Final = """
local pause = redis.call('PTTL', KEYS[2])
if pause > 0 then return pause end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
local count = redis.call('ZCARD', KEYS[1])
local limit = tonumber(ARGV[1])
if count < limit then
  redis.call('ZADD', KEYS[1], now, ARGV[3])
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return 0
end
local opening = redis.call('ZRANGE', KEYS[1], count - limit, count - limit, 'WITHSCORES')
return math.max(1, opening[2] + ARGV[2] - now)
"""


@cache
def _client(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, socket_timeout=5, socket_connect_timeout=5)


def _key(endpoint: Endpoint, what: str) -> str:
    return f"parable:llm:{what}:{endpoint.pk}"


def seconds_to_wait(endpoint: Endpoint) -> float:
    """0 where one request may be sent now (and is counted as sent), else the seconds to wait for one."""
    keys = [_key(endpoint, "sent"), _key(endpoint, "pause")]
    arguments: list[str | int] = [endpoint.requests_per_minute, WINDOW_MS, uuid.uuid4().hex]
    waiting = _client(settings.REDIS_URL).eval(_ALLOW, len(keys), *keys, *arguments)
    return int(str(waiting)) / 1000


def pause_endpoint(endpoint: Endpoint, seconds: float) -> None:
    """Let nobody ask the endpoint for so many seconds, as its server wishes."""
    milliseconds = max(1, round(seconds * 1000))
    _client(settings.REDIS_URL).set(_key(endpoint, "pause"), "1", px=milliseconds)
