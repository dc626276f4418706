"""What is said about an item between its writer, its reviewers and the managers. Reads only."""

from typing import Final, Literal, TypeAlias

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import User
from annotation.models import Cause, Comment, Item, State, Transition
from annotation.queries.item import my_items
from projects.models import Project

Contest: TypeAlias = Literal["rejection", "edit", ""]

CONTESTS: Final = (Cause.CONTESTED, Cause.CONTESTED_EDIT)
UNDER_CHECK: Final = (State.IN_REVIEW, State.IN_VERIFICATION)


def comments_on(item: Item) -> QuerySet[Comment]:
    """What was said about an item, oldest first."""
    return Comment.objects.filter(item=item).select_related("author", "revision").order_by("pk")


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


def decided_against(user: User, project: Project) -> QuerySet[Item]:
    """This writer's items that were rejected or reworded by a reviewer, as far as they may contest it.

    Newest first; `state` tells which it is.
    """
    moves = Transition.objects.filter(item=OuterRef("pk"))
    edited = moves.filter(cause=Cause.EDIT_ADOPTED, revision=OuterRef("current"))
    return (
        my_items(user, project)
        .filter(Q(state=State.REJECTED) | Q(Exists(edited), state__in=UNDER_CHECK))
        .exclude(Exists(moves.filter(cause__in=CONTESTS)))
    )
