"""Services of events, webhooks and deliveries."""

from events.services.delivery import deliver, forget_old_events, send_again
from events.services.event import NewEvent, publish, publish_job_end
from events.services.order import order_events
from events.services.webhook import (
    LONGEST_URL,
    Created,
    change_webhook,
    create_webhook,
    delete_webhook,
    lock_webhook,
    replace_secret,
    reseal_secrets,
)

__all__ = [
    "LONGEST_URL",
    "Created",
    "NewEvent",
    "change_webhook",
    "create_webhook",
    "delete_webhook",
    "deliver",
    "forget_old_events",
    "lock_webhook",
    "order_events",
    "publish",
    "publish_job_end",
    "replace_secret",
    "reseal_secrets",
    "send_again",
]
