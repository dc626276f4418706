"""Events get positions after their commits, so that who asks for those after the last one misses none."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Self

import pytest
from django.db import DatabaseError, connection, connections, transaction

from events.models import Delivery, Event
from events.queries import events_after
from events.services import order_events
from tests.events.hooked import happen, hook
from tests.events.receiver import Receiver
from tests.factories import Cast, make_project


class Elsewhere:
    """Another connection, on which an event is published in a transaction that goes on until it is ended."""

    def __init__(self, act: Callable[[], object]) -> None:
        self._act, self._written, self._go = act, threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._written.wait(10)
        return self

    def __exit__(self, *_error: object) -> None:
        self.commit()

    def commit(self) -> None:
        self._go.set()
        self._thread.join(10)
        assert not self._thread.is_alive()

    def _run(self) -> None:
        try:
            with transaction.atomic():
                self._act()
                self._written.set()
                self._go.wait(10)
        finally:
            connections.close_all()


def seen(cast: Cast, after: int) -> list[tuple[int, int]]:
    """The objects and ids of the events after an id, as a reader sees them now."""
    return [(one.object_id, one.position or 0) for one in events_after(cast.project, after)]


@pytest.mark.django_db(transaction=True)
def test_a_reader_misses_no_event_that_is_committed_late() -> None:
    cast = make_project()
    with Elsewhere(lambda: happen(cast, 1)) as slow:  # its id is drawn first
        happen(cast, 2)
        order_events()
        (first,) = seen(cast, 0)
        assert first[0] == 2
        assert Event.objects.count() == 1
        slow.commit()
    assert list(Event.objects.order_by("pk").values_list("object_id", flat=True)) == [1, 2]
    assert seen(cast, first[1]) == []  # not ordered yet
    order_events()
    ((late, position),) = seen(cast, first[1])
    assert late == 1
    assert position > first[1]
    assert [number for number, _position in seen(cast, 0)] == [2, 1]


@pytest.mark.django_db(transaction=True)
def test_one_process_orders_at_a_time() -> None:
    cast = make_project()
    happen(cast, 1)
    with Elsewhere(order_events) as other:
        happen(cast, 2)
        assert order_events() == 0
        assert seen(cast, 0) == []
        other.commit()
        assert order_events() == 1
    assert [number for number, _position in seen(cast, 0)] == [1, 2]


@pytest.mark.django_db
def test_positions_grow_by_one_over_all_projects(cast: Cast) -> None:
    other = make_project()
    order_events()  # what setting up has published
    before = Event.objects.count()
    happen(cast, 1, 2)
    happen(other, 3)
    happen(cast, 4)
    assert order_events() == 4
    found = [one.position or 0 for one in Event.objects.order_by("position")][before:]
    assert found == list(range(found[0], found[0] + 4))
    assert [number for number, _position in seen(cast, 0)][-3:] == [1, 2, 4]
    assert [number for number, _position in seen(other, 0)][-1:] == [3]


@pytest.mark.django_db
def test_an_event_is_ordered_once_and_never_changed(cast: Cast) -> None:
    happen(cast, 1)
    order_events()
    assert order_events() == 0
    event = Event.objects.get(object_id=1)
    for change in ({"position": 9_999}, {"position": None}, {"data": {"a": 1}}, {"kind": "item.retired"}):
        with pytest.raises(DatabaseError), transaction.atomic():
            Event.objects.filter(pk=event.pk).update(**change)
    with pytest.raises(DatabaseError), transaction.atomic():
        event.delete()


@pytest.mark.django_db
def test_deliveries_are_made_in_the_order_of_positions(cast: Cast, receiver: Receiver) -> None:
    hook(cast, receiver, ["item.verified"])
    happen(cast, 3, 1, 2)
    happen(cast, 7, kind="item.returned")
    happen(make_project(), 8)
    order_events()
    made = Delivery.objects.order_by("pk").values_list("about", "event__position")
    assert [about for about, _position in made] == ["item/3", "item/1", "item/2"]
    positions = [position or 0 for _about, position in made]
    assert sorted(positions) == positions


@pytest.mark.django_db
def test_ordering_costs_the_same_for_any_number(cast: Cast, django_assert_num_queries: object) -> None:
    happen(cast, *range(1, 1001))
    assert callable(django_assert_num_queries)
    with django_assert_num_queries(4 + 2):  # and the savepoint of the test's transaction
        assert order_events() == 1000
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(DISTINCT position) FROM events_event")
        assert cursor.fetchone() == (1000,)
