"""What a writer may contest, once an item. Reads only."""

from typing import Final, Literal, TypeAlias

from accounts.models import User
from annotation.models import Cause, Item, State

Contest: TypeAlias = Literal["rejection", "edit", ""]

CONTESTS: Final = (Cause.CONTESTED, Cause.CONTESTED_EDIT)

UNDER_CHECK: Final = (State.IN_REVIEW, State.IN_VERIFICATION)


def was_contested(item: Item) -> bool:
    """Whether the writer has used the one contest that an item has."""
    return item.transitions.filter(cause__in=CONTESTS).exists()


def stands_as_edited(item: Item) -> bool:
    """Whether the wording that is being checked now is a reviewer's."""
    return (
        item.state in UNDER_CHECK
        and item.transitions.filter(cause=Cause.EDIT_ADOPTED, revision=item.current_id).exists()
    )


def contestable(user: User, item: Item) -> Contest:
    """What this person may contest about the item now: its rejection, an adopted edit, or nothing."""
    if item.writer_id != user.pk or was_contested(item):
        return ""
    if item.state == State.REJECTED:
        return "rejection"
    return "edit" if stands_as_edited(item) else ""
