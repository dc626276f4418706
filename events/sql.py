"""SQL statements that give events their positions and make deliveries. See `services.order`."""

from typing import Final

LOCK: Final = "SELECT pg_try_advisory_xact_lock(4135001)"

LAST: Final = "SELECT coalesce(max(position), 0) FROM events_event"

PLACE: Final = """
UPDATE events_event AS event SET position = %(last)s + fresh.number
FROM (
    SELECT id, row_number() OVER (ORDER BY id) AS number
    FROM (
        SELECT id FROM events_event WHERE position IS NULL ORDER BY id LIMIT %(most)s
    ) AS oldest
) AS fresh
WHERE event.id = fresh.id
"""
"""Gives the committed events without a position the next ones, in the order of their ids.

The changes of one object wait for each other, so their ids are in the order of the commits.
"""

FAN_OUT: Final = """
INSERT INTO events_delivery (
    webhook_id, event_id, about, state, attempts, next_at, reason_code, response, created_at, is_repeat
)
SELECT webhook.id, event.id, event.object_type || '/' || event.object_id, 'waiting', 0, now(), '', '', now(),
    false
FROM events_event AS event
JOIN events_webhook AS webhook ON webhook.project_id = event.project_id
    AND webhook.is_active AND event.kind = ANY(webhook.types) AND webhook.created_at <= event.at
WHERE event.position > %(last)s
ORDER BY event.position, webhook.id
"""
