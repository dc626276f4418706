"""The interface of a list's bulk actions: functions that apply an action to rows and undo it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import transaction

from accounts.models import User
from core.errors import ParableError
from core.invariants import present
from dashboard.models import BulkAction

Change = list[Any]
"""A changed row: its id, then the data needed to undo the change."""

Row = TypeVar("Row")


Do = Callable[[BulkAction, Sequence[int]], list[Change]]
"""A function that applies a bulk action to some of its rows and returns the changed rows."""


@dataclass(frozen=True, slots=True)
class RowActions:
    """The bulk actions of one list, and the functions that apply and undo them.

    Undoing skips rows that have changed since. `asks_reason` has the actions that need a reason, `final`
    those that cannot be undone.
    """

    verbs: tuple[str, ...]
    do: Do
    undo: Do
    asks_reason: tuple[str, ...] = ()
    final: tuple[str, ...] = ()


def each(rows: Iterable[Row], act: Callable[[Row], Change | None]) -> list[Change]:
    """Call `act` for each row and return the changes. Rows that are unchanged or refused are left out."""
    return [change for row in rows if (change := _try(row, act)) is not None]


def _try(row: Row, act: Callable[[Row], Change | None]) -> Change | None:
    try:
        with transaction.atomic():
            return act(row)
    except ParableError:
        return None


def before_of(bulk: BulkAction) -> dict[int, Any]:
    """Return the undo data of the action that `bulk` undoes, by row id."""
    return dict(present(bulk.undoes, "the caller has looked").changed)


def receiver_of(bulk: BulkAction) -> User:
    """Return the user who is assigned the rows of the action."""
    return present(bulk.receiver, "a check constraint requires one")
