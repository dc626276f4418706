"""Queries of counts in the inbox of writers and managers.

Each is one statement for all projects.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date

from django.db.models import Count, Exists, OuterRef, Prefetch, QuerySet

from accounts.models import User
from annotation.lifecycle import NOT_OWED
from annotation.models import Item, ItemDraft, State, Transition, WritingPlaces
from annotation.queries.assignment import (
    AssignedWork,
    Limits,
    assigned_work,
    is_handed_out,
    never_had_by,
    with_place,
)
from annotation.queries.item import items_of
from annotation.queries.reservation import held_back_for
from parable.kinds import codes
from projects.models import Project


@dataclass(frozen=True, slots=True)
class Writing:
    """One writer's open work in a project; `due` is the earliest due date of the unfinished stories."""

    owed: int = 0
    written: int = 0
    overdue: int = 0
    due: date | None = None
    drafts: int = 0
    may_take: bool = False

    @property
    def left(self) -> int:
        """The number of items still to write."""
        return self.owed - self.written


def writing_in(user: User, projects: Collection[Project]) -> dict[int, Writing]:
    """Return this writer's open work in each project, by project id."""
    held = assigned_work(projects, user)
    living = ItemDraft.objects.filter(writer=user, project__in=projects, deleted_at=None, submitted_as=None)
    drafts = dict(living.order_by().values_list("project").annotate(n=Count("pk")))
    free = _free(user, projects)
    written: dict[int, int] = {}
    if limited := [project for project in projects if project.most_items_per_person]:
        mine = Item.objects.filter(project__in=limited, writer=user, task__in=codes("is_owed"))
        counted = mine.exclude(state__in=NOT_OWED).order_by().values_list("project").annotate(n=Count("pk"))
        written = dict(counted)
    found = {}
    for project in projects:
        row = held.get((project.pk, user.pk), AssignedWork())
        owed = row.stories * project.items_per_writer
        limits = Limits(
            assigned=row.unfinished, most_assigned=project.most_stories_in_hand,
            written=written.get(project.pk, 0), owed=owed - row.written, per_story=project.items_per_writer,
            most_items=project.most_items_per_person,
        )  # fmt: skip
        found[project.pk] = Writing(
            owed=owed, written=row.written, overdue=row.overdue, due=row.due,
            drafts=drafts.get(project.pk, 0), may_take=project.pk in free and not limits.reached,
        )  # fmt: skip
    return found


def _free(user: User, projects: Collection[Project]) -> set[int]:
    places = WritingPlaces.objects.filter(project=OuterRef("pk"))
    handed_out = places.filter(is_handed_out(held_back_for(user, projects)), never_had_by(user))
    free = with_place(handed_out, user, OuterRef("writers_per_story"))
    found = Project.objects.filter(Exists(free), pk__in=[project.pk for project in projects])
    return set(found.order_by().values_list("pk", flat=True))


def returned_in(user: User, projects: Collection[Project], *, most: int) -> QuerySet[Item]:
    """Return this writer's returned items, newest first.

    `returns` of an item are its transitions to the state `returned`.
    """
    moves = Transition.objects.filter(to_state=State.RETURNED).order_by("-pk")
    mine = items_of(projects).filter(writer=user, state=State.RETURNED)
    return mine.prefetch_related(Prefetch("transitions", moves, to_attr="returns")).order_by("-pk")[:most]


def returned_counts(user: User, projects: Collection[Project]) -> dict[int, int]:
    """Return the number of items that this writer must revise, by project id."""
    mine = Item.objects.filter(project__in=projects, writer=user, state=State.RETURNED)
    return dict(mine.order_by().values_list("project").annotate(n=Count("pk")))
