"""What is said about an item between its writer, its reviewers and the managers. Reads only."""

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import User
from annotation.models import Cause, Comment, Item, State, Transition
from annotation.queries.contest import CONTESTS, UNDER_CHECK
from annotation.queries.item import my_items
from projects.models import Project


def comments_on(item: Item) -> QuerySet[Comment]:
    """What was said about an item, oldest first."""
    return Comment.objects.filter(item=item).select_related("author", "revision").order_by("pk")


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
