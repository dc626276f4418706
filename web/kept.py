"""Counts of many rows, kept for a minute: not every reader of a large project counts them anew."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final, TypeVar

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
        found: Found | None = cache.get(name)
    except RedisError:
        return count()
    if found is not None:
        return found
    counted = count()
    if is_large(counted):
        with suppress(RedisError):
            cache.set(name, counted, KEPT_SECONDS)
    return counted


def kept_each(
    names: Mapping[int, str],
    count: Callable[[Sequence[int]], Mapping[int, Found]],
    *,
    is_large: Callable[[int, Found], bool],
) -> dict[int, Found]:
    """The same for several at once: by number what was counted by its name; `count` counts the others."""
    try:
        known = cache.get_many(names.values())
    except RedisError:
        return dict(count(list(names)))
    found = {number: known[name] for number, name in names.items() if name in known}
    if left := [number for number in names if number not in found]:
        counted = count(left)
        found |= counted
        if large := {names[number]: one for number, one in counted.items() if is_large(number, one)}:
            with suppress(RedisError):
                cache.set_many(large, KEPT_SECONDS)
    return found
