"""Queries of the review queues of several projects for one user, in one statement each.

Reads only.

The figures are those of `waiting`, for the same reasons: see `queue`. They are counted per project and stage,
up to `MOST_COUNTED`, so that the number of queries does not depend on the number of projects.
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
from annotation.queries.pilot import WITHHELD_FROM
from review.models import RequestState, ReviewRequest
from review.queries.queue import GROUPS, MOST_COUNTED, of_each

REASONS: Final = 3
_WANTED: Final = f"""
FROM unnest(%(projects)s::bigint[], %(stages)s::text[]) AS wanted(project, stage)
CROSS JOIN LATERAL (SELECT {of_each(WITHHELD_FROM)} AS stories) AS kept
"""
_GROUPS: Final = of_each(GROUPS)
_REQUESTS: Final = """
    FROM review_reviewrequest AS request
    WHERE request.project_id = wanted.project AND request.stage = wanted.stage
      AND request.state = '{state}' AND request.revision_id IS NOT NULL
"""
_OPEN, _CLAIMED = _REQUESTS.format(state="open"), _REQUESTS.format(state="claimed")
_OF_GROUP: Final = "AND request.priority = groups.priority AND request.excluded_key = groups.excluded_key"
_NOT_MINE: Final = "NOT request.excluded @> ARRAY[%(user)s]::bigint[]"
_READ: Final = "%(most)s * project.reviews_per_item"
"""An upper bound of the requests of `most` items, each of which may need several reviews."""
_NOT_KEPT: Final = "NOT request.story_id = ANY(kept.stories::bigint[])"

HELD: Final = """
    request.claimed_by_id = %(user)s AND request.state = 'claimed' AND request.revision_id IS NOT NULL
    AND NOT EXISTS (
        SELECT 1 FROM review_review AS sent
        WHERE sent.request_id = request.id AND sent.reviewer_id = %(user)s AND sent.sent_at IS NOT NULL
    )
"""
"""A claimed request counts as new until its verdict is sent. Otherwise the count would fall with each claim
except of practice, which takes no waiting request, and so reveal practice.
"""
_STANDING: Final = f"""
SELECT wanted.project, wanted.stage,
    (SELECT least(count(DISTINCT item_id), %(most)s) FROM (
        {_GROUPS}
        SELECT counted.item_id FROM groups CROSS JOIN LATERAL (
            SELECT request.item_id {_OPEN} {_OF_GROUP} AND {_NOT_KEPT} LIMIT {_READ}
        ) AS counted
        WHERE NOT groups.excluded @> ARRAY[%(user)s]::bigint[] LIMIT {_READ}
    ) AS all_of_them) + (SELECT count(*) {_CLAIMED} AND request.lease_expires_at < %(now)s
        AND {_NOT_MINE} AND {_NOT_KEPT})
    + CASE WHEN project.gold_rate > 0 AND wanted.stage = 'cross_check' THEN
        (SELECT EXISTS (SELECT 1 {{put_off}})::int) - (SELECT count(*) {{dealt}}
            AND request.state = 'claimed' AND request.lease_expires_at > %(now)s)
      ELSE 0 END,
    (SELECT least(count(DISTINCT item_id), %(most)s) FROM (
        {_GROUPS}
        SELECT counted.item_id FROM groups CROSS JOIN LATERAL (
            SELECT request.item_id {_OPEN} {_OF_GROUP} LIMIT {_READ}
        ) AS counted
        WHERE groups.excluded @> ARRAY[%(user)s]::bigint[] LIMIT {_READ}
    ) AS all_of_them),
    (SELECT count(*) {
    _CLAIMED
} AND request.lease_expires_at >= %(now)s AND request.claimed_by_id <> %(user)s),
    (SELECT min(request.lease_expires_at) {_CLAIMED} AND request.lease_expires_at >= %(now)s
        AND request.claimed_by_id <> %(user)s),
    EXISTS (
        SELECT 1 FROM review_reviewrequest AS request
        WHERE request.project_id = wanted.project AND request.stage = wanted.stage
          AND request.claimed_by_id = %(user)s AND request.state = 'claimed' AND NOT EXISTS (
            SELECT 1 FROM review_review AS sent
            WHERE sent.request_id = request.id AND sent.reviewer_id = %(user)s AND sent.sent_at IS NOT NULL
        )
    ),
    (SELECT min(longest.opened_at) FROM (
        {_GROUPS}
        SELECT first.opened_at FROM groups CROSS JOIN LATERAL (
            SELECT request.opened_at {_OPEN} {_OF_GROUP} AND {_NOT_KEPT} ORDER BY request.id LIMIT 1
        ) AS first
        WHERE NOT groups.excluded @> ARRAY[%(user)s]::bigint[] LIMIT %(most)s
    ) AS longest),
    CASE WHEN wanted.stage = 'adjudication' THEN (
        SELECT coalesce(json_agg(json_build_array(
            reason.cause, reason.opened_at, reason.item_id, reason.story_id, reason.title
        )), '[]') FROM (
            SELECT opening.cause, request.opened_at, request.item_id, request.story_id, wording.title {
    _OPEN.replace(
        "WHERE",
        '''
                JOIN annotation_transition AS opening ON opening.id = request.opened_by_id
                JOIN corpus_story AS story ON story.id = request.story_id
                JOIN corpus_storyrevision AS wording ON wording.id = story.current_id WHERE''',
        1,
    )
}
                AND {_NOT_MINE} AND {_NOT_KEPT}
            ORDER BY request.priority DESC, request.id LIMIT %(reasons)s
        ) AS reason
    ) ELSE '[]' END
{_WANTED}
JOIN projects_project AS project ON project.id = wanted.project
"""  # noqa: S608 - put together from the parts above
_DEALT: Final = """
    FROM review_reviewrequest AS request JOIN review_golditem AS gold ON gold.id = request.gold_id
    WHERE request.project_id = wanted.project AND request.dealt_to_id = %(user)s
