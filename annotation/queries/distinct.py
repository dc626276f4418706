"""Queries for tasks of which a writer writes one item about a story, such as narratives of a proverb."""

from collections.abc import Collection
from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import User
from annotation.models import Item, State
from corpus.models import Story
from parable.kinds import codes, kind_of
from projects.models import Project

ENDED: Final = (State.WITHDRAWN, State.REJECTED, State.RETIRED)
"""The states in which an item takes no writer's turn: another item may replace it."""


def is_sole(project: Project, task: str) -> bool:
    """Return whether the project lets a writer write one item of this task about a story."""
    return project.distinct_writers and kind_of(task).one_per_writer


def sole_items(writer: User) -> QuerySet[Item]:
    """Return the writer's items of tasks with one item per writer, except those that have ended."""
    return Item.objects.filter(writer=writer, task__in=codes("one_per_writer")).exclude(state__in=ENDED)


def others_by(writer: User, story: Story | int, task: str) -> QuerySet[Item]:
    """Return the items of this task that the writer has about a story, except those that have ended."""
    return sole_items(writer).filter(story=story, task=task)


def not_written_by(writer: User, projects: Collection[Project]) -> Q:
    """Return a `Q` on `WritingPlaces`: the writer may still write what the writers of the story owe.

    A story with an item by the writer is left out in projects where each writer owes a single item.
    """
    sole = [project.pk for project in projects if project.has_sole_items]
    if not sole:
        return Q()
    return ~(Q(project__in=sole) & Q(Exists(sole_items(writer).filter(story=OuterRef("story")))))
