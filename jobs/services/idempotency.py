"""What a client's operation answered the first time, so that sending it again does nothing more."""

from uuid import UUID

from django.db import connection

from accounts.models import User
from jobs.models import IdempotencyKey


def recall(*, actor: User, key: UUID, operation: str) -> dict[str, object] | None:
    """What this operation answered before, or None: then it is this transaction's to do.

    A second one with the same key waits until the first has committed or failed. Call it inside the
    transaction that does the work, and `remember` at its end.
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
    """Keep what the operation answered."""
    IdempotencyKey.objects.filter(user=actor, key=key).update(result=result)
