"""Stores the first response to a client's request, so that repeating the request has no further effect."""

from datetime import timedelta
from typing import Any, Final

from django.db import connection
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import IdempotencyKey, User
from core.errors import Unprocessable

KEPT: Final = timedelta(hours=24)
"""The time for which a response is stored; the same key is a new request afterwards."""


def recall(*, actor: User, key: str, operation: str, digest: str) -> IdempotencyKey:
    """Return the row of this key, with the first response if there was one.

    A second request with the same key waits until the first has committed or failed. Must be called inside
    the transaction that performs the operation. Raise `Unprocessable` if the key was sent with another
    request.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("recall must be called inside the transaction that performs the operation")
    named = {"operation": operation, "digest": digest}
    row, _created = IdempotencyKey.objects.get_or_create(user=actor, key=key, defaults=named)
    if (row.operation, row.digest) != (operation, digest):
        raise Unprocessable(_("This Idempotency-Key was already sent with another request."))
    return row


def remember(*, row: IdempotencyKey, status: int, body: Any, headers: dict[str, str]) -> None:
    """Store the response for repeated requests."""
    IdempotencyKey.objects.filter(pk=row.pk).update(status=status, body=body, headers=headers)


def forget_responses() -> int:
    """Delete responses that are older than a day, and return their number."""
    # nobody sends a request again after a day
    return IdempotencyKey.objects.filter(created_at__lt=timezone.now() - KEPT).delete()[0]
