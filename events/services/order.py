"""Gives committed events their positions, and makes the deliveries of webhooks."""

from typing import Final

from django.db import connection, transaction

from events.sql import FAN_OUT, LAST, LOCK, PLACE

MOST: Final = 5000
"""The most events that are ordered in one transaction."""


@transaction.atomic
def order_events() -> int:
    """Give the next events their positions, and make deliveries of them; return the number of events.

    A lock admits one process at a time until its commit. So events get positions in the order in which they
    become visible, and a reader who has seen a position has seen all before it. An event whose transaction
    is still running gets a later position. The last position is that of the newest event, which is never
    deleted, so that positions grow even in an archive that was restored.
    """
    with connection.cursor() as cursor:
        cursor.execute(LOCK)
        if not (cursor.fetchone() or (False,))[0]:
            return 0  # another process does it
        cursor.execute(LAST)
        (last,) = cursor.fetchone() or (0,)
        cursor.execute(PLACE, {"last": last, "most": MOST})
        count: int = cursor.rowcount
        if count:
            cursor.execute(FAN_OUT, {"last": last})
    return count
