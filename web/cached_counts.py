"""Caches counts of large projects for a minute, so that they are not computed for every request."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import md5
from typing import Any, Final, TypeVar

from django.core.cache import cache
from redis.exceptions import RedisError

CACHE_SECONDS: Final = 60
KEPT_SECONDS: Final = 600
"""How long a result is returned while a new count of it is ordered."""
COUNTED_ANEW: Final = 20_000
"""Callers do not cache counts up to this number."""

Found = TypeVar("Found")


def cached(
    name: str,
    count: Callable[[], Found],
    *,
    is_large: Callable[[Found], bool],
    renew: Callable[[], object] | None = None,
) -> Found:
    """Return the cached result for `name`, or call `count` and cache its result for a minute if it is large.

    `is_large` decides which results are cached; those of small projects are computed for each request. Also
    works without the cache server.

    With `renew`, nobody waits for a new count of what was counted in the last `KEPT_SECONDS`: the cached
    result is returned, and if it is older than a minute, the first to ask calls `renew`, which orders a
    `recount`.
    """
    key = _key(name)
    try:
        known = cache.get_many([key, _recent(key)])
        if renew is not None and key in known and cache.add(_recent(key), True, CACHE_SECONDS):
            renew()
    except RedisError:
        return count()
    if key in known:
        found: Found = known[key]
        return found
    return recount(name, count, is_large=is_large, seconds=KEPT_SECONDS if renew else CACHE_SECONDS)


def recount(
    name: str, count: Callable[[], Found], *, is_large: Callable[[Found], bool], seconds: int = KEPT_SECONDS
) -> Found:
    """Call `count`, cache its result for `name` if it is large, and return it."""
    counted, key = count(), _key(name)
    with suppress(RedisError):
        if is_large(counted):
            cache.set(key, counted, seconds)
            cache.set(_recent(key), True, CACHE_SECONDS)
        else:
            cache.delete(key)
    return counted


def cached_each(
    names: Mapping[int, str],
    count: Callable[[Sequence[int]], Mapping[int, Found]],
    *,
    is_large: Callable[[int, Found], bool],
) -> dict[int, Found]:
    """Return the result for each number in `names`, a mapping from numbers to names of cached results.

    `count` computes those that are not cached, given their numbers. Large results are cached for a minute.
    """
    keys = {number: _key(name) for number, name in names.items()}
    try:
        known = cache.get_many(keys.values())
    except RedisError:
        return dict(count(list(names)))
    found = {number: known[key] for number, key in keys.items() if key in known}
    if left := [number for number in names if number not in found]:
        counted = count(left)
        found |= counted
        if large := {keys[number]: one for number, one in counted.items() if is_large(number, one)}:
            with suppress(RedisError):
                cache.set_many(large, CACHE_SECONDS)
    return found


def forget(names: Iterable[str]) -> None:
    """Delete the cached results with these names."""
    with suppress(RedisError):
        cache.delete_many([_key(name) for name in names])


def named(what: str, row: Any, *narrowed: object) -> str:
    """Return the name under which `cached` stores a count about a row.

    With `narrowed`, the count is about a part of the row. The row's creation time distinguishes it from a
    row with the same id in an older database.
    """
    return ":".join(map(str, (what, row.pk, row.created_at.timestamp(), *narrowed)))


def _key(name: str) -> str:
    return f"kept:{md5(name.encode(), usedforsecurity=False).hexdigest()}"


def _recent(key: str) -> str:
    """Return the key of the mark that a result is recent, or is being counted again."""
    return f"{key}:recent"
