"""A fresh panel solves a sample by link: blind, balanced, each answer once."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from core.errors import Conflict, Forbidden, Hidden, Unusable
from evaluation import services
from evaluation.models import PanelItem, PanelSeat, ReadingKind, Response, Run
from evaluation.queries.panel import find_seat
from evaluation.queries.run import tally
from evaluation.services.panel import Issued
from tests.evaluation.measuring import Bench


def panel(bench: Bench, **changes: Any) -> Run:
    wanted: dict[str, Any] = {"release": bench.release, "split": "both", "sample_size": 6, "seed": "3"}
    return services.open_panel(actor=bench.cast.manager, **(wanted | changes))


def invited(bench: Bench, run: Run, people: int, items_each: int) -> list[Issued]:
    names = [f"Person {number}" for number in range(people)]
    return services.invite_to_panel(actor=bench.cast.manager, run=run, names=names, items_each=items_each)


def solve_all(issued: Issued, shown: int | None = 0) -> int:
    solved = 0
    while (place := services.next_place(seat=issued.seat)) is not None:
        services.answer_place(seat=issued.seat, position=place.position, shown=shown)
        solved += 1
    return solved


def test_it_gives_every_item_to_about_as_many_people(bench: Bench) -> None:
    run = panel(bench)
    seats = invited(bench, run, 5, 4)
    assert [solve_all(seat) for seat in seats] == [4] * 5
    times = Counter(Response.objects.filter(run=run).values_list("item", flat=True))
    assert len(times) == 6
    assert max(times.values()) - min(times.values()) <= 1
    assert tally(run).asked == 20


def test_it_keeps_what_was_chosen_as_a_released_option(bench: Bench) -> None:
    run = panel(bench)
    seat = invited(bench, run, 1, 6)[0]
    place = services.next_place(seat=seat.seat)
    assert place is not None
    again = services.next_place(seat=seat.seat)
    assert again == place  # still in hand
    services.answer_place(seat=seat.seat, position=1, shown=2)
    services.answer_place(seat=seat.seat, position=1, shown=0)  # sent twice: the first stands
    one = Response.objects.get(run=run)
    assert (one.repeat, one.choice, one.text, one.order) == (1, place.order[2], "C", list(place.order))
    assert one.correct == (place.order[2] == one.item.record["answer"])
    services.next_place(seat=seat.seat)
    services.answer_place(seat=seat.seat, position=2, shown=None)
    assert tally(run).readings[ReadingKind.UNPARSED] == 1
    with pytest.raises(Hidden):
        services.answer_place(seat=seat.seat, position=3, shown=0)
    with pytest.raises(Unusable):
        services.answer_place(seat=seat.seat, position=2, shown=9)


def test_it_gives_an_item_that_was_left_lying_to_others(bench: Bench) -> None:
    run = panel(bench, sample_size=1)
    first, second, third = invited(bench, run, 3, 1)
    assert services.next_place(seat=first.seat) is not None
    PanelItem.objects.update(shown_at=timezone.now() - timedelta(days=2))
    assert solve_all(second) == 1
    assert solve_all(third) == 1
    assert solve_all(first) == 1


def test_it_opens_to_a_link_that_holds_and_to_no_other(bench: Bench) -> None:
    run = panel(bench)
    issued, other = invited(bench, run, 2, 2)
    assert find_seat(token=issued.token).pk == issued.seat.pk
    assert issued.token not in str(PanelSeat.objects.values())
    with pytest.raises(Hidden):
        find_seat(token="made-up")
    services.withdraw_seat(actor=bench.cast.manager, seat=issued.seat)
    with pytest.raises(Conflict):
        find_seat(token=issued.token)
    PanelSeat.objects.filter(pk=other.seat.pk).update(expires_at=timezone.now())
    with pytest.raises(Conflict):
        find_seat(token=other.token)


def test_it_refuses_what_makes_no_panel(bench: Bench) -> None:
    run = panel(bench)
    manager = bench.cast.manager
    with pytest.raises(Unusable):
        panel(bench, sample_size=0)
    with pytest.raises(Unusable):
        services.invite_to_panel(actor=manager, run=run, names=[" "], items_each=2)
    with pytest.raises(Unusable):
        services.invite_to_panel(actor=manager, run=run, names=["A"], items_each=7)
    with pytest.raises(Conflict):
        services.invite_to_panel(actor=manager, run=bench.order(sample_size=3), names=["A"], items_each=2)
    with pytest.raises(Forbidden):
        services.invite_to_panel(actor=bench.cast.reviewer, run=run, names=["A"], items_each=2)
