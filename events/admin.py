"""Read-only admin pages of events, webhooks and deliveries."""

from __future__ import annotations

from events.models import Delivery, Event, Webhook
from web.admin import show_rows

show_rows(Event, "id position project kind object_type object_id at", filters="kind", search="project__slug")
show_rows(
    Webhook,
    "url project is_active created_by created_at",
    filters="is_active",
    search="url project__slug",
    only="project url types is_active created_by created_at",
)
show_rows(
    Delivery,
    "id webhook event state attempts status reason_code ended_at",
    filters="state",
    search="webhook__url",
)
