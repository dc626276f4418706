"""Deliveries over real HTTP: order, retries, and receivers that are down for a while."""

from __future__ import annotations

import json
import threading
import time
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings as site
from django.db import DatabaseError, connections, transaction
from django.utils import timezone
from pytest_django import Settings

from core.errors import Conflict
from events import services
from events.models import Delivery, DeliveryState, Event, EventKind, Webhook
from events.services.delivery import WAITS, forget_old_events
from events.signature import new_secret, signature
from jobs.models import AllowedHost
from jobs.services import allow_host, withdraw_host
from tests.events.hooked import happen, hook, sweep, wait
from tests.events.receiver import Receiver, receiving
from tests.factories import Cast, make_project, make_user

pytestmark = pytest.mark.django_db
LONG = 90_000.0
"""Longer than the longest wait between two attempts, in seconds."""


def states() -> list[str]:
    return list(Delivery.objects.order_by("pk").values_list("state", flat=True))


def test_a_delivery_is_signed_and_has_the_event(cast: Cast, receiver: Receiver) -> None:
    made = hook(cast, receiver)
    happen(cast, 7)
    assert sweep() == 1
    (message,) = receiver.messages
    assert message.path == "/hook/"
    assert message.headers["content-type"] == "application/json"
    assert abs(int(message.headers["webhook-timestamp"]) - time.time()) < 60
    assert message.headers["webhook-signature"] == signature(
        secret=made.secret,
        message_id=message.headers["webhook-id"],
        timestamp=int(message.headers["webhook-timestamp"]),
        body=message.body,
    )
    event = Event.objects.get(object_id=7)
    assert message.headers["webhook-id"] == f"event_{event.position}"
    assert message.event == {
        "id": event.position,
        "type": "item.verified",
        "timestamp": message.event["timestamp"],
        "project": cast.project.slug,
        "object": {"type": "item", "id": 7},
        "data": {},
    }
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.attempts, delivery.status) == (DeliveryState.DELIVERED, 1, 204)
    assert sweep() == 0


def test_a_webhook_gets_its_kinds_from_its_creation_on(cast: Cast, receiver: Receiver) -> None:
    happen(cast, 1)
    hook(cast, receiver, [EventKind.ITEM_VERIFIED])
    happen(cast, 2)
    happen(cast, 3, kind=EventKind.ITEM_RETURNED)
    happen(make_project(), 4)
    sweep()
    assert [event["object"]["id"] for event in receiver.accepted] == [2]


def test_the_next_event_about_an_object_waits_for_the_earlier_one(cast: Cast, receiver: Receiver) -> None:
    hook(cast, receiver)
    receiver.answer = lambda event: 500 if event["object"]["id"] == 1 else 200
    happen(cast, 1, 2, 1, 3)
    sweep()
    assert [event["object"]["id"] for event in receiver.accepted] == [2, 3]
    wait(LONG)
    sweep()
    tried = [message.event["object"]["id"] for message in receiver.messages]
    assert tried == [1, 2, 3, 1]
    receiver.answer = lambda _event: 200
    wait(LONG)
    sweep()
    ids = [event["id"] for event in receiver.accepted if event["object"]["id"] == 1]
    assert len(ids) == 2
    assert ids == sorted(ids)
    assert set(states()) == {DeliveryState.DELIVERED}


def test_a_delivery_is_tried_again_after_growing_times_and_given_up(cast: Cast, receiver: Receiver) -> None:
    assert [wait.total_seconds() for wait in WAITS] == [5, 60, 300, 1800, 7200, 21600, 43200, 86400]
    hook(cast, receiver)
    receiver.answer = lambda event: 200 if event["type"] == "item.retired" else 503
    receiver.reply = "down for maintenance" * 100
    happen(cast, 1)
    happen(cast, 1, kind=EventKind.ITEM_RETIRED)
    for number, pause in enumerate(WAITS, start=1):
        assert sweep() == 1
        delivery = Delivery.objects.order_by("pk")[0]
        assert (delivery.state, delivery.attempts, delivery.status) == (DeliveryState.WAITING, number, 503)
        assert delivery.next_at is not None
        assert abs(delivery.next_at - timezone.now() - pause) < timedelta(seconds=20)
        assert delivery.response == ("down for maintenance" * 100)[:500]
        wait(pause.total_seconds() - 2.5)
        assert sweep() == 0
        wait(20)
    assert sweep() == 2  # given up, so that the later event is sent
    delivery = Delivery.objects.order_by("pk")[0]
    assert (delivery.state, delivery.attempts) == (DeliveryState.GIVEN_UP, len(WAITS) + 1)
    assert [event["type"] for event in receiver.accepted] == ["item.retired"]


