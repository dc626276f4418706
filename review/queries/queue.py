"""Queries of the state of a stage's queue for one user, and of the reasons why it is empty. Reads only.

Requests are grouped by the set of users excluded from them. The number of groups depends on these sets, not
on the number of requests; counts end at `MOST_COUNTED`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Min
from django.utils import timezone

from accounts.models import User
from annotation.models import Item
from annotation.queries.pilot import stories_withheld_from
from projects.models import Project
from projects.permissions import roles_with
from review.models import RequestState, ReviewRequest, Stage
from review.permissions import TO_JUDGE
from review.queries.practice import practice_held, practice_put_off
from review.queries.request import STATE_OF, my_claim
from review.sql import COUNT_BLOCKED, COUNT_CLOSED, COUNT_OPEN, COUNT_OPEN_NOT_WITHHELD, MOST_COUNTED
from web.rows import prepared_cursor


@dataclass(frozen=True, slots=True)
class QueueState:
    """The state of one stage's queue for one user. Counts end at `MOST_COUNTED`.

    `open`: items that this user could claim now; an item that needs several reviews counts once. `held`:
    requests claimed by others; the first lease ends at `held_until`. `excluded`: items that this user may not
    review: their own items, items they solved or skipped, and items on stories that they write about in a
    running pilot. Of these, `own` were written by the user, and `blocked` may be reviewed by no member.
    `standing`: whether any item is at this stage. `has_begun`: whether any item has ever reached this stage.
    The last two are queried only if nothing is open.
    """

    stage: str
    open: int
    held: int
    held_until: datetime | None
    excluded: int
    mine: ReviewRequest | None
    own: int = 0
    blocked: int = 0
    standing: bool = True
    has_begun: bool = True

    @property
    def is_empty(self) -> bool:
        """Return whether this user has nothing to do in the queue now."""
        return self.open == 0 and self.mine is None

    @property
    def has_lapsed(self) -> bool:
        """Return whether the lease of the claimed request has run out."""
        return bool(self.mine and self.mine.lease_expires_at and self.mine.lease_expires_at <= timezone.now())


def waiting(user: User, project: Project, stage: str) -> QueueState:
    """Return the state of this stage's queue for this user, with counts that explain an empty queue."""
    now, withheld = timezone.now(), stories_withheld_from(user, project)
    claimed = ReviewRequest.objects.filter(project=project, stage=stage, state=RequestState.CLAIMED)
    held = claimed.filter(lease_expires_at__gte=now).exclude(claimed_by=user)
    given_back = claimed.filter(lease_expires_at__lt=now).exclude(excluded__contains=[user.pk])
    open_for_me = count_open(user, project, stage, withheld) + given_back.exclude(story__in=withheld).count()
    excluded, own = one_row(COUNT_CLOSED, _values(user, project, stage, withheld))
    blocked = count_blocked([(project.pk, stage)])[project.pk, stage] if excluded else 0
    if stage == Stage.CROSS_CHECK and project.gold_rate:
        # So the displayed count falls with each claim, and does not reveal which requests are practice.
        later = practice_put_off(user, project).exists()
        open_for_me = max(0, open_for_me + later - practice_held(user, project).count())
    return QueueState(
        stage=stage,
        open=open_for_me,
        held=held.count(),
        held_until=held.aggregate(first=Min("lease_expires_at"))["first"],
        excluded=excluded,
        own=own,
        blocked=blocked,
        mine=my_claim(user, project, stage),
        standing=bool(open_for_me)
        or Item.objects.filter(project=project, state=STATE_OF[Stage(stage)]).exists(),
        has_begun=bool(open_for_me) or ReviewRequest.objects.filter(project=project, stage=stage).exists(),
    )


def count_open(
    user: User, project: Project, stage: str, withheld: list[int] | None = None, *, most: int = MOST_COUNTED
) -> int:
    """Return how many items this user could claim now, up to `most`."""
    counting = COUNT_OPEN if withheld is not None else COUNT_OPEN_NOT_WITHHELD
    values = _values(user, project, stage, withheld or [], most)
    return int(one_row(counting, values)[0])


def count_blocked(queues: Iterable[tuple[int, str]]) -> dict[tuple[int, str], int]:
    """Return how many items neither a member nor a named substitute may review, by project and stage.

    An item that needs several reviews counts once; up to `MOST_BLOCKED` items are counted.
    """
    wanted = list(queues)
    values = {
        "projects": [project for project, _stage in wanted],
        "stages": [str(stage) for _project, stage in wanted],
        "roles": [" ".join(roles_with(TO_JUDGE[stage])) for _project, stage in wanted],
    }
    with prepared_cursor() as cursor:
        cursor.execute(COUNT_BLOCKED, values)
        return {(project, stage): n for project, stage, n in cursor.fetchall()}


def _values(
    user: User, project: Project, stage: str, withheld: list[int], most: int = MOST_COUNTED
) -> dict[str, object]:
    """Return the parameters of a counting statement.

    `read` is the maximum number of requests that `most` items can have.
    """
    read = most * project.reviews_per_item
    return {
        "user": user.pk,
        "project": project.pk,
        "stage": stage,
        "kept": withheld,
        "most": most,
        "read": read,
    }


def one_row(sql: str, values: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the single row that an SQL statement selects."""
    with prepared_cursor() as cursor:
        cursor.execute(sql, values)
        row: tuple[Any, ...] = cursor.fetchone()
    return row
