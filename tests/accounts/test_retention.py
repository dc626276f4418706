"""What the audit trail keeps for ever, and the addresses that it keeps for 90 days."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from accounts.models import AuditEvent, IdempotencyKey, UserSession
from accounts.services import ADDRESSES_KEPT, forget_addresses
from accounts.services.idempotency import KEPT
from accounts.services.retention import _AT_ONCE
from accounts.tasks import clean_up
from tests.factories import make_user
from tests.projects.pages import browser

pytestmark = pytest.mark.django_db

DETAIL = {"address": "192.0.2.7", "browser": "Firefox", "limit": "name"}
OLD, YOUNG = ADDRESSES_KEPT + timedelta(hours=1), ADDRESSES_KEPT - timedelta(hours=1)


def event(age: timedelta, detail: dict[str, Any] | None = None) -> AuditEvent:
    """An event of this age, inserted by SQL: the trigger lets no test change the time of one."""
    user = make_user("Lin")
    given = json.dumps(DETAIL if detail is None else detail)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO accounts_auditevent (actor_id, verb, subject_type, subject_id, detail, at)"
            " VALUES (%s, 'sign_in', 'accounts.user', %s, %s, %s) RETURNING id",
            [user.pk, user.pk, given, timezone.now() - age],
        )
        (number,) = cursor.fetchone()
    return AuditEvent.objects.get(pk=number)


def refused(statement: str) -> None:
    with (
        pytest.raises(IntegrityError, match="append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)


@pytest.mark.parametrize(
    ("age", "change", "passes"),
    [
        (OLD, "detail = detail - 'address' - 'browser'", True),
        (OLD, "detail = detail - 'address'", False),
        (OLD, "detail = '{}'", False),
        (OLD, "detail = detail - 'address' - 'browser' - 'limit'", False),
        (OLD, "detail = detail - 'address' - 'browser' || '{\"limit\": \"x\"}'", False),
        (OLD, "detail = detail - 'address' - 'browser' || '{\"address\": \"x\"}'", False),
        (OLD, "detail = detail - 'address' - 'browser', verb = 'x'", False),
        (OLD, "detail = detail - 'address' - 'browser', at = now()", False),
        (OLD, "detail = detail - 'address' - 'browser', id = id + 1000000", False),
        (OLD, "detail = detail - 'address' - 'browser', subject_id = subject_id + 1", False),
        (OLD, "detail = detail - 'address' - 'browser', subject_type = 'x'", False),
        (
            OLD,
            "detail = detail - 'address' - 'browser', actor_id = (SELECT max(id) FROM accounts_user)",
            None,
        ),
        (OLD, "verb = 'x'", False),
        (OLD, "id = id", False),
        (YOUNG, "detail = detail - 'address' - 'browser'", False),
        (YOUNG, "id = id", False),
    ],
)
def test_only_addresses_of_old_events_may_be_removed(
    age: timedelta, change: str, passes: bool | None
) -> None:
    made = event(age)
    if passes is None:  # another actor
        make_user("Wu")
        passes = False
    sent = f"UPDATE accounts_auditevent SET {change} WHERE id = {made.pk}"
    if passes:
        with connection.cursor() as cursor:
            cursor.execute(sent)
        made.refresh_from_db()
        assert made.detail == {"limit": "name"}
        return
    with (
        pytest.raises(IntegrityError, match="append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(sent)


@pytest.mark.parametrize("age", [OLD, YOUNG])
def test_no_event_is_deleted(age: timedelta) -> None:
    made = event(age)
    with (
        pytest.raises(IntegrityError, match="append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("DELETE FROM accounts_auditevent WHERE id = %s", [made.pk])


def test_addresses_are_removed_after_ninety_days(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounts.services.retention._AT_ONCE", 2)
    assert _AT_ONCE > 2
    old = [event(OLD) for _each in range(5)]
    young, without = event(YOUNG), event(OLD, {"failures": 10})
    assert forget_addresses() == 5
    for one in old:
        one.refresh_from_db()
        assert one.detail == {"limit": "name"}
    young.refresh_from_db()
    without.refresh_from_db()
    assert (young.detail, without.detail) == (DETAIL, {"failures": 10})
    assert forget_addresses() == 0


def test_the_task_cleans_up_sessions_responses_and_addresses() -> None:
    old, gone, stays = event(OLD), make_user("Gone"), make_user("Stays")
    for user in (gone, stays):
        browser(user)
        IdempotencyKey.objects.create(user=user, key="k", operation="POST /", digest="")
    UserSession.objects.filter(user=gone).update(expire_date=timezone.now())
    IdempotencyKey.objects.filter(user=gone).update(created_at=timezone.now() - KEPT)
    clean_up()
    old.refresh_from_db()
    assert old.detail == {"limit": "name"}
    assert list(UserSession.objects.values_list("user", flat=True)) == [stays.pk]
    assert list(IdempotencyKey.objects.values_list("user", flat=True)) == [stays.pk]
