"""Counts that are kept for a minute: large ones only, and none is needed for a page."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from django.core.cache import cache
from redis.exceptions import ConnectionError as Unreachable

from web.kept import kept, kept_each


class Rows:
    """Rows that somebody counts; each time they are one more."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.asked: list[list[int]] = []

    def count(self) -> int:
        self.n += 1
        return self.n

    def count_each(self, numbers: Sequence[int]) -> dict[int, int]:
        self.asked.append(list(numbers))
        self.n += 1
        return {number: self.n * number for number in numbers}


@pytest.mark.parametrize(("before", "seen"), [(9, [10, 11]), (10, [11, 11])])
def test_it_keeps_what_is_large(before: int, seen: list[int]) -> None:
    rows = Rows(before)
    assert [kept("kept", rows.count, is_large=lambda n: n > 10) for _ in range(2)] == seen
    assert kept("another name", rows.count, is_large=lambda n: n > 10) == seen[-1] + 1


def test_it_keeps_each_alone_and_counts_the_others_at_once() -> None:
    rows, names = Rows(0), {1: "one", 5: "five", 7: "seven"}
    assert kept_each(names, rows.count_each, is_large=lambda _number, n: n > 5) == {1: 1, 5: 5, 7: 7}
    assert kept_each(names, rows.count_each, is_large=lambda _number, n: n > 5) == {1: 2, 5: 10, 7: 7}
    assert kept_each(names, rows.count_each, is_large=lambda _number, n: n > 5) == {1: 3, 5: 10, 7: 7}
    assert rows.asked == [[1, 5, 7], [1, 5], [1]]


def test_it_counts_where_the_cache_cannot_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object, **_kwargs: object) -> None:
        raise Unreachable

    for name in ("get", "get_many", "set", "set_many"):
        monkeypatch.setattr(cache, name, refuse)
    rows = Rows(10)
    assert kept("kept", rows.count, is_large=lambda _n: True) == 11
    assert kept_each({2: "two"}, rows.count_each, is_large=lambda _number, _n: True) == {2: 24}
