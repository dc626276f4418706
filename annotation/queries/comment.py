"""Queries of comments on an item by its writer, its reviewers and the managers. Reads only."""

from collections.abc import Collection
from typing import NamedTuple

from django.db.models import Exists, F, OuterRef, QuerySet, Subquery

from accounts.models import User
from annotation.hooks import Judgements
from annotation.models import Cause, Comment, Item, State, Transition
from annotation.queries.contest import CONTESTS, UNDER_CHECK
from annotation.queries.item import my_items
from projects.models import Project


def comments_on(item: Item) -> QuerySet[Comment]:
    """Return the comments on an item, oldest first."""
    return Comment.objects.filter(item=item).select_related("author", "revision").order_by("pk")


def commented_since_return(item: Item, people: Collection[int]) -> bool:
    """Return whether one of these users has commented on the item since its last return."""
    moves = Transition.objects.filter(item=item, to_state=State.RETURNED).order_by("-pk")
    return comments_on(item).filter(author__in=people, at__gt=Subquery(moves.values("at")[:1])).exists()


class Note(NamedTuple):
    """A comment on one part of an item; `author` is "" for a reviewer."""

    place: str
    text: str
    flaws: tuple[str, ...] = ()
    author: str = ""


def notes_by_place(item: Item, judgements: Judgements) -> dict[str, list[Note]]:
    """Return the comments on parts of an item's current wording, by part; reviewers' comments come first."""
    found = [
        Note(one.about, one.comment, tuple(one.flaw_labels))
        for revision, findings in judgements
        if revision.pk == item.current_id
        for one in findings
        if one.about and (one.comment or one.flaw_labels)
    ]
    comments = comments_on(item).filter(revision=item.current_id).exclude(about="")
    found += [Note(one.about, one.text, author=str(one.author)) for one in comments]
    notes: dict[str, list[Note]] = {}
    for note in found:
        notes.setdefault(note.place, []).append(note)
    return notes


def decided_against(user: User, project: Project) -> QuerySet[Item]:
    """Return this writer's items with a rejection or an edit that the writer may still contest.

    Newest first. The state of an item shows whether it was rejected or edited.
    """
    mine = Item.objects.filter(writer=user, project=project)
    edits = Transition.objects.filter(cause=Cause.EDIT_ADOPTED, revision=F("item__current"))
    edited = edits.filter(item__in=mine.filter(state__in=UNDER_CHECK))
    contested = Transition.objects.filter(item=OuterRef("pk"), cause__in=CONTESTS)
    # a union of two queries, each with its own index: one condition would read all items of this writer
    decided = mine.filter(state=State.REJECTED).values("pk").union(edited.values("item"))
    return my_items(user, project).filter(pk__in=decided).exclude(Exists(contested))
