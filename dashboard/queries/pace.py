"""Queries of work by day and person, of time in each state, and of the forecast of a project."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from math import ceil
from typing import Any, Final

from django.db.models import Count, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import TruncDate
from django.utils import timezone

from accounts.models import User
from annotation.models import Cause, Item, State, Transition
from dashboard.forecast import IN_PROGRESS, PACE_DAYS, Forecast, Unknown, forecast, items_left, quantile
from projects.models import Project
from release.queries.provenance import FEWEST_PEOPLE
from review.models import Review, Stage
from review.queries.statistics import planned_items

SUBMITTED: Final = "submitted"
REVIEWED: Final = "reviewed"
VERIFIED: Final = "verified"
WORK: Final = (SUBMITTED, REVIEWED, VERIFIED)
DONE: Final = (*WORK, *Stage.values)
"""The kinds of work on an item: those displayed by day (`WORK`), and the reviews of each stage."""
DAYS: Final = 28
"""The number of days that charts and statistics cover; the last day is today."""
MOST_STAYS: Final = 10_000
"""The maximum number of transitions, or of reviews, over which times are computed. The last ones are used."""


@dataclass(frozen=True, slots=True)
class PersonPace:
    """One person's work: counts by kind, and totals by day. A verified item counts as work of its writer."""

    person: User
    counts: dict[str, int]
    by_day: list[int]


@dataclass(frozen=True)
class Throughput:
    """The amount of work by kind, day and person.

    `days` begins with the earliest.
    """

    days: list[date]
    counted: Counter[tuple[str, date, int]] = field(default_factory=Counter)

    def by_day(self, work: str) -> list[int]:
        """Return how often this kind of work was done on each of the days."""
        found: Counter[date] = Counter()
        for (kind, day, _person), n in self.counted.items():
            found[day] += n * (kind == work)
        return [found[day] for day in self.days]

    @property
    def pace(self) -> list[int]:
        """The numbers of items verified on each of the last `PACE_DAYS` days before today."""
        return self.by_day(VERIFIED)[-PACE_DAYS - 1 : -1]

    def people(self) -> list[PersonPace]:
        """Return the work of each person with work, most active first."""
        totals: Counter[int] = Counter()
        for (_kind, _day, person), n in self.counted.items():
            totals[person] += n
        people = User.objects.in_bulk(totals)
        paces = []
        for pk, _n in sorted(totals.items(), key=lambda one: (-one[1], one[0])):
            counts = {work: sum(self.counted[work, day, pk] for day in self.days) for work in WORK}
            by_day = [sum(self.counted[work, day, pk] for work in WORK) for day in self.days]
            paces.append(PersonPace(people[pk], counts, by_day))
        return paces


def throughput(items: QuerySet[Item]) -> Throughput:
    """Return the work done on these items in the last `DAYS` days, with days in the reader's time zone."""
    today = timezone.localdate()
    found = Throughput([today - timedelta(days=ago) for ago in reversed(range(DAYS))])
    since, chosen = start_of(found.days[0]), items.order_by().values("pk")
    for work in WORK:
        rows, when, person = work_rows(work)
        rows = rows.filter(item__in=chosen, **{f"{when}__gte": since})
        grouped = rows.order_by().values_list(TruncDate(when), person)
        counted = grouped.annotate(n=Count("item", distinct=True))
        found.counted.update({(work, day, who): n for day, who, n in counted})
    return found


def start_of(day: date) -> datetime:
    """Return the moment at which a day begins in the reader's time zone."""
    return timezone.make_aware(datetime.combine(day, time.min))


def work_rows(work: str) -> tuple[QuerySet[Any], str, str]:
    """Return the queryset of one kind of work, and its lookups for the time and the person."""
    if work == SUBMITTED:
        # an imported item does not count: it was written elsewhere
        return Transition.objects.filter(from_state="", cause=Cause.WRITTEN), "at", "actor"
    if work == VERIFIED:
        # items verified again by an undo do not count either
        moves = Transition.objects.filter(to_state=State.VERIFIED).exclude(from_state="")
        return moves.exclude(cause=Cause.TAKEN_BACK), "at", "item__writer"
    judged = Review.objects.filter(judged_at__isnull=False)
    return (judged if work == REVIEWED else judged.filter(stage=work)), "judged_at", "reviewer"


