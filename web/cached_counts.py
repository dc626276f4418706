"""Caches counts of large projects for a minute, so that they are not computed for every reader."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import md5
from typing import Any, Final, TypeVar

from django.core.cache import cache
from redis.exceptions import RedisError

CACHE_SECONDS: Final = 60
COUNTED_ANEW: Final = 20_000
"""Counts up to this number are not cached."""

Found = TypeVar("Found")


def cached(name: str, count: Callable[[], Found], *, is_large: Callable[[Found], bool]) -> Found:
    """Return the cached result for `name`, or call `count` and cache a large result for one minute.

    `is_large` decides which results are cached: small projects are counted for each reader. Works without the
    cache server, too.
    """
    try:
        found: Found | None = cache.get(_key(name))
    except RedisError:
        return count()
    if found is not None:
        return found
    counted = count()
    if is_large(counted):
        with suppress(RedisError):
            cache.set(_key(name), counted, CACHE_SECONDS)
    return counted


def cached_each(
    names: Mapping[int, str],
    count: Callable[[Sequence[int]], Mapping[int, Found]],
    *,
    is_large: Callable[[int, Found], bool],
) -> dict[int, Found]:
    """Return the results for several names, by number; `count` computes those that are not cached."""
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
    """Delete the cached results of these names."""
    with suppress(RedisError):
        cache.delete_many([_key(name) for name in names])


def named(what: str, row: Any, *narrowed: object) -> str:
    """Return the cache key of a count about a row, or about a part of it.

    The row's creation time distinguishes it from a row with the same id in an older database.
    """
    return ":".join(map(str, (what, row.pk, row.created_at.timestamp(), *narrowed)))


def _key(name: str) -> str:
    return f"kept:{md5(name.encode(), usedforsecurity=False).hexdigest()}"
