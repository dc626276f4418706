"""The Celery tasks of this app. They only trigger work; the rows define what is to be done."""

from __future__ import annotations

from typing import Final

from celery import shared_task

from events import services
from events.queries import due_webhooks

EXPIRES: Final = 10
"""The seconds after which a message to a worker is dropped."""


@shared_task
def sweep_events() -> None:
    """Order the new events, and send a worker to each webhook with deliveries that are due."""
    services.order_events()
    for webhook_id in due_webhooks():
        # the next sweep sends another message, so that none piles up where no worker runs
        deliver.apply_async((webhook_id,), expires=EXPIRES)


@shared_task
def deliver(webhook_id: int) -> None:
    """Send the due deliveries of a webhook. Does nothing if another worker does."""
    services.deliver(webhook_id=webhook_id)


@shared_task
def forget_old_events() -> None:
    """Delete events, and their deliveries, after 90 days."""
    services.forget_old_events()
