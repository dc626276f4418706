"""Queries of each person's work in a period, and of the pay at the project's rates."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, NamedTuple

from django.db.models import Count, Q, QuerySet, Sum

from accounts.models import User
from annotation.models import ItemDraft
from dashboard.queries.pace import SUBMITTED, VERIFIED, work_rows
from projects.models import Project
from projects.queries import members
from review.models import Review, Stage
from web.cached_counts import COUNTED_ANEW, cached, named

CENT: Final = Decimal("0.01")
MUCH_OF_ONE: Final = 5_000
"""If one person has at most this many items and reviews, every request counts them; otherwise counts are
cached.
"""


@dataclass(frozen=True, slots=True)
class WorkRow:
    """One person's work in a period; `amount` is the person's pay in the project's currency."""

    person: User
    written: int = 0
    verified: int = 0
    reviews: int = 0
    verifications: int = 0
    rulings: int = 0
    minutes: int = 0
    amount: Decimal = Decimal(0)

    @property
    def is_idle(self) -> bool:
        """Return whether the person has done no work in the period."""
        return not any((self.written, self.verified, self.judged, self.minutes))

    @property
    def judged(self) -> int:
        """The number of reviews, verifications and rulings together."""
        return self.reviews + self.verifications + self.rulings


def statement(
    project: Project, since: datetime, until: datetime, *, only: User | None = None
) -> list[WorkRow]:
    """Return the work of each member, and of each former member with work, sorted by name.

    `until` is exclusive. With `only`, return the row of this user alone.
    """
    when = Period(project, since, until, only)
    written, verified, reviewed, drafted = _counted(when)
    judged: dict[int, dict[str, int]] = {}
    for row in reviewed:
        judged.setdefault(row.reviewer, {})[row.stage] = row.n
    seconds = _seconds(drafted, reviewed)
    worked = {*written, *verified, *judged, *seconds}
    everybody = User.objects.filter(
        Q(pk__in=worked) | Q(pk__in=members(project).values("pk")), is_placeholder=False
    ).order_by("name", "pk")
    return [
        _line(
            project,
            person,
            written.get(person.pk, 0),
            verified.get(person.pk, 0),
            judged.get(person.pk, {}),
            seconds.get(person.pk, 0),
        )
        for person in ([only] if only else everybody)
    ]


def _line(
    project: Project, person: User, written: int, verified: int, judged: Mapping[str, int], seconds: int
) -> WorkRow:
    reviews = sum(judged.values())
    amount = (
        written * project.rate_item
        + verified * project.rate_verified
        + reviews * project.rate_review
        + Decimal(seconds) / 3600 * project.rate_hour
    )
    return WorkRow(
        person=person,
        written=written,
        verified=verified,
        reviews=judged.get(Stage.CROSS_CHECK, 0),
        verifications=judged.get(Stage.VERIFICATION, 0),
        rulings=judged.get(Stage.ADJUDICATION, 0),
        minutes=round(seconds / 60),
        amount=amount.quantize(CENT),
    )


class Period(NamedTuple):
    """The project, period and person of a work report.

    `until` is exclusive. If `only` is None, the report is about every person.
    """

    project: Project
    since: datetime
    until: datetime
    only: User | None

    def rows(self, found: QuerySet[Any, Any], when: str, person: str) -> QuerySet[Any, Any]:
        """Return the rows of a queryset that fall into the period and belong to the person.

        `when` and `person` are the lookups of a row's time and user.
        """
        found = found.filter(**{f"{when}__gte": self.since, f"{when}__lt": self.until})
        return found.filter(**{person: self.only}) if self.only else found


def _items_of(period: Period, work: str) -> dict[int, int]:
    """Return the number of submitted or verified items by person id."""
    rows, when, person = work_rows(work)
    counted = (
        period.rows(rows.filter(item__project=period.project), when, person)
        .order_by()
        .values(person)
        .annotate(n=Count("item", distinct=True))
    )
    return {row[person]: row["n"] for row in counted}


class Reviewed(NamedTuple):
    """A person's number of reviews at a stage, and the active seconds spent on them."""

    reviewer: int
    stage: str
    n: int
    seconds: int


def _reviewed(period: Period) -> list[Reviewed]:
    """Return the reviews by person and stage.

    Reviews of practice items count, as they are paid like others.
    """
    found = period.rows(Review.everything.filter(project=period.project), "judged_at", "reviewer")
    grouped = found.order_by().values_list("reviewer", "stage")
    return [Reviewed(*row) for row in grouped.annotate(n=Count("pk"), seconds=Sum("active_seconds"))]


def _drafted(period: Period) -> dict[int, int]:
    drafts = period.rows(ItemDraft.objects.filter(project=period.project), "updated_at", "writer")
    return dict(drafts.order_by().values_list("writer").annotate(seconds=Sum("active_seconds")))


class Done(NamedTuple):
    """The work done in a period, by person id; `drafted` has the active seconds of writing."""

    written: dict[int, int]
    verified: dict[int, int]
    reviewed: list[Reviewed]
    drafted: dict[int, int]

    @property
    def n(self) -> int:
        """The number of counted items and reviews."""
        reviews = sum(row.n for row in self.reviewed)
        return sum(self.written.values()) + sum(self.verified.values()) + reviews


def _counted(period: Period) -> Done:
    """Return the work done in a period; large counts are cached for a minute."""
    who = period.only.pk if period.only else ""
    name = named("work:2", period.project, period.since.timestamp(), period.until.timestamp(), who)
    most = MUCH_OF_ONE if period.only else COUNTED_ANEW

    def count() -> Done:
        written, verified = _items_of(period, SUBMITTED), _items_of(period, VERIFIED)
        return Done(written, verified, _reviewed(period), _drafted(period))

    return cached(name, count, is_large=lambda done: done.n > most)


def _seconds(drafted: Mapping[int, int], reviewed: Iterable[Reviewed]) -> Counter[int]:
    """Return each person's active seconds of writing and reviewing, by person id."""
    found = Counter(drafted)
    for row in reviewed:
        found[row.reviewer] += row.seconds
    return found
