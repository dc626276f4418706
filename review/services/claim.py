"""Taking a place in the queue, holding it, and letting it go.

A claim is one statement: it locks an open place and, in share mode, its item, passes over what others
hold at this moment, and draws the order of the options. Its time does not grow with the queue, also for
a person who is barred from most of it, or has seen the keys of most of it: the oldest few places are looked
at first, and if none will do, a few of each group that the same people are barred from. Who has seen the
keys of all that was looked at is given the first place that they may take; their review is not blind.
"""

from datetime import timedelta
from typing import Final, NamedTuple

from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from annotation.queries.exposure import SEEN
from annotation.queries.pilot import KEPT_FROM
from core.errors import Conflict, Unusable, require
from projects.models import Project
from review.models import PlaceState, Postponement, Review, ReviewRequest, Stage
from review.permissions import may_claim, may_go_on
from review.queries.queue import GROUPS, one_row
from review.services.lease import (
    WORKED,
    bar,
    give_back,
    is_held,
    lease_end,
    lock_request,
    note_work,
    regain,
)
from review.services.practice import deal_practice, take_postponed_practice
from review.services.verdict import carry_out_sent

FREED_AT_ONCE: Final = 10
LOOKED_AT_FIRST: Final = 200
MOST_GROUPS: Final = 64
LOOKED_AT_EACH_END: Final = 32
MOST_LOCKED: Final = 32
"""More people than ever ask within the same few milliseconds."""
POSTPONED_FOR: Final = timedelta(hours=12)

# A verdict that can still be undone is carried out when its time is over, not thrown away.
_FREE: Final = """
UPDATE review_reviewrequest AS freed
SET state = CASE WHEN gold_id IS NULL THEN 'open' ELSE 'closed' END,
    freed_from_id = claimed_by_id, freed_order = drawn_order,
    claimed_by_id = NULL, claimed_at = NULL, lease_expires_at = NULL
WHERE id IN (
    SELECT id FROM review_reviewrequest AS place
    WHERE state = 'claimed' AND lease_expires_at < now()
      AND NOT EXISTS (
          SELECT 1 FROM review_review AS sent
          WHERE sent.request_id = place.id AND sent.reviewer_id = place.claimed_by_id
            AND sent.sent_at IS NOT NULL AND sent.judged_at IS NULL
      )
    ORDER BY lease_expires_at LIMIT %s FOR UPDATE OF place SKIP LOCKED
)
"""

# What a place must be to be taken; said again where it is locked, as it may have changed meanwhile.
_FITS: Final = """
place.state = 'open' AND NOT place.barred @> ARRAY[%(user)s]::bigint[]
  AND NOT place.story_id = ANY(%(kept)s::bigint[]) AND NOT place.id = ANY(%(later)s::bigint[])
  AND NOT EXISTS (
      SELECT 1 FROM review_reviewrequest AS other
      WHERE other.revision_id = place.revision_id AND other.stage = place.stage
        AND other.claimed_by_id = %(user)s
  )
"""
# Whoever has been shown a key answers no more blindly.
_UNEXPOSED: Final = f"AND NOT {SEEN.format(item='place.item_id', story='place.story_id', task='place.task')}"
_LOCK: Final = "LIMIT 1 FOR UPDATE OF place SKIP LOCKED FOR SHARE OF item SKIP LOCKED"

# What a claim must know: whether a sent verdict is to be carried out, the request this person holds already,
# whether anybody's lease has run out; the story they read last, the requests they put off, the stories kept
# from them.
_BEFORE: Final = f"""
SELECT EXISTS (
    SELECT 1 FROM review_review AS sent JOIN review_reviewrequest AS place ON place.id = sent.request_id
    WHERE sent.sent_at IS NOT NULL AND sent.judged_at IS NULL AND sent.late_at IS NULL
      AND (sent.reviewer_id = %(user)s OR place.lease_expires_at < now()) AND place.project_id = %(project)s
), (
    SELECT id FROM review_reviewrequest
    WHERE project_id = %(project)s AND stage = %(stage)s AND claimed_by_id = %(user)s AND state = 'claimed'
      AND lease_expires_at > now()
    ORDER BY claimed_at LIMIT 1
), EXISTS (
    SELECT 1 FROM review_reviewrequest WHERE state = 'claimed' AND lease_expires_at < now()
), (
    SELECT place.story_id FROM review_review AS review
    JOIN review_reviewrequest AS place ON place.id = review.request_id
    WHERE review.reviewer_id = %(user)s AND place.project_id = %(project)s
    ORDER BY review.id DESC LIMIT 1
), ARRAY(
    SELECT place.id FROM review_postponement AS later
    JOIN review_reviewrequest AS place ON place.id = later.request_id
    WHERE later.user_id = %(user)s AND later.at > %(since)s AND place.project_id = %(project)s
), {KEPT_FROM}
"""  # noqa: S608 - put together from constants

