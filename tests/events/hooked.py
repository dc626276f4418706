"""What tests of webhooks do again and again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.db.models import F

from events import services
from events.models import Delivery, EventKind, Webhook
from events.queries import due_webhooks
from events.services import NewEvent, order_events, publish
from tests.events.receiver import Receiver
from tests.factories import Cast


def hook(cast: Cast, receiver: Receiver, types: Sequence[str] = tuple(EventKind.values)) -> services.Created:
    """A webhook of the cast's project that sends to the receiver."""
    return services.create_webhook(actor=cast.manager, project=cast.project, url=receiver.url, types=types)


def happen(cast: Cast, *objects: int, kind: str = EventKind.ITEM_VERIFIED) -> None:
    """Publish an event about each of these objects."""
    publish([NewEvent(cast.project.pk, kind, number) for number in objects])


def sweep() -> int:
    """Do what the periodic task and the workers do; return the number of attempts."""
    order_events()
    return sum(services.deliver(webhook_id=number) for number in due_webhooks())


def wait(seconds: float) -> None:
    """Let time pass for the deliveries and for receivers that rest."""
    earlier = timedelta(seconds=seconds)
    Delivery.objects.filter(next_at__isnull=False).update(next_at=F("next_at") - earlier)
    Webhook.objects.filter(busy_until__isnull=False).update(busy_until=F("busy_until") - earlier)