@dataclass(frozen=True, slots=True)
class Stay:
    """The median and the 90th percentile of the seconds that items spent in a state, and the number of items.

    Only items that left the state in the last `DAYS` days count.
    """

    n: int
    median: float
    p90: float


def stays(items: QuerySet[Item]) -> dict[str, Stay]:
    """Return how long items stayed in each state, over their last `MOST_STAYS` transitions."""
    since = timezone.now() - timedelta(days=DAYS)
    entered = Transition.objects.filter(item=OuterRef("item"), pk__lt=OuterRef("pk")).order_by("-pk")
    moves = Transition.objects.filter(
        item__in=items.order_by().values("pk"), at__gte=since, from_state__in=IN_PROGRESS
    ).exclude(cause=Cause.TAKEN_BACK)
    spent = moves.annotate(spent=F("at") - Subquery(entered.values("at")[:1])).order_by("-at")
    found: dict[str, list[float]] = {}
    for state, stay in spent.values_list("from_state", "spent")[:MOST_STAYS]:
        found.setdefault(state, []).append(stay.total_seconds())
    return {state: Stay(len(some), quantile(some, 0.5), quantile(some, 0.9)) for state, some in found.items()}


@dataclass(frozen=True, slots=True)
class ReviewTime:
    """The median active minutes of a review, and the number of reviewers.

    `minutes` is None if there are too few reviewers.
    """

    people: int
    minutes: float | None


def review_time(project: Project) -> ReviewTime | None:
    """Return the median time of a review in the last `DAYS` days; None if there were no reviews.

    At most the last `MOST_STAYS` reviews count. As in the data card, `minutes` is None with fewer than
    `FEWEST_PEOPLE` reviewers, as each of them could then compute another's time.
    """
    since = timezone.now() - timedelta(days=DAYS)
    judged = Review.objects.filter(project=project, judged_at__gte=since, active_seconds__gt=0)
    rows = list(judged.order_by("-judged_at").values_list("reviewer", "active_seconds")[:MOST_STAYS])
    people = len({reviewer for reviewer, _seconds in rows})
    if not rows:
        return None
    spent = [float(seconds) for _reviewer, seconds in rows]
    return ReviewTime(people, quantile(spent, 0.5) / 60 if people >= FEWEST_PEOPLE else None)


@dataclass(frozen=True, slots=True)
class Outlook:
    """The numbers of planned, verified and remaining items, and the forecast of completion."""

    planned: int
    verified: int
    left: int
    found: Forecast | Unknown

    @property
    def pace(self) -> float | None:
        """The average number of items verified a day; None if there is no forecast."""
        return self.found.pace if isinstance(self.found, Forecast) else None

    def ends(self) -> tuple[date, date] | None:
        """Return the earliest and the latest day of completion; None if there is no forecast."""
        if not isinstance(self.found, Forecast):
            return None
        today = timezone.localdate()
        return today + timedelta(days=self.found.earliest), today + timedelta(days=self.found.latest)

    def expected(self) -> date | None:
        """Return the day of completion if the pace stays as it is; None if there is no forecast."""
        if not isinstance(self.found, Forecast):
            return None
        return timezone.localdate() + timedelta(days=ceil(self.left / self.found.pace))


def outlook(project: Project, counted: Mapping[str, int], pace: Sequence[int]) -> Outlook:
    """Return the forecast of the whole project.

    `counted` is its number of items by state, `pace` the numbers of items verified on the last `PACE_DAYS`
    days.
    """
    planned = planned_items(project)
    left = items_left(planned, counted)
    return Outlook(planned, counted[State.VERIFIED], left, forecast(pace, left))