"""
_PUT_OFF: Final = f"""{_DEALT} AND request.state = 'closed' AND request.freed_from_id IS NULL
    AND gold.retired_at IS NULL AND {_NOT_MINE}
"""
_STANDING_NOW: Final = _STANDING.format(put_off=_PUT_OFF, dealt=_DEALT)


@dataclass(frozen=True, slots=True)
class Reason:
    """The reason why an item is in adjudication, and since when; `title` is its story's."""

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
    """The state of one project's queue at one stage for one user; the fields are those of `QueueState`.

    `since`: when the oldest open request was opened; `reasons`: the reasons of a few requests in
    adjudication.
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


Queues = Iterable[tuple[int, str]]
"""Projects by id, each with a stage."""


def queued(user: User, queues: Queues) -> dict[tuple[int, str], Queued]:
    """Return the state of each of these queues for this user, by project and stage."""
    wanted = list(queues)
    if not wanted:
        return {}
    values = _values(wanted) | {
        "user": user.pk,
        "now": timezone.now(),
        "most": MOST_COUNTED,
        "reasons": REASONS,
    }
    return {(row[0], row[1]): _queued(row) for row in _rows(_STANDING_NOW, values)}


def _queued(row: tuple[Any, ...]) -> Queued:
    _project, _stage, opened, excluded, held, until, mine, since, reasons = row
    why = tuple(Reason(cause, datetime.fromisoformat(at), *which) for cause, at, *which in reasons)
    return Queued(max(0, opened), excluded, held, until, mine, since, why)


def named_in(user: User, projects: Iterable[int]) -> dict[int, int]:
    """Return how many unjudged requests this user is the substitute for, by project."""
    mine = ReviewRequest.objects.filter(project__in=list(projects), deputies__person=user)
    waits = mine.filter(Q(state=RequestState.OPEN) | Q(state=RequestState.CLAIMED, claimed_by=user))
    waits = waits.exclude(excluded__contains=[user.pk], state=RequestState.OPEN)
    return dict(waits.order_by().values_list("project").annotate(n=Count("pk")))


def _values(wanted: list[tuple[int, str]]) -> dict[str, object]:
    return {"projects": [request[0] for request in wanted], "stages": [str(request[1]) for request in wanted]}


def _rows(sql: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found
