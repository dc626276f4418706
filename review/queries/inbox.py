"""Queries of the review queues of several projects for one user, with one statement each. Reads only.

The counts have the same meaning as in `review.queries.queue.waiting`. They are made for each project and
stage, up to `MOST_COUNTED`; the number of queries does not depend on the number of projects.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db import connection
from django.db.models import Count, Q
from django.utils import timezone

from accounts.models import User
from annotation.models import Cause
from review.models import RequestState, ReviewRequest
from review.sql import MOST_COUNTED, QUEUE_STATES

REASONS: Final = 3


@dataclass(frozen=True, slots=True)
class Reason:
    """The reason why an item is in adjudication, and since when; `title` is the title of its story."""

    cause: str
    since: datetime
    item: int
    story: int
    title: str

    @property
    def label(self) -> str:
        """The label of the reason code."""
        return str(Cause(self.cause).label)


@dataclass(frozen=True, slots=True)
class Queued:
    """The state of one project's queue at one stage for one user, with the fields of `QueueState`.

    `since`: the time when the oldest open request was opened. `reasons`: why a few items are in adjudication.
    """

    open: int
    excluded: int
    held: int
    held_until: datetime | None
    mine: bool
    since: datetime | None = None
    reasons: tuple[Reason, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Return whether this user has nothing to do in the queue now."""
        return self.open == 0 and not self.mine


def queued(user: User, queues: Iterable[tuple[int, str]]) -> dict[tuple[int, str], Queued]:
    """Return the state of each of these queues for this user. A queue is named by (project id, stage)."""
    wanted = list(queues)
    if not wanted:
        return {}
    values: Mapping[str, Any] = {
        "projects": [project for project, _stage in wanted],
        "stages": [str(stage) for _project, stage in wanted],
        "user": user.pk,
        "now": timezone.now(),
        "most": MOST_COUNTED,
        "reasons": REASONS,
    }
    with connection.cursor() as cursor:
        cursor.execute(QUEUE_STATES, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    found = {}
    for project, stage, opened, excluded, held, until, mine, since, reasons in rows:
        why = tuple(Reason(cause, datetime.fromisoformat(at), *which) for cause, at, *which in reasons)
        found[project, stage] = Queued(max(0, opened), excluded, held, until, mine, since, why)
    return found


def named_in(user: User, projects: Iterable[int]) -> dict[int, int]:
    """Return the number of unjudged requests for which this user is a substitute, by project id."""
    mine = ReviewRequest.objects.filter(project__in=list(projects), substitutes__person=user)
    waits = mine.filter(Q(state=RequestState.OPEN) | Q(state=RequestState.CLAIMED, claimed_by=user))
    waits = waits.exclude(excluded__contains=[user.pk], state=RequestState.OPEN)
    return dict(waits.order_by().values_list("project").annotate(n=Count("pk")))
