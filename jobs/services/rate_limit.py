"""Rate limits of endpoints, shared by all workers through Redis: requests and tokens in any minute.

A call is counted before it is sent, with an estimate of its tokens. When its first byte is sent, its time is
set again; when it is answered, the tokens used replace the estimate.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Final

import redis
from django.conf import settings
from redis.commands.core import Script

from jobs.models import Call, Endpoint
from jobs.pricing import most_tokens

logger = logging.getLogger(__name__)

# A request reaches the server a little after its first byte is sent. With a second more than a minute, the
# server never counts a request too many, even if the first one was slow and the last one fast.
WINDOW_MS: Final = 61_000
TRIAL_TOKENS: Final = 100

# A "place" is a counted request, named by its call and attempt. KEYS: places by time, their tokens (and the
# sum of all), a pause requested by the server. ARGV: limits of requests and of tokens, window, the new place,
# its estimated tokens; and, if a call has just returned, its place and the tokens used. Returns 0 if the
# request is allowed (and counts it), else the milliseconds to wait. Uses Redis' own clock, as the clocks of
# workers differ. A request of more tokens than the limit is allowed if the window has no other; otherwise it
# would wait for ever.
_ALLOW: Final = """
if ARGV[6] then
  local held = redis.call('HGET', KEYS[2], ARGV[6])
  if held then
    redis.call('HINCRBY', KEYS[2], 'all', ARGV[7] - held)
    redis.call('HSET', KEYS[2], ARGV[6], ARGV[7])
  end
end
local pause = redis.call('PTTL', KEYS[3])
if pause > 0 then return pause end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local most, most_tokens, window = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local place, estimate = ARGV[4], tonumber(ARGV[5])
for _, old in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now - window)) do
  redis.call('HINCRBY', KEYS[2], 'all', -(tonumber(redis.call('HGET', KEYS[2], old)) or 0))
  redis.call('HDEL', KEYS[2], old)
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
local count = redis.call('ZCARD', KEYS[1])
if count == 0 then redis.call('DEL', KEYS[2]) end
local wait = 0
if count >= most then
  local opening = redis.call('ZRANGE', KEYS[1], count - most, count - most, 'WITHSCORES')
  wait = opening[2] + window - now
end
local left = tonumber(redis.call('HGET', KEYS[2], 'all')) or 0
if count > 0 and left + estimate > most_tokens then
  local places = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
  for i = 1, #places, 2 do
    left = left - (tonumber(redis.call('HGET', KEYS[2], places[i])) or 0)
    if left + estimate <= most_tokens or i + 1 == #places then
      wait = math.max(wait, places[i + 1] + window - now)
      break
    end
  end
  wait = math.max(wait, 1)
end
if wait > 0 then return math.ceil(wait) end
local earlier = redis.call('ZSCORE', KEYS[1], place)
if earlier then
  local other = place .. '/' .. now .. '/' .. count
  redis.call('ZADD', KEYS[1], earlier, other)
  redis.call('HSET', KEYS[2], other, redis.call('HGET', KEYS[2], place) or 0)
end
redis.call('ZADD', KEYS[1], now, place)
redis.call('HSET', KEYS[2], place, estimate)
redis.call('HINCRBY', KEYS[2], 'all', estimate)
redis.call('PEXPIRE', KEYS[1], window)
redis.call('PEXPIRE', KEYS[2], window)
return 0
"""

# KEYS: places by time, their tokens. ARGV: a place, the window. If the place exists, sets its time to now.
_SEND: Final = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], 'XX', now, ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return 0
"""

# KEYS: tokens. ARGV: the place, the tokens used. Does nothing if the place no longer exists.
_RECORD: Final = """
local held = redis.call('HGET', KEYS[1], ARGV[1])
if not held then return 0 end
redis.call('HINCRBY', KEYS[1], 'all', ARGV[2] - held)
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 0
"""


@cache
def _client(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, socket_timeout=5, socket_connect_timeout=5)


@cache
def _script(url: str, script: str) -> Script:
    return _client(url).register_script(script)


def _run(script: str, keys: list[str], arguments: list[str | int]) -> int:
    return int(str(_script(settings.REDIS_URL, script)(keys=keys, args=arguments)))


def _note(script: str, keys: list[str], arguments: list[str | int]) -> None:
    """Run a script that corrects the count of the rate limit. If Redis is down, only log a warning."""
    try:
        _run(script, keys, arguments)
    except redis.RedisError as error:
        logger.warning("the rate limit counts a call by its estimate", exc_info=error)


def _key(endpoint: Endpoint, what: str) -> str:
    return f"parable:llm:{what}:{endpoint.pk}"


def _place(call: Call | None, attempt: int) -> str:
    return f"{call.pk}.{attempt}" if call else "trial"


def seconds_to_wait(
    endpoint: Endpoint, call: Call | None = None, *, recorded: Call | None = None, tokens: int | None = None
) -> float:
    """Return 0 and count the call if it may be sent now; otherwise return the seconds to wait.

    `call` is None for a test of the endpoint. `recorded` is the call that has just returned, with the
    `tokens` it used; passing it replaces a separate `record_tokens`.
    """
    keys = [_key(endpoint, "sent"), _key(endpoint, "tokens"), _key(endpoint, "pause")]
    estimate = most_tokens(call.prompt, call.parameters) if call else TRIAL_TOKENS
    limits: list[str | int] = [endpoint.requests_per_minute, endpoint.tokens_per_minute, WINDOW_MS]
    place = _place(call, call.attempts + 1 if call else 0)
    before: list[str | int] = (
        [_place(recorded, recorded.attempts), tokens] if recorded and tokens is not None else []
    )
    return _run(_ALLOW, keys, [*limits, place, estimate, *before]) / 1000


@contextmanager
def sending(endpoint: Endpoint, call: Call) -> Iterator[None]:
    """Count a call, within the context, from the time at which its first byte is sent.

    Resolving a name and connecting can take long on a busy machine, but the server's minute only begins
    afterwards.
    """
    from parable.llm.transport import before_sending

    keys, place = [_key(endpoint, "sent"), _key(endpoint, "tokens")], _place(call, call.attempts)
    with before_sending(lambda: _note(_SEND, keys, [place, WINDOW_MS])):
        yield


def record_tokens(endpoint: Endpoint, call: Call, tokens: int | None) -> None:
    """Replace the estimated tokens of a call by the tokens used. Do nothing if `tokens` is None."""
    if tokens is not None:
        _note(_RECORD, [_key(endpoint, "tokens")], [_place(call, call.attempts), tokens])


def pause_endpoint(endpoint: Endpoint, seconds: float) -> None:
    """Pause all calls to the endpoint for this many seconds, as its server requested."""
    milliseconds = max(1, round(seconds * 1000))
    _client(settings.REDIS_URL).set(_key(endpoint, "pause"), "1", px=milliseconds)
