"""Queries of stories reserved for a type or a writer."""

from collections.abc import Iterable
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import User
from annotation.models import Reservation, WritingAssignment
from projects.models import Membership, Project
from projects.permissions import Permission, roles_with


def reservations(project: Project) -> QuerySet[Reservation]:
    """Return all reservations of the project, newest first.

    The relations that lists need are joined.
    """
    found = Reservation.objects.filter(story__project=project)
    return found.select_related("story__current", "type", "writer").order_by("-pk")


def open_reservations() -> QuerySet[Reservation]:
    """Return the reservations for writers that are in effect, unordered.

    The writer may still write in the project, and was never assigned the story.
    """
    had = WritingAssignment.objects.filter(story=OuterRef("story"), writer=OuterRef("writer"))
    writes = Membership.objects.filter(
        project=OuterRef("story__project"), user=OuterRef("writer"), role__in=roles_with(Permission.WRITE)
    )
    found = Reservation.objects.filter(writer__isnull=False)
    return found.order_by().filter(Exists(writes), ~Exists(had))


def reserved_for_others(writer: User, story: OuterRef | int) -> QuerySet[Reservation]:
    """Return other writers' reservations of a story, except those made after this writer's reservation.

    So if more writers have a reservation than the story needs, the earliest reservations count.
    """
    mine = open_reservations().filter(story=OuterRef("story"), writer=writer, pk__lt=OuterRef("pk"))
    return open_reservations().filter(~Exists(mine), story=story).exclude(writer=writer)


def held_back_for(writer: User, projects: Iterable[Project]) -> list[int]:
    """Return the ids of the stories that are held back but reserved for this writer."""
    found = open_reservations().filter(
        writer=writer, story__project__in=projects, story__places__is_held_back=True
    )
    return list(found.values_list("story", flat=True).distinct())


class TypeReserved(NamedTuple):
    """A reservation of a story for a type; `writer` is None if it applies to all writers of the story."""

    story: int
    type: int
    writer: int | None


def reserved_types(stories: Iterable[int]) -> list[TypeReserved]:
    """Return the reservations of these stories for types that are in use.

    A reservation has no effect once its writer may no longer write in the project or has given the story
    back.
    """
    found = Reservation.objects.filter(story__in=list(stories), type__retired_at=None, type__isnull=False)
    writes = Membership.objects.filter(
        project=OuterRef("story__project"), user=OuterRef("writer"), role__in=roles_with(Permission.WRITE)
    )
    back = WritingAssignment.objects.filter(
        story=OuterRef("story"), writer=OuterRef("writer"), given_back_at__isnull=False
    )
    found = found.filter(Q(writer=None) | Exists(writes) & ~Exists(back))
    return [TypeReserved(*row) for row in found.order_by("pk").values_list("story", "type", "writer")]