@pytest.mark.parametrize(
    ("status", "state"),
    [
        (200, DeliveryState.DELIVERED),
        (204, DeliveryState.DELIVERED),
        (301, DeliveryState.WAITING),
        (307, DeliveryState.WAITING),
        (400, DeliveryState.WAITING),
        (410, DeliveryState.WAITING),
        (500, DeliveryState.WAITING),
    ],
)
def test_only_a_status_2xx_is_a_delivery(
    cast: Cast, receiver: Receiver, status: int, state: DeliveryState
) -> None:
    other = Receiver()
    with receiving(other):
        receiver.answer, receiver.location = (lambda _event: status), other.url
        hook(cast, receiver)
        happen(cast, 1)
        assert sweep() == 1
    assert states() == [state]
    assert other.messages == []  # redirects are not followed


def test_a_receiver_that_was_down_misses_nothing_and_gets_nothing_twice(
    cast: Cast, settings: Settings
) -> None:
    settings.LLM_ALLOW_PRIVATE = frozenset({"127.0.0.1"})
    receiver = Receiver()
    with receiving(receiver):
        allow_host(actor=make_user("Ada", administrator=True), address=receiver.url)
        hook(cast, receiver)
        happen(cast, 1, 2)
        sweep()
    port = int(receiver.url.split(":")[2].split("/")[0])
    for number in range(3, 9):
        happen(cast, number, 1)
        assert sweep() <= 3  # then it rests
        wait(10)
    with receiving(receiver, port=port):
        for _each in range(6):
            wait(LONG)
            sweep()
    found = [(event["object"]["id"], event["id"]) for event in receiver.accepted]
    assert sorted(position for _object, position in found) == list(
        Event.objects.filter(kind="item.verified").order_by("position").values_list("position", flat=True)
    )
    of_one = [position for number, position in found if number == 1]
    assert of_one == sorted(of_one)
    assert len(of_one) == 7


def test_a_receiver_that_is_down_takes_little_of_a_worker(cast: Cast, receiver: Receiver) -> None:
    hook(cast, receiver)
    receiver.answer = lambda _event: 500
    happen(cast, *range(1, 21))
    assert sweep() == 3
    assert sweep() == 0  # it rests
    wait(31)
    assert sweep() == 3


def test_a_lost_worker_loses_nothing(cast: Cast, receiver: Receiver) -> None:
    hook(cast, receiver)
    happen(cast, 1)
    sweep()
    Delivery.objects.update(state=DeliveryState.SENDING, ended_at=None, next_at=timezone.now() + LOST)
    happen(cast, 1)
    assert sweep() == 0
    wait(31)
    assert sweep() == 2
    assert [event["object"]["id"] for event in receiver.accepted] == [1, 1, 1]


LOST = timedelta(seconds=30)


