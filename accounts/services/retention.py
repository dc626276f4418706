"""Services that delete what is no longer needed: addresses of old sign-ins."""

from datetime import timedelta
from typing import Final

from django.db import connection
from django.utils import timezone

ADDRESSES_KEPT: Final = timedelta(days=90)
"""The time for which the audit trail has addresses and browsers; a trigger refuses to remove them earlier."""
_AT_ONCE: Final = 5000
_FORGET: Final = """
UPDATE accounts_auditevent SET detail = detail - 'address' - 'browser'
WHERE id IN (
    SELECT id FROM accounts_auditevent
    WHERE detail ?| ARRAY['address', 'browser'] AND at < %s ORDER BY id LIMIT %s
)
"""


def forget_addresses() -> int:
    """Remove addresses and browsers from audit events older than 90 days; return the number of events."""
    before, count = timezone.now() - ADDRESSES_KEPT, 0
    while True:  # in short transactions
        with connection.cursor() as cursor:
            cursor.execute(_FORGET, [before, _AT_ONCE])
            changed: int = cursor.rowcount
        count += changed
        if changed < _AT_ONCE:
            return count
