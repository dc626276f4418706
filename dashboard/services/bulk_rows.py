"""What a bulk action needs of a list: how each thing is done to its rows, and taken back."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import transaction

from accounts.models import User
from core.errors import ParableError
from core.invariants import present
from dashboard.models import BulkAction

Change = list[Any]
"""A row that changed, by number, and what takes that back."""

Row = TypeVar("Row")


Do = Callable[[BulkAction, Sequence[int]], list[Change]]
"""Does what a bulk action says to some of its rows; answers which changed."""


@dataclass(frozen=True, slots=True)
class RowActions:
    """What can be done to many rows of one list. Rows that have moved on since are left alone.

    `final` are verbs that cannot be undone.
    """

    verbs: tuple[str, ...]
    do: Do
    undo: Do
    asks_reason: tuple[str, ...] = ()
    final: tuple[str, ...] = ()


def each(rows: Iterable[Row], act: Callable[[Row], Change | None]) -> list[Change]:
    """What changed, of rows that are done with one by one; one that a service refuses stays as it is."""
    return [change for row in rows if (change := _try(row, act)) is not None]


def _try(row: Row, act: Callable[[Row], Change | None]) -> Change | None:
    try:
        with transaction.atomic():
            return act(row)
    except ParableError:
        return None


def before_of(bulk: BulkAction) -> dict[int, Any]:
    """By row what takes back the action that is being undone."""
    return dict(present(bulk.undoes, "the caller has looked").changed)


def receiver_of(bulk: BulkAction) -> User:
    """The person to whom rows are assigned."""
    return present(bulk.receiver, "a check constraint requires one")
