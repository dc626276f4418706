"""Sends deliveries to webhooks, at least once and in order for each object."""

import logging
import time
from datetime import datetime, timedelta
from typing import Final

import orjson
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from accounts.models import User
from accounts.services import record_event
from core.errors import Conflict, require
from events.models import OPEN, Delivery, DeliveryState, Event, Webhook
from events.permissions import may_change_webhooks
from events.queries import HOST_NOT_ALLOWED, REFUSED, due_deliveries, free_webhooks, payload
from events.services.webhook import lock_webhook, secret_of, split_url
from events.signature import signature
from jobs.errors import KEY_UNREADABLE
from jobs.queries import is_host_allowed
from jobs.seal import Unreadable
from parable.llm.errors import LlmError
from parable.llm.post import Reply, post

logger = logging.getLogger(__name__)

TIMEOUT: Final = 10.0
"""The seconds in which a receiver must have answered."""
WAITS: Final = tuple(
    timedelta(seconds=seconds) for seconds in (5, 60, 300, 1800, 7200, 21_600, 43_200, 86_400)
)
"""The time from each failed attempt to the next; after the last one, the delivery is given up."""
LOST_AFTER: Final = timedelta(seconds=30)
"""A delivery that is being sent for so long has lost its worker, and is sent again."""
RUN_SECONDS: Final = 30.0
"""A worker leaves a webhook after this time, so that others have their turn."""
LEASE: Final = timedelta(seconds=60)
MOST_FAILURES: Final = 3
REST: Final = timedelta(seconds=30)
"""After so many failures in a row a receiver is left alone for this time: it is down, and takes a worker."""
SHOWN: Final = 500
"""The characters of a response that are stored."""
KEPT_FOR: Final = timedelta(days=90)
MOST_FORGOTTEN: Final = 5000


def deliver(*, webhook_id: int) -> int:
    """Send the due deliveries of a webhook; return the number of attempts.

    Does nothing if the webhook is paused or another worker has it. Each attempt is recorded before and after
    it in a transaction of its own: if the worker is lost in between, the delivery is sent once more.
    """
    webhook = _take(webhook_id)
    if webhook is None:
        return 0
    end, attempts, failures = time.monotonic() + RUN_SECONDS, 0, 0
    try:
        while failures < MOST_FAILURES and time.monotonic() < end:
            delivery = _claim(webhook)
            if delivery is None:
                break
            attempts += 1
            failures = 0 if _attempt(webhook, delivery) else failures + 1
    finally:
        rests = timezone.now() + REST if failures >= MOST_FAILURES else None
        Webhook.objects.filter(pk=webhook.pk, busy_until=webhook.busy_until).update(busy_until=rests)
    return attempts


def _take(webhook_id: int) -> Webhook | None:
    """Mark the webhook as busy and return it; None if it is paused or busy."""
    until = timezone.now() + LEASE
    if not free_webhooks().filter(pk=webhook_id).update(busy_until=until):
        return None
    return Webhook.objects.select_related("project").get(pk=webhook_id)


@transaction.atomic
def _claim(webhook: Webhook) -> Delivery | None:
    """Return the next due delivery, recorded as being sent. Return None if there is none.

    The webhook is read again: it may have been paused, changed or deleted meanwhile.
    """
    current = Webhook.objects.select_for_update(no_key=True).filter(pk=webhook.pk, is_active=True).first()
    if current is None:
        return None
    webhook.url, webhook.sealed = current.url, current.sealed
    due = due_deliveries().filter(webhook=webhook).select_for_update(of=("self",), skip_locked=True)
    delivery = due.select_related("event").first()
    if delivery is None:
        return None
    delivery.state, delivery.attempts = DeliveryState.SENDING, delivery.attempts + 1
    delivery.next_at = timezone.now() + LOST_AFTER
    delivery.save(update_fields=["state", "attempts", "next_at"])
    return delivery