# The oldest places of the queue, the most urgent first.
_OLDEST: Final = """
    SELECT id FROM review_reviewrequest
    WHERE project_id = %(project)s AND stage = %(stage)s AND state = 'open'
    ORDER BY priority DESC, id LIMIT %(first)s
"""
# Those of the story just read, unless something more urgent waits.
_OF_STORY: Final = """
    SELECT id FROM review_reviewrequest
    WHERE story_id = %(story)s AND stage = %(stage)s AND state = 'open' AND priority >= coalesce((
        SELECT priority FROM review_reviewrequest
        WHERE project_id = %(project)s AND stage = %(stage)s AND state = 'open'
        ORDER BY priority DESC, id LIMIT 1
    ), 0)
    ORDER BY id LIMIT %(first)s
"""
_NEAR: Final = f"""
WITH near AS MATERIALIZED ({{near}}),
fitting AS MATERIALIZED (
    SELECT place.id, place.priority FROM near JOIN review_reviewrequest AS place USING (id)
    WHERE {_FITS} {_UNEXPOSED} ORDER BY place.priority DESC, place.id LIMIT %(locked)s
),
found AS MATERIALIZED (
    SELECT place.id, place.option_count
    FROM fitting JOIN review_reviewrequest AS place USING (id)
    JOIN annotation_item AS item ON item.id = place.item_id
    WHERE {_FITS} ORDER BY place.priority DESC, place.id {_LOCK}
)
"""  # noqa: S608 - put together from the parts above
_ANYWHERE: Final = f"""
{GROUPS}, mine AS MATERIALIZED (
    SELECT groups.priority, groups.bar_key FROM groups CROSS JOIN LATERAL (
        SELECT id FROM review_reviewrequest AS place
        WHERE place.project_id = %(project)s AND place.stage = %(stage)s AND place.state = 'open'
          AND place.priority = groups.priority AND place.bar_key = groups.bar_key
        ORDER BY id LIMIT 1
    ) AS oldest
    WHERE NOT groups.barred @> ARRAY[%(user)s]::bigint[]
    ORDER BY groups.priority DESC, oldest.id
),
found AS MATERIALIZED (
    SELECT one.id, one.option_count FROM {{groups}} AS mine CROSS JOIN LATERAL (
        SELECT place.id, place.option_count
        FROM {{places}} AS place JOIN annotation_item AS item ON item.id = place.item_id
        WHERE place.project_id = %(project)s AND place.stage = %(stage)s
          AND place.priority = mine.priority AND place.bar_key = mine.bar_key
          AND {_FITS} {{narrowed}}
        ORDER BY place.id {_LOCK}
    ) AS one LIMIT 1
)
"""  # noqa: S608 - put together from the parts above

# Whoever has looked through a table of all items is exposed to nearly every place. So of each of the first
# groups only the places at both ends are looked at: what was written since stands at the newer one.
_END: Final = """
    (SELECT id FROM review_reviewrequest
     WHERE project_id = %(project)s AND stage = %(stage)s AND state = 'open'
       AND priority = mine.priority AND bar_key = mine.bar_key
     ORDER BY id {order} LIMIT %(ends)s)
"""
_ENDS: Final = f"{_END.format(order='')} UNION {_END.format(order='DESC')}"

# The place is found once, as a table of its own: as a subquery in FROM it could be run again for every row
# that the planner joins it to, and each run would lock, and so take, one place more.
_TAKE: Final = """
UPDATE review_reviewrequest AS taken
SET state = 'claimed', claimed_by_id = %(user)s, claimed_at = now(), lease_expires_at = %(until)s,
    active_seconds = 0,
    drawn_order = ARRAY(
        SELECT position FROM generate_series(0, found.option_count - 1) AS position ORDER BY random()
    )
FROM found
WHERE taken.id = found.id
RETURNING taken.*
"""
FROM_STORY: Final = _NEAR.format(near=_OF_STORY) + _TAKE
FROM_OLDEST: Final = _NEAR.format(near=_OLDEST) + _TAKE
FROM_ANYWHERE: Final = (
    _ANYWHERE.format(
        groups="(SELECT * FROM mine LIMIT %(groups)s)",
        places=f"({_ENDS}) AS near CROSS JOIN review_reviewrequest",
        narrowed=f"AND near.id = place.id {_UNEXPOSED}",
    )
    + _TAKE
)
FROM_EXPOSED: Final = _ANYWHERE.format(groups="mine", places="review_reviewrequest", narrowed="") + _TAKE


