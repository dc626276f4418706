"""Queries of the decisions that a writer may contest; an item can be contested once."""

from typing import Final, Literal, TypeAlias

from accounts.models import User
from annotation.models import Cause, Item, State

Contest: TypeAlias = Literal["rejection", "edit", ""]

CONTESTS: Final = (Cause.CONTESTED, Cause.CONTESTED_EDIT)

UNDER_CHECK: Final = (State.IN_REVIEW, State.IN_VERIFICATION)


def was_contested(item: Item) -> bool:
    """Return whether the writer has already contested a decision about the item."""
    return item.transitions.filter(cause__in=CONTESTS).exists()


def stands_as_edited(item: Item) -> bool:
    """Return whether the item's current wording is a reviewer's edit that is still under review."""
    return (
        item.state in UNDER_CHECK
        and item.transitions.filter(cause=Cause.EDIT_ADOPTED, revision=item.current_id).exists()
    )


def contestable(user: User, item: Item) -> Contest:
    """Return the decision that the user may contest now: "rejection", "edit", or "" for none."""
    if item.writer_id != user.pk or was_contested(item):
        return ""
    if item.state == State.REJECTED:
        return "rejection"
    return "edit" if stands_as_edited(item) else ""
