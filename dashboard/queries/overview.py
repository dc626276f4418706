"""Queries of the overview: progress of items, long waits, and reasons of rejection. Reads only.

The database counts on each request, with one statement per table. Groups are read page by page.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Count, F, Func, Min, Q, QuerySet
from django.utils import timezone

from annotation.models import Item, State
from projects.models import Project
from review.models import Disposition, Priority, RequestState, Review, ReviewRequest, Stage

SHOWN_STATES: Final = (
    State.IN_REVIEW,
    State.RETURNED,
    State.IN_VERIFICATION,
    State.IN_ADJUDICATION,
    State.VERIFIED,
    State.REJECTED,
    State.WITHDRAWN,
    State.RETIRED,
)

LONG_WAIT: Final = timedelta(days=7)
"""The overview warns about a review request that has waited longer than this."""
BUDGET_LEFT: Final = 0.1
"""The overview warns if less than this share of the project's model budget is left."""

STORY: Final = "story"
TYPE: Final = "type"
WRITER: Final = "writer"
REVIEWER: Final = "reviewer"

GROUPS: Final[Mapping[str, tuple[str, str]]] = {
    # for each grouping, the lookups of the group's id and name
    STORY: ("story_id", "story__current__title"),
    TYPE: ("current__type_links__type_id", "current__type_links__type__name_en"),
    WRITER: ("writer_id", "writer__name"),
    REVIEWER: ("reviews__reviewer_id", "reviews__reviewer__name"),
}


def submitted_items(project: Project, **only: Any) -> QuerySet[Item]:
    """Return the submitted items, filtered by task, style, writer, story, type or reviewer."""
    items = Item.objects.filter(project=project, current__isnull=False)
    lookups = {
        "task": "task",
        "style": "style",
        "writer": "writer",
        "story": "story",
        "type": "current__type_links__type",
    }
    for name, lookup in lookups.items():
        if only.get(name):
            items = items.filter(**{lookup: only[name]})
    if only.get("reviewer"):
        judged = Review.objects.filter(reviewer=only["reviewer"], judged_at__isnull=False)
        items = items.filter(pk__in=judged.values("item"))
    return items


def _by_state(*, distinct: bool = False) -> dict[str, Count]:
    states = {state.value: Q(state=state) for state in SHOWN_STATES}
    return {name: Count("pk", distinct=distinct, filter=only) for name, only in states.items()}


def funnel(items: QuerySet[Item]) -> dict[str, int]:
    """Return the number of items in each state, and their sum as `all`."""
    return items.order_by().aggregate(all=Count("pk"), **_by_state())


def funnel_by(items: QuerySet[Item], group: str) -> QuerySet[Item, Any]:
    """Return the counts of `funnel` by story, type, writer or reviewer, in rows with `key` and `name`.

    An item of two types counts for both types, and an item with two reviewers for both reviewers.
    """
    key, name = GROUPS[group]
    if group == REVIEWER:
        items = items.filter(reviews__judged_at__isnull=False)
    if group == TYPE:
        items = items.filter(current__type_links__isnull=False)
    named = items.order_by().values(key=F(key), name=F(name))
    # only a join with reviews can repeat an item within a group; counting distinct items takes twice as long
    distinct = group == REVIEWER
    counted = named.annotate(all=Count("pk", distinct=distinct), **_by_state(distinct=distinct))
    return counted.order_by("-all", "key")


@dataclass(frozen=True, slots=True)
class Oldest:
    """The number of a stage's waiting requests, and the time when the oldest began to wait."""

    stage: str
    waiting: int
    since: datetime | None

    @property
    def has_waited_long(self) -> bool:
        """Return whether the oldest request has waited so long that a manager should act."""
        return self.since is not None and timezone.now() - self.since > LONG_WAIT


def oldest_waiting(project: Project) -> list[Oldest]:
    """Return, for each stage, the number of waiting requests and the time when the oldest was opened."""
    requests = ReviewRequest.objects.filter(
        project=project, state__in=[RequestState.OPEN, RequestState.CLAIMED]
    ).order_by()
    rows = requests.values("stage").annotate(n=Count("pk"), since=Min("opened_at"))
    found = {row["stage"]: Oldest(row["stage"], row["n"], row["since"]) for row in rows}
    return [found.get(stage.value, Oldest(stage, 0, None)) for stage in Stage]


def waiting_items(items: QuerySet[Item]) -> tuple[int, int]:
    """Return (number of `items` that wait in a queue, number of these with raised priority)."""
    requests = ReviewRequest.objects.filter(
        item__in=items.order_by().values("pk"), state__in=[RequestState.OPEN, RequestState.CLAIMED]
    )
    first = Count("item", distinct=True, filter=Q(priority__gte=Priority.FIRST))
    found = requests.aggregate(n=Count("item", distinct=True), first=first)
    return found["n"], found["first"]


def fell_for(flaw: str = "") -> QuerySet[Review]:
    """Return the verdicts that rejected or returned an item.

    With `flaw`, only verdicts that name this flaw.
    """
    fell = Review.objects.filter(
        judged_at__isnull=False, disposition__in=[Disposition.REJECT, Disposition.RETURN]
    )
    return fell.filter(flaws__contains=[flaw]) if flaw else fell


def causes_of_rejection(items: QuerySet[Item]) -> list[tuple[str, int]]:
    """Return (flaw, number of items rejected or returned for it) of these items, most frequent first."""
    verdicts = fell_for().filter(item__in=items.order_by().values("pk"))
    flaws = verdicts.order_by().annotate(flaw=Func(F("flaws"), function="unnest")).values("flaw", "item")
    counted = flaws.values("flaw").annotate(n=Count("item", distinct=True))
    return [(row["flaw"], row["n"]) for row in counted.order_by("-n", "flaw")]
