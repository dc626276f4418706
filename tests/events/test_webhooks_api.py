"""The programming interface of events, webhooks and deliveries."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from accounts.models import AuditEvent
from events.models import Delivery, Event, EventKind, Webhook
from events.services import order_events
from jobs.models import AllowedHost
from tests.events.hooked import happen, hook, sweep
from tests.events.receiver import Receiver
from tests.factories import Cast, make_project
from tests.projects.test_tokens import ask, token_of

pytestmark = pytest.mark.django_db


def address(cast: Cast, name: str, *rest: int) -> str:
    return reverse(f"api_{name}", args=[cast.project.slug, *rest])


# --- events ---


def test_a_poller_reads_on_where_it_stopped(cast: Cast) -> None:
    token = token_of(cast.manager, "read")
    happen(cast, 1, 2, 3)
    happen(make_project(), 4)
    order_events()
    seen: list[int] = []
    after = 0
    for _each in range(5):
        answer = ask(token, "get", f"{address(cast, 'events')}?after={after}&limit=2").json()
        seen += [event["object"]["id"] for event in answer["results"] if event["type"] == "item.verified"]
        after = answer["results"][-1]["id"] if answer["results"] else after
    assert seen == [1, 2, 3]
    happen(cast, 5)
    assert ask(token, "get", f"{address(cast, 'events')}?after={after}").json()["results"] == []
    order_events()
    (event,) = ask(token, "get", f"{address(cast, 'events')}?after={after}").json()["results"]
    assert (event["object"], event["type"]) == ({"type": "item", "id": 5}, "item.verified")
    assert event["id"] > after


def test_a_page_of_events_names_the_next_one_and_keeps_the_filter(cast: Cast) -> None:
    token = token_of(cast.manager, "read")
    for number in range(1, 6):
        happen(cast, number)
        happen(cast, number, kind=EventKind.ITEM_RETIRED)
    order_events()
    found, following = [], f"{address(cast, 'events')}?type=item.retired&limit=2"
    while following:
        answer = ask(token, "get", following).json()
        found += [(event["type"], event["object"]["id"]) for event in answer["results"]]
        following = answer["next"]
    assert found == [("item.retired", number) for number in range(1, 6)]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("after=-1", "after"),
        ("after=x", "after"),
        ("after=99999999999999999999", "after"),
        ("after=4000000", "after"),  # there is no such event
        ("type=item.eaten", "type"),
        ("limit=0", "limit"),
        ("limit=1001", "limit"),
        ("limit=x", "limit"),
        ("actor=1", "actor"),
    ],
)
def test_wrong_filters_of_events_are_named(cast: Cast, query: str, field: str) -> None:
    answer = ask(token_of(cast.manager, "read"), "get", f"{address(cast, 'events')}?{query}")
    assert answer.status_code == 400
    assert list(answer.json()["fields"]) == [field]


def test_a_page_of_events_costs_the_same(cast: Cast, django_assert_max_num_queries: Any) -> None:
    token = token_of(cast.manager, "read")
    happen(cast, *range(1, 1001))
    order_events()
    for limit in (1, 1000):
        with django_assert_max_num_queries(6):
            answer = ask(token, "get", f"{address(cast, 'events')}?limit={limit}")
        assert len(answer.json()["results"]) == limit


# --- who may ---


@pytest.mark.parametrize("name", ["events", "webhooks"])
@pytest.mark.parametrize(
    ("role", "status"),
    [("manager", 200), ("writer", 403), ("reviewer", 403), ("verifier", 403), ("outsider", 404)],
)
def test_managers_and_observers_read(cast: Cast, name: str, role: str, status: int) -> None:
    assert ask(token_of(getattr(cast, role), "read"), "get", address(cast, name)).status_code == status


@pytest.mark.parametrize(
    ("method", "name", "scope"),
    [
        ("get", "events", "read"),
        ("get", "webhooks", "read"),
        ("post", "webhooks", "manage"),
        ("get", "webhook", "read"),
        ("patch", "webhook", "manage"),
        ("post", "webhook_secret", "manage"),
        ("get", "deliveries", "read"),
        ("post", "repeat_delivery", "manage"),
        ("delete", "webhook", "manage"),
    ],
)
def test_each_route_needs_its_scope(
    cast: Cast, receiver: Receiver, method: str, name: str, scope: str
) -> None:
    pk = hook(cast, receiver).row.pk
    happen(cast, 1)
    sweep()
    rest = {
        "events": [],
        "webhooks": [],
        "repeat_delivery": [pk, Delivery.objects.get().pk],
    }.get(name, [pk])
    sent: dict[str, Any] | None = None
    if (method, name) == ("post", "webhooks"):
        sent = {"url": receiver.url, "types": ["item.verified"]}
    if method == "patch":
        sent = {"active": False}
    others = {"read", "write", "review", "manage"} - {scope}
    refused = ask(token_of(cast.manager, *others), method, address(cast, name, *rest), sent)
    assert (refused.status_code, refused.json()["code"]) == (403, "scope")
    assert ask(token_of(cast.manager, scope), method, address(cast, name, *rest), sent).status_code < 300


def test_what_is_foreign_is_answered_as_what_is_absent(cast: Cast, receiver: Receiver) -> None:
    pk = hook(cast, receiver).row.pk
    happen(cast, 1)
    sweep()
    delivery = Delivery.objects.get().pk
    other = make_project()
    token = token_of(other.manager)
    for method, name, rest in (
        ("get", "webhook", [pk]),
        ("patch", "webhook", [pk]),
        ("delete", "webhook", [pk]),
        ("post", "webhook_secret", [pk]),
        ("get", "deliveries", [pk]),
        ("post", "repeat_delivery", [pk, delivery]),
    ):
        absent = [2_000_000 for _each in rest]
        answers = [ask(token, method, address(other, name, *numbers), {}) for numbers in (rest, absent)]
        assert [answer.status_code for answer in answers] == [404, 404]
        assert answers[0].json() == answers[1].json()
        assert ask(token, method, address(cast, name, *rest), {}).status_code == 404
    own = hook_of(other, receiver)
    assert ask(token, "post", address(other, "repeat_delivery", own, delivery)).status_code == 404


def hook_of(cast: Cast, receiver: Receiver) -> int:
    return int(hook(cast, receiver).row.pk)


# --- webhooks ---


def test_a_webhook_is_created_with_its_secret_once(cast: Cast, receiver: Receiver) -> None:
    token = token_of(cast.manager)
    sent = {"url": receiver.url, "types": ["item.verified", "item.retired", "item.verified"]}
    made = ask(token, "post", address(cast, "webhooks"), sent, **{"Idempotency-Key": "one"})
    assert made.status_code == 201
    secret = made.json()["secret"]
    assert secret.startswith("whsec_")
    assert made.json()["types"] == ["item.retired", "item.verified"]
    again = ask(token, "post", address(cast, "webhooks"), sent, **{"Idempotency-Key": "one"})
    assert again.status_code == 409
    assert Webhook.objects.count() == 1
    for name, rest in (("webhooks", []), ("webhook", [made.json()["id"]])):
        answer = ask(token, "get", address(cast, name, *rest))
        assert secret not in answer.content.decode()
    assert ask(token, "get", made.headers["Location"]).headers["ETag"] == made.headers["ETag"]
    assert AuditEvent.objects.get(verb="create_webhook").actor == cast.manager


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"url": "ftp://127.0.0.1/x"}, "url"),
        ({"url": "https://user:word@127.0.0.1/x"}, "url"),
        ({"url": "https://127.0.0.1/x?token=1"}, "url"),
        ({"url": "https://127.0.0.1/x#y"}, "url"),
        ({"url": "https://127.0.0.1/x y"}, "url"),
        ({"url": "https://[::1"}, "url"),
        ({"url": "https://0x7f000001/"}, "url"),
        ({"url": "https://bot.example.com/"}, "url"),  # not allowed
        ({"url": "https://"}, "url"),
        ({"url": ""}, "url"),
        ({"url": "https://" + "a" * 400}, "url"),
        ({"types": []}, "types"),
        ({"types": ["item.eaten"]}, "types"),
        ({"types": "item.verified"}, "types"),
        ({"types": ["item.verified"] * 40}, "types"),
        ({"secret": "mine"}, "secret"),
    ],
)
def test_a_wrong_webhook_names_the_field(
    cast: Cast, receiver: Receiver, wrong: dict[str, Any], field: str
) -> None:
    sent = {"url": receiver.url, "types": ["item.verified"], **wrong}
    answer = ask(token_of(cast.manager), "post", address(cast, "webhooks"), sent)
    assert answer.status_code == 400
    assert list(answer.json()["fields"]) == [field]
    assert not Webhook.objects.exists()


def test_plain_http_goes_to_this_machine_alone(cast: Cast, receiver: Receiver) -> None:
    AllowedHost.objects.create(host="bot.example.com", port=80, allowed_by=cast.manager)
    sent = {"url": "http://bot.example.com/", "types": ["item.verified"]}
    answer = ask(token_of(cast.manager), "post", address(cast, "webhooks"), sent)
    assert answer.status_code == 400
    assert "https://" in answer.json()["fields"]["url"]


def test_an_address_inside_the_network_is_refused(cast: Cast, receiver: Receiver, settings: Any) -> None:
    settings.LLM_ALLOW_PRIVATE = frozenset()
    sent = {"url": receiver.url, "types": ["item.verified"]}
    answer = ask(token_of(cast.manager), "post", address(cast, "webhooks"), sent)
    assert answer.status_code == 400
    assert "inside the network" in answer.json()["fields"]["url"]


def test_a_site_without_secrets_has_no_webhooks(cast: Cast, receiver: Receiver, settings: Any) -> None:
    settings.KEY_SECRETS = []
    sent = {"url": receiver.url, "types": ["item.verified"]}
    answer = ask(token_of(cast.manager), "post", address(cast, "webhooks"), sent)
    assert answer.status_code == 409
    assert "PARABLE_KEY_SECRETS" in answer.json()["detail"]


def test_a_project_has_at_most_ten_webhooks(cast: Cast, receiver: Receiver) -> None:
    for _each in range(10):
        hook(cast, receiver)
    sent = {"url": receiver.url, "types": ["item.verified"]}
    assert ask(token_of(cast.manager), "post", address(cast, "webhooks"), sent).status_code == 409


def test_a_webhook_is_changed_if_it_is_as_it_was_read(cast: Cast, receiver: Receiver) -> None:
    token, place = token_of(cast.manager), address(cast, "webhook", hook(cast, receiver).row.pk)
    tag = ask(token, "get", place).headers["ETag"]
    changed = ask(token, "patch", place, {"active": False, "types": ["job.failed"]}, **{"If-Match": tag})
    assert (changed.status_code, changed.json()["active"], changed.json()["types"]) == (
        200,
        False,
        ["job.failed"],
    )
    late = ask(token, "patch", place, {"active": True}, **{"If-Match": tag})
    assert (late.status_code, late.json()["code"]) == (412, "changed")
    wrong = ask(token, "patch", place, {"url": "nowhere", "types": []})
    assert sorted(wrong.json()["fields"]) == ["types", "url"]
    assert not Webhook.objects.get().is_active


def test_a_secret_is_replaced(cast: Cast, receiver: Receiver) -> None:
    made = hook(cast, receiver)
    answer = ask(token_of(cast.manager), "post", address(cast, "webhook_secret", made.row.pk))
    assert answer.status_code == 200
    assert answer.json()["secret"] not in ("", made.secret)


def test_a_webhook_is_deleted_with_its_deliveries(cast: Cast, receiver: Receiver) -> None:
    pk = hook(cast, receiver).row.pk
    happen(cast, 1)
    sweep()
    before = Event.objects.count()
    assert ask(token_of(cast.manager), "delete", address(cast, "webhook", pk)).status_code == 204
    assert not Webhook.objects.exists()
    assert not Delivery.objects.exists()
    assert Event.objects.count() == before
    assert AuditEvent.objects.filter(verb="delete_webhook", subject_id=pk).exists()


# --- deliveries ---


def test_deliveries_are_listed_and_sent_again(cast: Cast, receiver: Receiver) -> None:
    token = token_of(cast.manager)
    pk = hook(cast, receiver).row.pk
    receiver.answer, receiver.reply = (lambda _event: 418), "I am a teapot"
    happen(cast, 1)
    sweep()
    (row,) = ask(token, "get", address(cast, "deliveries", pk)).json()["results"]
    assert (row["state"], row["attempts"], row["status"]) == ("waiting", 1, 418)
    assert (row["response"], row["event"]["object"]["id"]) == ("I am a teapot", 1)
    assert row["reason"]
    refused = ask(token, "post", address(cast, "repeat_delivery", pk, row["id"]))
    assert refused.status_code == 409
    Delivery.objects.update(state="given_up", next_at=None)
    key = {"Idempotency-Key": "again"}
    answers = [ask(token, "post", address(cast, "repeat_delivery", pk, row["id"]), **key) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].json() == answers[1].json()
    assert Delivery.objects.count() == 2
    waiting = ask(token, "get", f"{address(cast, 'deliveries', pk)}?state=waiting").json()["results"]
    assert [one["id"] for one in waiting] == [answers[0].json()["id"]]
    receiver.answer = lambda _event: 200
    sweep()
    listed = ask(token, "get", address(cast, "webhooks")).json()["results"]
    assert (listed[0]["waiting"], listed[0]["given_up"]) == (0, 0)


@pytest.mark.parametrize("name", ["webhooks", "deliveries"])
def test_a_page_of_a_list_costs_the_same(
    cast: Cast, receiver: Receiver, name: str, django_assert_max_num_queries: Any
) -> None:
    token = token_of(cast.manager)
    webhooks = [hook(cast, receiver).row.pk for _each in range(5)]
    happen(cast, *range(1, 21))
    order_events()
    place = address(cast, name, *([webhooks[0]] if name == "deliveries" else []))
    for limit in (1, 1000):
        with django_assert_max_num_queries(6):
            answer = ask(token, "get", f"{place}?limit={limit}")
        assert len(answer.json()["results"]) == min(limit, 20 if name == "deliveries" else 5)
