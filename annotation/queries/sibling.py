"""Queries of the items with which the checks compare an item.

These are the other items about its story, and the writer's own items.
"""

from typing import Final

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import F, Q, QuerySet

from accounts.models import User
from annotation.models import Item, Revision, State
from annotation.queries.pilot import visible_to
from corpus.models import Story
from parable.kinds import codes, kind_of
from parable.quality.item import ItemView, OptionView, SiblingView
from parable.quality.shares import Shares, shares
from projects.models import Project
from web.cached_counts import cached, named

MOST_SIBLINGS: Final = 200
MOST_OWN: Final = 200
_OUT: Final = (State.WITHDRAWN, State.REJECTED, State.RETIRED)


def siblings_of(
    story: Story, item: Item | None, task: str, reader: User | None = None
) -> tuple[SiblingView, ...]:
    """Return the newest `MOST_SIBLINGS` other items about a story that are in use.

    Their keys are included if items of the task share the key. `reader` is the user who sees the result;
    items that a running pilot hides from this user are excluded.
    """
    current = Revision.objects.filter(item__current=F("pk")).exclude(item__state__in=_OUT).order_by("-item")
    found = current.filter(item__story=story).exclude(item=item.pk if item else None)
    if reader is not None:
        found = found.filter(visible_to(reader, "item"))
    is_shared = Q(options__is_key=True, item__task=task, item__task__in=codes("exposed_by_story"))
    texts = found.annotate(
        texts=ArrayAgg("options__text", order_by="options__position"),
        keys=ArrayAgg("options__text", filter=is_shared),
    )
    rows = texts.values_list("stem", "texts", "keys", "item")[:MOST_SIBLINGS]
    return tuple(
        SiblingView(stem, tuple(filter(None, options)), keys[0] if keys else "", str(item) if keys else "")
        for stem, options, keys, item in rows
    )


def own_items(user: User, project: Project) -> list[ItemView]:
    """Return the newest `MOST_OWN` items that this user submitted, as views for the checks."""
    return _views(_newest(_own(user, project)), project)


def own_shares(user: User, project: Project) -> Shares:
    """Return the statistics that checks need of the user's newest items. They are cached for a minute.

    The cache key has the ids of the items' revisions, whose wordings never change.
    """
    newest = list(_newest(_own(user, project)).order_by("-pk").values_list("pk", flat=True))
    return cached(
        named("shares:1", project, project.moral_stem, *newest),
        lambda: shares(_views(Revision.objects.filter(pk__in=newest), project)),
        is_large=lambda _found: len(newest) == MOST_OWN,
    )


def newest_items(project: Project, task: str) -> list[ItemView]:
    """Return the newest `MOST_OWN` items of a task that are in use in the project, as views for checks."""
    return _views(_newest(Item.objects.filter(project=project, task=task)), project)


def _own(user: User, project: Project) -> QuerySet[Item]:
    return Item.objects.filter(writer=user, project=project)


def _newest(items: QuerySet[Item]) -> QuerySet[Revision]:
    """Return the current revisions of the newest items in use.

    The limit is applied before options are joined.
    """
    living = items.exclude(current=None).exclude(state__in=_OUT).order_by("-pk")
    return Revision.objects.filter(pk__in=living.values("current")[:MOST_OWN])


def _views(wordings: QuerySet[Revision], project: Project) -> list[ItemView]:
    rows = (
        wordings.order_by("-item")
        .annotate(
            texts=ArrayAgg("options__text", order_by="options__position"),
            keys=ArrayAgg("options__is_key", order_by="options__position"),
            task=F("item__task"),
            language=F("item__story__language"),
            story_text=F("story_revision__text"),
        )
        .values("stem", "texts", "keys", "explanation", "task", "language", "story_text")
    )
    return [
        ItemView(
            task=row["task"],
            language=row["language"],
            stem=row["stem"],
            options=tuple(
                OptionView(text, is_key)
                for text, is_key in zip(row["texts"], row["keys"], strict=True)
                if text is not None
            ),
            types=("any",),  # the result is about all items together, and does not depend on their types
            explanation=row["explanation"],
            story=row["story_text"],
            standard_stem=project.moral_stem if kind_of(row["task"]).shares_stem else "",
        )
        for row in rows
    ]
