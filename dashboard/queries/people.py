"""Queries of people's work, speed, accuracy, practice and overdue stories, for their list and their pages.

Speed, accuracy and severity are from the stored statistics, as on Today. The rest is counted for the people
of one page, so that the number and the cost of statements do not depend on the number of members.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import TruncDate
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.models import Item
from annotation.queries.assignment import overdue_stories
from core.errors import Hidden
from dashboard.queries.pace import REVIEWED, SUBMITTED, start_of, work_rows
from projects.models import Membership, Project
from projects.queries import paused_among
from review.models import Review, ReviewStatistics
from review.queries.practice import Calibration, practice_of
from review.queries.statistics import statistics_of
from review.rater_signs import RaterRecord, rater_record

WEEKS: Final = 8
"""A small chart shows the work of so many weeks; the last one ends today."""
MOST_PAIRS: Final = 6


@dataclass(frozen=True, slots=True)
class PersonFigures:
    """What a list shows of a person; `by_week` counts submitted items and reviews, the oldest week first."""

    person: User
    by_week: Sequence[int]
    record: RaterRecord | None
    practice: Calibration | None
    overdue: int
    is_paused: bool

    @property
    def is_flagged(self) -> bool:
        """Whether a manager should look at this person's work."""
        return bool(self.overdue or (self.record and self.record.signs))


def records_in(project: Project, statistics: ReviewStatistics | None) -> dict[int, RaterRecord]:
    """Return the reviewers' records in the stored statistics, by user id."""
    rows: Sequence[Mapping[str, Any]] = []
    if statistics and statistics.counted_at:
        rows = statistics.figures.get("reviewers") or []
    chance = 1 / project.options_per_item
    return {row["reviewer"]: rater_record(row, chance) for row in rows}


def flagged_people(project: Project) -> set[int]:
    """Return the ids of the people whose work a manager should look at."""
    records = records_in(project, statistics_of(project))
    return {pk for pk, record in records.items() if record.signs} | overdue_stories(project).keys()


def figures_of_people(
    project: Project, people: Sequence[User], statistics: ReviewStatistics | None
) -> list[PersonFigures]:
    """Return the figures of these people, in the same order; the number of statements is fixed."""
    among = [person.pk for person in people]
    records, overdue = records_in(project, statistics), overdue_stories(project)
    practice, paused = practice_of(project, among), paused_among(project, among)
    weeks = _weeks(project, among)
    return [
        PersonFigures(
            person=person,
            by_week=[weeks[person.pk, week] for week in reversed(range(WEEKS))],
            record=records.get(person.pk),
            practice=practice.get(person.pk),
            overdue=overdue.get(person.pk, 0),
            is_paused=person.pk in paused,
        )
        for person in people
    ]


def _weeks(project: Project, people: Sequence[int]) -> Counter[tuple[int, int]]:
    """Return the work by person and week; week 0 ends today, week 1 a week before."""
    today = timezone.localdate()
    since = start_of(today - timedelta(days=7 * WEEKS - 1))
    found: Counter[tuple[int, int]] = Counter()
    for work in (SUBMITTED, REVIEWED):
        rows, when, who = work_rows(work)
        of_project = {"item__project": project} if work == SUBMITTED else {"project": project}
        rows = rows.filter(**of_project, **{f"{who}__in": people, f"{when}__gte": since})
        counted = rows.order_by().values_list(who, TruncDate(when)).annotate(n=Count("item", distinct=True))
        for person, day, n in counted:
            found[person, (today - day).days // 7] += n
    return found


def get_person_of(*, project: Project, pk: int) -> User:
    """Return a member, or a former member with work in the project. Raise `Hidden` if there is none."""
    member = Membership.objects.filter(project=project, user=OuterRef("pk"))
    reviewed = Review.objects.filter(project=project, reviewer=OuterRef("pk"))
    wrote = Item.objects.filter(project=project, writer=OuterRef("pk"))
    belongs = Q(Exists(member)) | Q(Exists(reviewed)) | Q(Exists(wrote))
    found = User.objects.filter(belongs, pk=pk, is_placeholder=False).first()
    if found is None:
        raise Hidden(_("Member not found."))
    return found


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far a person agrees with another reviewer on the items that both rated."""

    other: User
    n: int
    raw: float | None
    kappa: float | None


def agreement_of(statistics: ReviewStatistics | None, person: User) -> list[Agreement]:
    """Return the person's agreement with others in the stored statistics, the largest overlap first."""
    if statistics is None or not statistics.counted_at:
        return []
    pairs = [row for row in statistics.figures.get("pairs") or [] if person.pk in _both(row)][:MOST_PAIRS]
    others = User.objects.in_bulk([_other(row, person) for row in pairs])
    return [
        Agreement(others[_other(row, person)], row["n"], row["raw"]["value"], row["kappa"]["value"])
        for row in pairs
        if _other(row, person) in others
    ]


def _both(row: Mapping[str, Any]) -> tuple[int, int]:
    return row["first"], row["second"]


def _other(row: Mapping[str, Any], person: User) -> int:
    first, second = _both(row)
    return second if first == person.pk else first


def latest_items(project: Project, writer: User, most: int) -> QuerySet[Item]:
    """Return the items that this person writes, those that changed last first."""
    found = Item.objects.filter(project=project, writer=writer, current__isnull=False)
    return found.select_related("current", "story__current").order_by("-changed_at", "-pk")[:most]
