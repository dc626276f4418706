"""Queries of pilots, and of items written under older guidelines. Reads only."""

from typing import Final

from django.db import connection
from django.db.models import Count, Exists, F, OuterRef, Prefetch, Q, QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.models import Cause, Item, Pilot, PilotStory, State, Transition
from core.errors import Hidden
from projects.models import Project
from projects.queries import current_guideline
from web.cached_counts import COUNTED_ANEW, cached, named

WITHHELD_FROM: Final = """ARRAY(
    SELECT link.story_id FROM annotation_pilot AS pilot
    JOIN annotation_pilot_writers AS writer ON writer.pilot_id = pilot.id
    JOIN annotation_pilotstory AS link ON link.pilot_id = pilot.id
    WHERE pilot.project_id = %(project)s AND pilot.ended_at IS NULL AND writer.user_id = %(user)s
    ORDER BY link.id
)"""
"""An SQL expression for the result of `stories_withheld_from`, with parameters `user` and `project`."""


def pilots(project: Project) -> QuerySet[Pilot]:
    """Return the project's pilots, newest first, with their numbers of stories and writers."""
    return (
        Pilot.objects.filter(project=project)
        .select_related("guideline", "created_by")
        .annotate(
            story_count=Count("links", distinct=True),
            writer_count=Count("writers", distinct=True),
        )
        .order_by("-pk")
    )


def get_pilot(*, project: Project, pk: int) -> Pilot:
    """Return a pilot with its stories, as `links`, and its writers. Raise `Hidden` if there is none."""
    links = PilotStory.objects.select_related("story__current").order_by("pk")
    found = pilots(project).filter(pk=pk).prefetch_related(Prefetch("links", links), "writers").first()
    if found is None:
        raise Hidden(_("Pilot not found."))
    return found


def stories_withheld_from(user: User, project: Project) -> list[int]:
    """Return the ids of the stories of the user's running pilots. Items of others about them are hidden."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {WITHHELD_FROM}", {"user": user.pk, "project": project.pk})
        withheld: list[int] = cursor.fetchone()[0]
    return withheld


def visible_to(user: User, item: str) -> Q:
    """Return a `Q` that excludes other writers' items about the stories of the user's running pilots.

    `item` is the lookup from the filtered rows to the item, such as `revision__item`.
    """
    kept_from = PilotStory.objects.filter(
        story=OuterRef(f"{item}__story"), pilot__ended_at=None, pilot__writers=user
    )
    return Q(**{f"{item}__writer": user}) | Q(~Exists(kept_from))


def items_of_pilot(pilot: Pilot, story: int) -> QuerySet[Item]:
    """Return the items that the pilot's writers submitted about a story, ordered by writer and age."""
    return (
        Item.objects.filter(story=story, writer__in=pilot.writers.all())
        .exclude(state=State.WITHDRAWN)
        .exclude(current=None)
        .select_related("story", "writer", "current")
        .prefetch_related("current__options", "current__types")
        .order_by("writer__name", "writer", "pk")
    )


def older_items(project: Project, *, task: str = "", kind: str = "") -> QuerySet[Item]:
    """Return the verified items worded under an older guideline or without one, oldest first.

    Items sent to review again since the current guideline was published are excluded.
    """
    guideline = current_guideline(project)
    if guideline is None:
        return Item.objects.none()
    looked_at = Transition.objects.filter(
        item=OuterRef("pk"), cause=Cause.ANOTHER_LOOK, at__gte=guideline.published_at
    )
    found = Item.objects.filter(project=project, state=State.VERIFIED).filter(
        Q(current__guideline=None) | Q(current__guideline__number__lt=guideline.number)
    )
    if task:
        found = found.filter(task=task)
    if kind:
        found = found.filter(current__types__code=kind)
    return found.exclude(Exists(looked_at)).order_by("pk")


def older_counts(project: Project, *, task: str = "", kind: str = "") -> list[tuple[int | None, int]]:
    """Count the `older_items` by version of the guideline, oldest version first.

    The version is None for items without a guideline. Large counts are cached for a minute, or until items
    are sent to review again.
    """
    return cached(
        older_name(project, task=task, kind=kind),
        lambda: _older_counts(project, task, kind),
        is_large=lambda rows: sum(n for _number, n in rows) > COUNTED_ANEW,
    )


def older_name(project: Project, *, task: str = "", kind: str = "") -> str:
    """Return the cache key of `older_counts`."""
    return named("older:1", project, task, kind)


def _older_counts(project: Project, task: str, kind: str) -> list[tuple[int | None, int]]:
    counted = (
        older_items(project, task=task, kind=kind)
        .order_by()
        .values_list("current__guideline__number")
        .annotate(n=Count("pk"))
    )
    return list(counted.order_by(F("current__guideline__number").asc(nulls_first=True)))
