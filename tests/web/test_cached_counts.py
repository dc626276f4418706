"""Counts that are kept for a minute: large ones only, and none is needed for a page."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from django.core.cache import cache
from pytest_django import DjangoAssertNumQueries
from redis.exceptions import ConnectionError as Unreachable

from accounts.models import User
from accounts.services import create_user, system_account
from tests.factories import PASSWORD
from web.cached_counts import cached, cached_each, recount
from web.long_list import CappedPaginator


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
    assert [cached("kept", rows.count, is_large=lambda n: n > 10) for _ in range(2)] == seen
    assert cached("another name", rows.count, is_large=lambda n: n > 10) == seen[-1] + 1


@pytest.mark.parametrize(
    ("recent", "kept", "seen", "renewed"),
    [
        (60, 600, [1, 1, 2], 0),  # seconds; the last of three is asked for after a new count
        (0, 600, [1, 1, 2], 2),
        (0, 0, [1, 2, 4], 0),
    ],
)
def test_nobody_waits_for_a_new_count(
    monkeypatch: pytest.MonkeyPatch, recent: int, kept: int, seen: list[int], renewed: int
) -> None:
    monkeypatch.setattr("web.cached_counts.CACHE_SECONDS", recent)
    rows, orders = Rows(0), list[int]()

    def ask() -> int:
        name, renew = f"renewed {recent} {kept}", lambda: orders.append(1)
        monkeypatch.setattr("web.cached_counts.KEPT_SECONDS", kept)
        return cached(name, rows.count, is_large=lambda _n: True, renew=renew)

    found = [ask(), ask()]
    recount(f"renewed {recent} {kept}", rows.count, is_large=lambda _n: True, seconds=kept)
    assert [*found, ask()] == seen
    assert len(orders) == renewed


def test_what_has_become_small_is_counted_at_each_look() -> None:
    rows = Rows(0)
    assert cached("shrinks", rows.count, is_large=lambda n: n < 2) == 1
    assert recount("shrinks", rows.count, is_large=lambda n: n < 2) == 2
    assert cached("shrinks", rows.count, is_large=lambda n: n < 2) == 3


def test_it_keeps_each_alone_and_counts_the_others_at_once() -> None:
    rows, names = Rows(0), {1: "one", 5: "five", 7: "seven"}
    assert cached_each(names, rows.count_each, is_large=lambda _number, n: n > 5) == {1: 1, 5: 5, 7: 7}
    assert cached_each(names, rows.count_each, is_large=lambda _number, n: n > 5) == {1: 2, 5: 10, 7: 7}
    assert cached_each(names, rows.count_each, is_large=lambda _number, n: n > 5) == {1: 3, 5: 10, 7: 7}
    assert rows.asked == [[1, 5, 7], [1, 5], [1]]


def test_it_counts_where_the_cache_cannot_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object, **_kwargs: object) -> None:
        raise Unreachable

    for name in ("get", "get_many", "set", "set_many"):
        monkeypatch.setattr(cache, name, refuse)
    rows = Rows(10)
    assert cached("kept", rows.count, is_large=lambda _n: True) == 11
    assert cached_each({2: "two"}, rows.count_each, is_large=lambda _number, _n: True) == {2: 24}


@pytest.mark.django_db
@pytest.mark.parametrize(("most", "seen"), [(3, (3, True)), (2, (2, True)), (4, (4, False))])
def test_a_long_list_is_counted_once_a_minute_where_it_is_longer_than_is_counted(
    monkeypatch: pytest.MonkeyPatch, most: int, seen: tuple[int, bool]
) -> None:
    monkeypatch.setattr("web.long_list.MOST", most)

    def counted(**only: object) -> tuple[int, bool]:
        paginator = CappedPaginator(User.objects.filter(name="one of many", **only).order_by("pk"), 2)
        return paginator.count, paginator.is_more

    for number in range(4):
        create_user(actor=system_account(), username=f"many-{number}", name="one of many", password=PASSWORD)
    assert counted() == seen
    User.objects.filter(username="many-3").update(name="another")
    assert counted() == (seen if seen[1] else (3, False))
    assert counted(is_active=True) == (min(3, most), most < 3), "another list"
    assert counted(pk__in=[]) == (0, False)


@pytest.mark.django_db
@pytest.mark.parametrize(("most", "few", "finds_again"), [(10, 4, False), (10, 3, True), (3, 3, True)])
def test_few_hits_of_a_search_are_not_searched_for_again(
    monkeypatch: pytest.MonkeyPatch,
    django_assert_max_num_queries: DjangoAssertNumQueries,
    most: int,
    few: int,
    finds_again: bool,
) -> None:
    monkeypatch.setattr("web.long_list.MOST", most)
    monkeypatch.setattr("web.long_list.FEW", few)
    for number in range(4):
        create_user(actor=system_account(), username=f"many-{number}", name="one of many", password=PASSWORD)
    found = User.objects.filter(name="one of many").values_list("pk", flat=True)
    with django_assert_max_num_queries(2) as asked:
        paginator = CappedPaginator(found.order_by("-username"), 2, found, is_search=True)
        pks = list(paginator.get_page(1))
    assert (paginator.count, paginator.is_more) == (min(4, most), most < 4)
    assert pks == list(found.order_by("-username")[:2])
    assert ('"id" IN (' not in asked.captured_queries[1]["sql"]) == finds_again
