"""Counts of many rows, kept for a minute: not every reader of a large project counts them anew."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import md5
from typing import Any, Final, TypeVar

from django.core.cache import cache
from redis.exceptions import RedisError

KEPT_SECONDS: Final = 60
COUNTED_ANEW: Final = 20_000
"""Up to so many rows are counted for each reader."""

Found = TypeVar("Found")


def kept(name: str, count: Callable[[], Found], *, is_large: Callable[[Found], bool]) -> Found:
    """What was counted by this name in the last minute, else what `count` finds now.

    Only what `is_large` is kept: small projects are counted for each reader. A page that can be answered
    without the cache is.
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
            cache.set(_key(name), counted, KEPT_SECONDS)
    return counted


def kept_each(
    names: Mapping[int, str],
    count: Callable[[Sequence[int]], Mapping[int, Found]],
    *,
    is_large: Callable[[int, Found], bool],
) -> dict[int, Found]:
    """The same for several at once: by number what was counted by its name; `count` counts the others."""
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
                cache.set_many(large, KEPT_SECONDS)
    return found


def forget(names: Iterable[str]) -> None:
    """Count what is kept by these names anew when it is next asked for."""
    with suppress(RedisError):
        cache.delete_many([_key(name) for name in names])


def named(what: str, row: Any, *narrowed: object) -> str:
    """A name for what is counted of a row of the database, and of which part of it.

    When the row was made tells it from one that had its number in an older database.
    """
    return ":".join(map(str, (what, row.pk, row.created_at.timestamp(), *narrowed)))


def _key(name: str) -> str:
    return f"kept:{md5(name.encode(), usedforsecurity=False).hexdigest()}"