def _attempt(webhook: Webhook, delivery: Delivery) -> bool:
    """Send a claimed delivery once and record the result; return whether it was delivered."""
    began = time.perf_counter()
    reply, code = None, ""
    try:
        reply = _send(webhook, delivery.event)
    except LlmError as error:
        code = error.code
    except Unreadable:
        code = KEY_UNREADABLE
    except _HostNotAllowed:
        code = HOST_NOT_ALLOWED
    if reply is not None and not 200 <= reply.status < 300:
        code = "redirected" if 300 <= reply.status < 400 else REFUSED
    _record(delivery, reply, code, round(time.perf_counter() - began, 3))
    return not code


class _HostNotAllowed(Exception):
    """Raised if no administrator allows the host of a webhook any more."""


@sensitive_variables("secret")
def _send(webhook: Webhook, event: Event) -> Reply:
    server, path = split_url(webhook.url)
    if not is_host_allowed(server):
        raise _HostNotAllowed
    secret = secret_of(webhook)
    body = orjson.dumps(payload(event, webhook.project.slug))
    name, now = f"event_{event.position}", int(time.time())
    headers = {
        "content-type": "application/json",
        "webhook-id": name,
        "webhook-timestamp": str(now),
        "webhook-signature": signature(secret=secret, message_id=name, timestamp=now, body=body),
    }
    return post(
        str(server),
        path,
        content=body,
        headers=headers,
        timeout=TIMEOUT,
        allowed_hosts=settings.LLM_ALLOW_PRIVATE,
    )


@transaction.atomic
def _record(delivery: Delivery, reply: Reply | None, code: str, seconds: float) -> None:
    """Record the result of an attempt.

    A success ends the delivery even if it counted as lost and another worker has it; a failure is recorded
    only by the attempt that is the last one.
    """
    now = timezone.now()
    values = {
        "status": reply.status if reply else None,
        "seconds": seconds,
        "reason_code": code,
        "response": reply.beginning[:SHOWN] if reply else "",
    }
    row = Delivery.objects.filter(pk=delivery.pk)
    if not code:
        ended = {"state": DeliveryState.DELIVERED, "next_at": None, "ended_at": now}
        row.filter(state__in=OPEN).update(**values, **ended)
        return
    latest = row.filter(state=DeliveryState.SENDING, attempts=delivery.attempts)
    if delivery.attempts <= len(WAITS):
        again = {"state": DeliveryState.WAITING, "next_at": now + WAITS[delivery.attempts - 1]}
        latest.update(**values, **again)
    else:
        over = {"state": DeliveryState.GIVEN_UP, "next_at": None, "ended_at": now}
        latest.update(**values, **over)
        logger.warning("delivery %d of webhook %d is given up: %s", delivery.pk, delivery.webhook_id, code)


@transaction.atomic
def send_again(*, actor: User, webhook: Webhook, delivery: Delivery) -> Delivery:
    """Send the event of a delivery that has ended once more, after what is waiting. Managers only.

    Raise `Conflict` if the delivery has not ended, or has been sent again already and that has not ended.
    """
    require(may_change_webhooks(actor, webhook.project))
    lock_webhook(webhook)
    row = Delivery.objects.select_for_update().get(pk=delivery.pk)
    if Delivery.objects.filter(webhook=webhook, event=row.event_id, state__in=OPEN).exists():
        raise Conflict(_("This event is already waiting to be sent."))
    now = timezone.now()
    row.repeated_at = now
    row.save(update_fields=["repeated_at"])
    again = Delivery.objects.create(
        webhook=webhook, event=delivery.event, about=row.about, next_at=now, is_repeat=True
    )
    record_event(actor=actor, verb="repeat_delivery", subject=webhook, detail={"event": row.event_id})
    return again


@transaction.atomic
def forget_old_events(*, now: datetime | None = None) -> int:
    """Delete events older than 90 days, with their deliveries; return the number of events.

    The newest event is never deleted, since the next position follows from it.
    """
    before = (now or timezone.now()) - KEPT_FOR
    placed = Event.objects.filter(position__isnull=False)
    newest = placed.order_by("-position").values("pk")[:1]
    oldest = placed.exclude(pk__in=newest).order_by("position").values_list("pk", "at")[:MOST_FORGOTTEN]
    old = [pk for pk, at in oldest if at < before]
    # what is older than the time for which events are kept, as the documentation says
    Delivery.objects.filter(event__in=old).delete()
    # as above
    return Event.objects.filter(pk__in=old).delete()[0]
