"""Queries of the page Today: what needs a manager, where items wait, what is blocked, and who works how.

Nothing here grows with the items of the project: all counts over items come from `overview_counts`;
statistics and checks come from what a worker has stored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final

from django.db.models import Count
from django.utils import timezone

from accounts.models import User
from annotation.models import State
from annotation.queries.assignment import Progress, progress
from dashboard.forecast import IN_PROGRESS
from dashboard.queries.news import JOBS_STAY
from dashboard.queries.overview_counts import OverviewCounts, count_all
from dashboard.queries.pace import REVIEWED, SUBMITTED, VERIFIED, Outlook, PersonPace, outlook
from events.queries import given_up_in
from jobs.models import Job, JobState
from jobs.queries import BudgetState, budget_state, ended_in
from projects.models import Invitation, Membership, Project
from projects.permissions import Permission, roles_with
from release.models import GateCheck
from release.queries.gate import gate_check
from release.queries.inbox import unanswered_in
from review.models import RequestState, ReviewRequest, ReviewStatistics, Stage
from review.permissions import TO_JUDGE
from review.queries.blocked import blocked_by_stage
from review.queries.request import STATE_OF
from review.queries.statistics import statistics_of
from review.rater_signs import RaterRecord, rater_record

AGREEMENT_BAND: Final = (0.70, 0.95)
"""Gwet's AC2 should be in this band. Below it, reviewers read the guideline differently; above it, they may
have looked at each other's ratings.
"""
MOST_FAILED: Final = 5
PERSON_DAYS: Final = 14
MOST_PEOPLE: Final = 10


@dataclass(frozen=True, slots=True)
class StageCount:
    """The items in a stage of their way, since when the oldest waits, and with whom they are.

    `state` is "" for items that are planned but not written.
    """

    state: str
    items: int
    since: datetime | None = None
    people: Sequence[tuple[User, int]] = ()
    blocked: int = 0


@dataclass(frozen=True, slots=True)
class PersonWork:
    """A person's work of the last days, with their reviews' record and what is owed."""

    person: User
    by_day: Sequence[int]
    submitted: int
    reviewed: int
    record: RaterRecord | None
    returned: int
    overdue: int

    @property
    def is_flagged(self) -> bool:
        """Whether a manager should look at this person's work."""
        return bool(self.overdue or (self.record and self.record.signs))


@dataclass(frozen=True)
class Today:
    """What the page Today shows of a project."""

    project: Project
    counts: OverviewCounts
    outlook: Outlook
    blocked: Mapping[Stage, int]
    roleless: frozenset[Stage]
    reports: int
    undelivered: int
    expired: int
    failed_jobs: Sequence[Job]
    check: GateCheck | None
    statistics: ReviewStatistics | None
    budget: BudgetState
    writers: Sequence[Progress]
    has_people: bool
    held: Mapping[Stage, Sequence[tuple[User, int]]]
    records: Mapping[int, RaterRecord]
    flagged: Mapping[int, User]

    @property
    def counted(self) -> Mapping[str, int]:
        """The number of items by state."""
        return self.counts.counted

    @property
    def total(self) -> int:
        """The number of items that will be verified in the end: those that are, and those left."""
        return self.outlook.verified + self.outlook.left

    @property
    def all_blocked(self) -> int:
        """The number of items that no one can take, the same as in the inbox and the overview."""
        return sum(self.blocked.values())

    @property
    def overdue(self) -> int:
        """The number of assigned stories that lack items after their due date."""
        return sum(one.overdue for one in self.writers)

    @cached_property
    def stages(self) -> list[StageCount]:
        """The stages of all items, from the last to the first; their numbers add up to `total`."""
        since = {one.stage: one.since for one in self.counts.oldest}
        under_way = sum(self.counted[state] for state in IN_PROGRESS)
        returned = [(one.writer, one.returned) for one in self.writers if one.returned]
        to_write = [(one.writer, one.left) for one in self.writers if one.left > 0]
        found = [StageCount(State.VERIFIED, self.outlook.verified)]
        for stage in (Stage.ADJUDICATION, Stage.VERIFICATION, Stage.CROSS_CHECK):
            state, people = STATE_OF[stage], self.held.get(stage, ())
            blocked = self.blocked.get(stage, 0)
            found.append(StageCount(state, self.counted[state], since[stage], people, blocked))
        found.append(StageCount(State.RETURNED, self.counted[State.RETURNED], people=returned))
        return [*found, StageCount("", self.outlook.left - under_way, people=to_write)]

    @cached_property
    def people(self) -> list[PersonWork]:
        """The people with work in the last days, most active first, after those who need a look."""
        paces = {one.person.pk: one for one in self.counts.done.people()}
        owed = {one.writer.pk: one for one in self.writers}
        named = {pk: one.writer for pk, one in owed.items()} | {pk: one.person for pk, one in paces.items()}
        named |= self.flagged
        found = [self._person(user, paces.get(pk), owed.get(pk)) for pk, user in named.items()]
        active = [one for one in found if one.is_flagged or any(one.by_day)]
        return sorted(active, key=lambda one: (not one.is_flagged, -sum(one.by_day), one.person.pk))

    def _person(self, user: User, pace: PersonPace | None, owed: Progress | None) -> PersonWork:
        done, week = self.counts.done.counted, self.counts.done.days[-7:]
        return PersonWork(
            person=user,
            by_day=pace.by_day[-PERSON_DAYS:] if pace else [0] * PERSON_DAYS,
            submitted=sum(done[SUBMITTED, day, user.pk] for day in week),
            reviewed=sum(done[REVIEWED, day, user.pk] for day in week),
            record=self.records.get(user.pk),
            returned=owed.returned if owed else 0,
            overdue=owed.overdue if owed else 0,
        )

    @property
    def careless(self) -> list[PersonWork]:
        """The people whose blind answers are in doubt."""
        return [one for one in self.people if one.record and one.record.is_careless]

    @property
    def agreement(self) -> Mapping[str, Any] | None:
        """The stored agreement over all tasks, or None if nothing has been rated twice."""
        found: Mapping[str, Any] = _figures(self.statistics, "agreement").get("", {})
        return found if found.get("rated_twice") else None

    @property
    def verified_by_day(self) -> list[int]:
        """The number of verified items at the end of each day of `throughput`, the last being today."""
        left, found = self.outlook.verified, []
        for n in reversed(self.counts.done.by_day(VERIFIED)):
            found.append(left)
            left = max(left - n, 0)
        return found[::-1]

    @property
    def verified_lately(self) -> int:
        """The number of items verified yesterday and today."""
        return sum(self.counts.done.by_day(VERIFIED)[-2:])