@transaction.atomic
def claim_next(*, actor: User, project: Project, stage: str) -> ReviewRequest | None:
    """The request the actor already holds at this stage, or the next one in the queue; or practice.

    The actor's last verdict, until now open to being undone, is carried out first. None if nothing is open
    to them; `review.queries.waiting` tells why.
    """
    require(may_claim(actor, project, stage))
    before = _before(actor, project, stage)
    if before.is_due:
        carry_out_sent(actor=actor, project=project)
        before = _before(actor, project, stage)
    if before.held is not None:
        return _held(before.held, project)
    if before.has_run_out:
        with connection.cursor() as cursor:
            cursor.execute(_FREE, [FREED_AT_ONCE])
    if stage != Stage.CROSS_CHECK or not project.gold_rate:
        return _next(actor, project, stage, before)
    dealt = deal_practice(actor, project) or _next(actor, project, stage, before)
    return dealt or take_postponed_practice(actor, project)


class _Before(NamedTuple):
    """What is known when somebody asks for a request."""

    is_due: bool
    held: int | None
    has_run_out: bool
    story: int | None
    later: list[int]
    kept: list[int]


def _before(actor: User, project: Project, stage: str) -> _Before:
    since = timezone.now() - POSTPONED_FOR
    values = {"user": actor.pk, "project": project.pk, "stage": stage, "since": since}
    return _Before(*one_row(_BEFORE, values))


def _held(pk: int, project: Project) -> ReviewRequest:
    held = ReviewRequest.everything.get(pk=pk)
    held.project = project
    return held


def _next(actor: User, project: Project, stage: str, before: _Before) -> ReviewRequest | None:
    values = {
        "user": actor.pk,
        "project": project.pk,
        "stage": stage,
        "story": before.story,
        "kept": before.kept,
        "later": before.later,
        "until": lease_end(project),
        "first": LOOKED_AT_FIRST,
        "locked": MOST_LOCKED,
        "groups": MOST_GROUPS,
        "ends": LOOKED_AT_EACH_END,
    }
    ways = [*([FROM_STORY] if before.story else []), FROM_OLDEST, FROM_ANYWHERE, FROM_EXPOSED]
    for way in ways:
        if (taken := _claim(way, values, project)) is not None:
            return taken
    return _claim(FROM_EXPOSED, values | {"later": []}, project) if before.later else None


def _claim(way: str, values: dict[str, object], project: Project) -> ReviewRequest | None:
    taken = next(iter(ReviewRequest.objects.raw(way, values)), None)
    if taken is not None:
        taken.project = project
    return taken


@transaction.atomic
def renew_lease(*, actor: User, request: ReviewRequest) -> ReviewRequest:
    """Hold the place for another full lease, because its claimant is at work.

    One that the clock has taken from them is theirs again if it is still free; else `Conflict`.
    """
    request = _in_hand(actor, request)
    note_work(request)
    request.save(update_fields=WORKED)
    return request


def _in_hand(actor: User, request: ReviewRequest) -> ReviewRequest:
    """The locked place, which the actor holds (again)."""
    request = lock_request(request)
    require(may_go_on(actor, request))
    if request.claimed_by_id == actor.pk and request.state != PlaceState.CLAIMED:
        raise Conflict(_("This item was already reviewed."))
    if not is_held(request, actor):
        raise Conflict(_("Your time expired and the item went to someone else."))
    regain(request, actor)
    return request


@transaction.atomic
def skip_request(*, actor: User, request: ReviewRequest, reason: str) -> None:
    """Give the place back with a reason; no place of this revision is offered to the actor again."""
    request = _in_hand(actor, request)
    if not reason.strip():
        raise Unusable(_("Enter a reason."), {"reason": _("empty")})
    give_back(request, actor)
    bar(actor, request)
    record_event(actor=actor, verb="skip_place", subject=request, detail={"reason": reason.strip()[:500]})


@transaction.atomic
def postpone_request(*, actor: User, request: ReviewRequest) -> None:
    """Give the place back for now; it is offered to the actor again after all others.

    `Conflict` once it is solved: an answer has been given, so it is judged, or skipped.
    """
    request = _in_hand(actor, request)
    if Review.everything.filter(request=request, reviewer=actor).exists():
        raise Conflict(_("You have answered this item. Submit a verdict or skip it."))
    give_back(request, actor)
    Postponement.objects.update_or_create(request=request, user=actor, defaults={"at": timezone.now()})
