"""Pages of webhooks, the inbox of managers, and where the secret is: nowhere but on the page after adding."""

from __future__ import annotations

import logging

import pytest
from django.contrib import admin
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from dashboard.queries.inbox import inbox_of, my_projects
from dashboard.queries.news import news_of, seen_until
from events.models import Delivery, EventKind, Webhook
from events.tasks import deliver, forget_old_events, sweep_events
from projects.models import Membership, Role
from tests.events.hooked import happen, hook, sweep, wait
from tests.events.receiver import Receiver
from tests.everywhere import dumped, every_row, redis_values
from tests.factories import Cast, make_user

pytestmark = pytest.mark.django_db


def browser(user: object) -> Client:
    client = Client()
    client.force_login(user)  # type: ignore[arg-type]  # of our own model
    return client


def page(cast: Cast, name: str, *rest: int) -> str:
    return reverse(f"events:{name}", args=[cast.project.slug, *rest])


def test_a_manager_adds_pauses_and_deletes_a_webhook(cast: Cast, receiver: Receiver) -> None:
    client = browser(cast.manager)
    empty = client.get(page(cast, "webhooks")).content.decode()
    assert "No webhooks yet." in empty
    wrong = client.post(
        page(cast, "webhooks"), {"url": "https://elsewhere.example/", "types": ["job.failed"]}
    )
    assert wrong.status_code == 400
    assert "elsewhere.example:443" in wrong.content.decode()
    made = client.post(page(cast, "webhooks"), {"url": receiver.url, "types": EventKind.values})
    assert made.status_code == 200
    assert "whsec_" in made.content.decode()
    pk = Webhook.objects.get().pk
    shown = client.get(page(cast, "webhook", pk)).content.decode()
    assert "whsec_" not in shown
    assert "No deliveries yet." in shown
    saved = client.post(page(cast, "webhook", pk), {"url": receiver.url, "types": ["item.verified"]})
    assert saved.status_code == 302
    assert Webhook.objects.get().types == ["item.verified"]
    client.post(page(cast, "pause", pk))
    assert not Webhook.objects.get().is_active
    assert "paused" in client.get(page(cast, "webhooks")).content.decode()
    client.post(page(cast, "resume", pk))
    assert Webhook.objects.get().is_active
    assert "whsec_" in client.post(page(cast, "replace_secret", pk)).content.decode()
    assert client.post(page(cast, "delete", pk)).status_code == 302
    assert not Webhook.objects.exists()


def test_deliveries_are_shown_with_why_they_failed(cast: Cast, receiver: Receiver) -> None:
    client = browser(cast.manager)
    pk = hook(cast, receiver).row.pk
    receiver.answer, receiver.reply = (lambda _event: 500), "<b>broken</b>"
    happen(cast, 12)
    sweep()
    shown = client.get(page(cast, "webhook", pk)).content.decode()
    for text in ("item/12", "status 500", "1 attempt", "&lt;b&gt;broken&lt;/b&gt;", "Next attempt"):
        assert text in shown
    assert "Send again" not in shown
    Delivery.objects.update(state="given_up", ended_at="2026-11-01T00:00Z", next_at=None)
    assert "Send again" in client.get(page(cast, "webhook", pk)).content.decode()
    receiver.answer = lambda _event: 200
    client.post(page(cast, "send_again", pk, Delivery.objects.get().pk))
    sweep()
    assert len(receiver.accepted) == 1


def test_an_observer_sees_webhooks_and_changes_none(cast: Cast, receiver: Receiver) -> None:
    pk = hook(cast, receiver).row.pk
    observer = make_user("Olive Observer")
    Membership.objects.create(project=cast.project, user=observer, role=Role.OBSERVER)
    client = browser(observer)
    assert receiver.url in client.get(page(cast, "webhooks")).content.decode()
    shown = client.get(page(cast, "webhook", pk)).content.decode()
    for text in ("Replace secret", "Delete webhook", "Pause"):
        assert text not in shown
    assert client.post(page(cast, "pause", pk)).status_code == 403
    assert browser(cast.writer).get(page(cast, "webhooks")).status_code == 403


def test_what_was_given_up_is_in_the_inbox_until_it_is_sent_again(cast: Cast, receiver: Receiver) -> None:
    pk = hook(cast, receiver).row.pk
    receiver.answer = lambda _event: 500
    happen(cast, 1)
    for _each in range(10):
        sweep()
        wait(90_000)

    def cards() -> list[str]:
        since = seen_until(cast.manager)
        news = news_of(cast.manager, since)
        found = inbox_of(cast.manager, my_projects(cast.manager), news, since=since)
        assert ("webhook" in {one.kind for one in news}) is ("webhook" in {card.kind for card in found.cards})
        return [card.big for card in found.cards if card.kind == "webhook"]

    assert cards() == ["1 event could not be delivered"]
    assert "not delivered" in "".join(one.text for one in news_of(cast.manager, seen_until(cast.manager)))
    browser(cast.manager).post(page(cast, "send_again", pk, Delivery.objects.get().pk))
    assert cards() == []


@pytest.mark.usefixtures("_tasks_run_at_once")
def test_the_tasks_do_it(cast: Cast, receiver: Receiver) -> None:
    pk = hook(cast, receiver).row.pk
    happen(cast, 1)
    sweep_events()
    assert len(receiver.accepted) == 1
    deliver(pk)
    forget_old_events()
    assert len(receiver.messages) == 1


def test_the_secret_is_shown_nowhere(
    cast: Cast,
    receiver: Receiver,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    made = hook(cast, receiver)
    secret = made.secret.removeprefix("whsec_")
    receiver.answer, receiver.reply = (lambda _event: 500), "no"
    happen(cast, 1)
    sweep()
    ada = browser(make_user("Eve", administrator=True))
    manager = browser(cast.manager)
    bodies = [caplog.text, *capsys.readouterr(), repr(made.row), *every_row("create_webhook"), redis_values()]
    bodies += [dumped('"events.webhook"', "events", "accounts")]
    bodies += [
        manager.get(address).content.decode()
        for address in (
            page(cast, "webhooks"),
            page(cast, "webhook", made.row.pk),
            reverse("api_webhooks", args=[cast.project.slug]),
            reverse("api_deliveries", args=[cast.project.slug, made.row.pk]),
        )
    ]
    for model in admin.site._registry:
        if model._meta.app_label == "events":
            name = f"admin:events_{model._meta.model_name}"
            answers = [ada.get(reverse(f"{name}_changelist"))]
            answers += [
                ada.get(reverse(f"{name}_change", args=[row.pk])) for row in model._default_manager.all()[:5]
            ]
            assert {answer.status_code for answer in answers} == {200}
            bodies += [answer.content.decode() for answer in answers]
            assert not any(made.row.sealed in answer.content.decode() for answer in answers)
    call_command("check")
    for body in bodies:
        for part in (secret, secret[:20], secret[-20:]):
            assert part not in body