@pytest.mark.django_db(transaction=True)
def test_two_workers_send_nothing_twice(settings: Settings) -> None:
    settings.LLM_ALLOW_PRIVATE = frozenset({"127.0.0.1"})
    cast = make_project()
    receiver = Receiver()

    def slowly(_event: dict[str, Any]) -> int:
        time.sleep(0.01)
        return 200

    receiver.answer = slowly
    with receiving(receiver):
        allow_host(actor=make_user("Ada", administrator=True), address=receiver.url)
        webhook = hook(cast, receiver).row
        happen(cast, *(1 + number % 7 for number in range(40)))
        services.order_events()

        def work() -> None:
            try:
                for _each in range(20):
                    # as if it were not marked as busy: the claim of a delivery alone decides
                    Webhook.objects.filter(pk=webhook.pk).update(busy_until=None)
                    services.deliver(webhook_id=webhook.pk)
            finally:
                connections.close_all()

        threads = [threading.Thread(target=work) for _each in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    ids = [event["id"] for event in receiver.accepted]
    assert len(ids) == len(set(ids)) == 40
    for number in range(1, 8):
        of_one = [event["id"] for event in receiver.accepted if event["object"]["id"] == number]
        assert of_one == sorted(of_one)


def test_a_paused_webhook_gets_nothing_and_goes_on_later(cast: Cast, receiver: Receiver) -> None:
    webhook = hook(cast, receiver).row
    receiver.answer = lambda _event: 500
    happen(cast, 1)
    sweep()
    services.change_webhook(actor=cast.manager, webhook=webhook, is_active=False)
    receiver.answer = lambda _event: 200
    wait(LONG)
    happen(cast, 2)
    assert sweep() == 0
    services.change_webhook(actor=cast.manager, webhook=webhook, is_active=True)
    happen(cast, 3)
    sweep()
    assert [event["object"]["id"] for event in receiver.accepted] == [1, 3]


def test_a_host_that_is_no_longer_allowed_gets_nothing(cast: Cast, receiver: Receiver) -> None:
    hook(cast, receiver)
    withdraw_host(actor=make_user("Ada", administrator=True), host=AllowedHost.objects.get())
    happen(cast, 1)
    sweep()
    assert receiver.messages == []
    assert Delivery.objects.get().reason_code == "host_not_allowed"


@pytest.mark.parametrize(
    ("private", "code"), [(frozenset(), "address_inside"), (frozenset({"127.0.0.1"}), "")]
)
def test_an_address_inside_the_network_gets_nothing(
    cast: Cast, receiver: Receiver, settings: Settings, private: frozenset[str], code: str
) -> None:
    hook(cast, receiver)
    settings.LLM_ALLOW_PRIVATE = private
    happen(cast, 1)
    sweep()
    assert Delivery.objects.get().reason_code == code
    assert len(receiver.messages) == (0 if code else 1)


def test_a_secret_that_cannot_be_decrypted_signs_nothing(
    cast: Cast, receiver: Receiver, settings: Settings
) -> None:
    webhook = hook(cast, receiver).row
    before = site.KEY_SECRETS
    settings.KEY_SECRETS = ["another secret of this site, long enough"]
    happen(cast, 1)
    sweep()
    assert (receiver.messages, Delivery.objects.get().reason_code) == ([], "key_unreadable")
    ada = make_user("Ada", administrator=True)
    assert services.reseal_secrets(actor=ada) == (0, 1)
    settings.KEY_SECRETS = ["another secret of this site, long enough", *before]
    assert services.reseal_secrets(actor=ada) == (1, 0)
    settings.KEY_SECRETS = ["another secret of this site, long enough"]
    wait(LONG)
    sweep()
    assert len(receiver.accepted) == 1
    assert services.replace_secret(actor=cast.manager, webhook=webhook).secret != new_secret()


def test_an_event_is_sent_again_by_hand(cast: Cast, receiver: Receiver) -> None:
    webhook = hook(cast, receiver).row
    happen(cast, 1)
    sweep()
    delivery = Delivery.objects.get()
    again = services.send_again(actor=cast.manager, webhook=webhook, delivery=delivery)
    with pytest.raises(Conflict):
        services.send_again(actor=cast.manager, webhook=webhook, delivery=delivery)
    assert sweep() == 1
    first, second = receiver.messages
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.body == second.body
    again.refresh_from_db()
    assert again.state == DeliveryState.DELIVERED


def test_a_large_response_is_cut_and_its_zero_bytes_are_left_out(cast: Cast, receiver: Receiver) -> None:
    hook(cast, receiver)
    receiver.answer, receiver.reply = (lambda _event: 200), "a\x00b" * 5_000_000
    happen(cast, 1)
    sweep()
    delivery = Delivery.objects.get()
    assert delivery.state == DeliveryState.DELIVERED
    assert delivery.response == ("ab" * 250)


def test_a_receiver_that_answers_too_late_is_tried_again(
    cast: Cast, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("events.services.delivery.TIMEOUT", 0.3)

    def late(_event: dict[str, Any]) -> int:
        time.sleep(0.6)
        return 200

    hook(cast, receiver)
    receiver.answer = late
    happen(cast, 1)
    sweep()
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.reason_code, delivery.status) == ("waiting", "timed_out", None)


def test_claiming_costs_the_same_however_many_wait(
    cast: Cast, receiver: Receiver, django_assert_max_num_queries: Any
) -> None:
    hook(cast, receiver)
    happen(cast, *range(1, 11))
    services.order_events()
    (webhook_id,) = Webhook.objects.values_list("pk", flat=True)
    with django_assert_max_num_queries(10 + 9 * 10):
        assert services.deliver(webhook_id=webhook_id) == 10


def test_events_and_deliveries_are_deleted_after_ninety_days(cast: Cast, receiver: Receiver) -> None:
    hook(cast, receiver)
    old = timezone.now() - timedelta(days=91)
    made = [
        Event(project=cast.project, kind="item.verified", object_type="item", object_id=number, at=old)
        for number in range(1, 4)
    ]
    Event.objects.bulk_create(made)
    Webhook.objects.update(created_at=old - timedelta(days=1))
    happen(cast, 9)
    sweep()
    before = Event.objects.count()
    assert forget_old_events() == 3
    assert Event.objects.count() == before - 3
    assert not Delivery.objects.filter(event__object_id__lt=4).exists()
    last = Event.objects.order_by("-position")[0]
    assert forget_old_events() == 0
    with pytest.raises(DatabaseError), transaction.atomic():
        Event.objects.filter(pk=last.pk).delete()


def test_the_newest_event_stays_so_that_positions_grow(cast: Cast) -> None:
    old = timezone.now() - timedelta(days=91)
    Event.objects.create(project=cast.project, kind="item.verified", object_type="item", object_id=1, at=old)
    services.order_events()
    newest = Event.objects.order_by("-position")[0]
    forget_old_events()
    assert Event.objects.order_by("-position")[0].position == newest.position


def test_bodies_are_json_of_one_shape(cast: Cast, receiver: Receiver) -> None:
    hook(cast, receiver)
    happen(cast, 1, 2)
    happen(cast, 3, kind=EventKind.REVIEW_VERDICT)
    sweep()
    names = {tuple(json.loads(message.body)) for message in receiver.messages}
    assert names == {("id", "type", "timestamp", "project", "object", "data")}
    assert [event["object"] for event in receiver.accepted][-1] == {"type": "item", "id": 3}
