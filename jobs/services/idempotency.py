"""Stores the response to a client's request, so that repeating the request has no further effect."""

from uuid import UUID

from django.db import connection

from accounts.models import User
from jobs.models import IdempotencyKey


def recall(*, actor: User, key: UUID, operation: str) -> dict[str, object] | None:
    """Return the stored result of this operation, or None if the caller must perform the operation.

    A second request with the same key waits until the first has committed or failed. Call it inside the
    transaction that performs the operation, and `remember` at its end. Raises RuntimeError outside a
    transaction.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("recall belongs inside the transaction that does the work")
    row, created = IdempotencyKey.objects.get_or_create(
        user=actor, key=key, defaults={"operation": operation}
    )
    if created or row.operation != operation:
        return None
    return dict(row.result)


def remember(*, actor: User, key: UUID, result: dict[str, object]) -> None:
    """Store the result of an operation, to be returned for repeated requests."""
    IdempotencyKey.objects.filter(user=actor, key=key).update(result=result)