def _figures(statistics: ReviewStatistics | None, name: str) -> Any:
    found = statistics.figures.get(name) if statistics and statistics.counted_at else None
    return found or ({} if name == "agreement" else [])


def today_of(project: Project, reader: User, *, renew: Callable[[], object] | None = None) -> Today:
    """Return what the page Today shows to this reader; `renew` is that of `count_all`."""
    counts, _coverage = count_all(project, renew=renew)
    statistics = statistics_of(project)
    blocked = blocked_by_stage(project)
    invited = Invitation.objects.filter(project=project, revoked_at=None, accepted_at=None)
    chance = 1 / project.options_per_item
    records = {row["reviewer"]: rater_record(row, chance) for row in _figures(statistics, "reviewers")}
    return Today(
        project=project,
        counts=counts,
        outlook=outlook(project, counts.counted, counts.done.pace),
        blocked=blocked,
        roleless=_without_role(project) if blocked else frozenset(),
        reports=unanswered_in([project.pk]).get(project.pk, 0),
        undelivered=given_up_in([project.pk]).get(project.pk, 0),
        expired=invited.filter(expires_at__lte=timezone.now()).count(),
        failed_jobs=_failed_jobs(project, reader),
        check=gate_check(project),
        statistics=statistics,
        budget=budget_state(project),
        writers=progress(project),
        has_people=_has_people(project),
        held=_held(project),
        records=records,
        flagged=User.objects.in_bulk([pk for pk, record in records.items() if record.signs]),
    )


def _without_role(project: Project) -> frozenset[Stage]:
    """Return the stages for which no member has a role."""
    roles = {*Membership.objects.filter(project=project).values_list("role", flat=True).distinct()}
    return frozenset(stage for stage in Stage if not roles & {*roles_with(TO_JUDGE[stage])})


def _has_people(project: Project) -> bool:
    others = Membership.objects.filter(project=project).exclude(role__in=roles_with(Permission.SEE_PROJECT))
    return others.exists()


def _failed_jobs(project: Project, reader: User) -> list[Job]:
    """Return the failed jobs that the reader has not marked as read in the inbox."""
    read = max(filter(None, (reader.inbox_read_at, timezone.now() - JOBS_STAY)))
    ended = ended_in([project.pk], user=reader, managed=[project.pk], since=read)
    return list(ended.filter(state=JobState.FAILED)[:MOST_FAILED])


def _held(project: Project) -> dict[Stage, list[tuple[User, int]]]:
    """Return who holds how many items in each stage; only claimed requests are read."""
    claimed = ReviewRequest.objects.filter(project=project, state=RequestState.CLAIMED).order_by()
    rows = claimed.values_list("stage", "claimed_by").annotate(n=Count("item", distinct=True))
    found = list(rows.filter(n__gt=0))
    people = User.objects.in_bulk({pk for _stage, pk, _n in found})
    by_stage: defaultdict[Stage, list[tuple[User, int]]] = defaultdict(list)
    for stage, pk, n in sorted(found, key=lambda row: (-row[2], row[1])):
        by_stage[Stage(stage)].append((people[pk], n))
    return by_stage
