"""Taking a place in the queue, holding it, and letting it go.

A claim is one statement: it locks an open place and, in share mode, its item, passes over what others
hold at this moment, and draws the order of the options. Its time does not grow with the queue.
"""

from datetime import datetime, timedelta
from typing import Final

from django.db import connection, transaction
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.errors import Conflict, Unusable, require
from accounts.models import User
from accounts.services import record_event
from annotation.queries.pilots import stories_kept_from
from projects.models import Project
from review.models import PlaceState, Review, ReviewRequest
from review.permissions import may_claim, may_work_on

FREED_AT_ONCE: Final = 10

_FREE: Final = """
UPDATE review_reviewrequest
SET state = 'open', claimed_by_id = NULL, claimed_at = NULL, lease_expires_at = NULL
WHERE id IN (
    SELECT id FROM review_reviewrequest WHERE state = 'claimed' AND lease_expires_at < now()
    ORDER BY lease_expires_at LIMIT %s FOR UPDATE SKIP LOCKED
)
"""

# The place is found once, as a table of its own: as a subquery in FROM it could be run again for every row
# that the planner joins it to, and each run would lock, and so take, one place more.
_CLAIM: Final = """
WITH found AS MATERIALIZED (
    SELECT place.id, place.option_count
    FROM review_reviewrequest AS place JOIN annotation_item AS item ON item.id = place.item_id
    WHERE place.project_id = %(project)s AND place.stage = %(stage)s AND place.state = 'open'
      AND NOT place.barred @> ARRAY[%(user)s]::bigint[] {narrowed}
      AND NOT place.story_id = ANY(%(kept)s::bigint[])
      AND NOT EXISTS (
          SELECT 1 FROM review_reviewrequest AS other
          WHERE other.revision_id = place.revision_id AND other.stage = place.stage
            AND other.claimed_by_id = %(user)s
      )
    ORDER BY place.priority DESC, place.id
    LIMIT 1
    FOR UPDATE OF place SKIP LOCKED FOR SHARE OF item SKIP LOCKED
)
UPDATE review_reviewrequest AS taken
SET state = 'claimed', claimed_by_id = %(user)s, claimed_at = now(), lease_expires_at = %(until)s,
    drawn_order = ARRAY(
        SELECT position FROM generate_series(0, found.option_count - 1) AS position ORDER BY random()
    )
FROM found
WHERE taken.id = found.id
RETURNING taken.id
"""

# The story just read comes first, unless something more urgent waits.
_SAME_STORY: Final = """
      AND place.story_id = %(story)s AND place.priority >= coalesce((
          SELECT max(urgent.priority) FROM review_reviewrequest AS urgent
          WHERE urgent.project_id = %(project)s AND urgent.stage = %(stage)s AND urgent.state = 'open'
      ), 0)
"""


@transaction.atomic
def claim_next(*, actor: User, project: Project, stage: str) -> ReviewRequest | None:
    """The place the actor already holds at this stage, or the next one in the queue.

    None if none is open to them; `review.queries.waiting` tells why.
    """
    require(may_claim(actor, project, stage))
    held = _held(actor, project, stage)
    if held is not None:
        return held
    with connection.cursor() as cursor:
        cursor.execute(_FREE, [FREED_AT_ONCE])
    story = _story_just_read(actor, project)
    kept = stories_kept_from(actor, project)
    taken = _claim(actor, project, stage, story, kept) if story else None
    taken = taken or _claim(actor, project, stage, None, kept)
    return None if taken is None else ReviewRequest.objects.select_related("project").get(pk=taken)


def _held(actor: User, project: Project, stage: str) -> ReviewRequest | None:
    return (
        ReviewRequest.objects.select_related("project")
        .filter(project=project, stage=stage, claimed_by=actor, state=PlaceState.CLAIMED)
        .filter(lease_expires_at__gt=Now())
        .order_by("claimed_at")
        .first()
    )


def _story_just_read(actor: User, project: Project) -> int | None:
    return (
        Review.objects.filter(reviewer=actor, request__project=project)
        .order_by("-pk")
        .values_list("request__story_id", flat=True)
        .first()
    )


def _claim(actor: User, project: Project, stage: str, story: int | None, kept: list[int]) -> int | None:
    with connection.cursor() as cursor:
        cursor.execute(
            _CLAIM.format(narrowed=_SAME_STORY if story else ""),
            {
                "user": actor.pk,
                "project": project.pk,
                "stage": stage,
                "story": story,
                "kept": kept,
                "until": _lease_end(project),
            },
        )
        row = cursor.fetchone()
    return None if row is None else int(row[0])


def _lease_end(project: Project) -> datetime:
    return timezone.now() + timedelta(minutes=project.lease_minutes)


@transaction.atomic
def renew_lease(*, actor: User, request: ReviewRequest) -> ReviewRequest:
    """Hold the place for another full lease, because its claimant is at work."""
    request = (
        ReviewRequest.objects.select_for_update(of=("self",)).select_related("project").get(pk=request.pk)
    )
    require(may_work_on(actor, request))
    if request.state != PlaceState.CLAIMED:
        raise Conflict(_("This place has been judged already."))
    request.lease_expires_at = _lease_end(request.project)
    request.save(update_fields=["lease_expires_at"])
    return request


@transaction.atomic
def skip_place(*, actor: User, request: ReviewRequest, reason: str) -> None:
    """Give the place back with a reason; it is not offered to the actor again."""
    request = (
        ReviewRequest.objects.select_for_update(of=("self",)).select_related("project").get(pk=request.pk)
    )
    require(may_work_on(actor, request))
    if request.state != PlaceState.CLAIMED:
        raise Conflict(_("This place has been judged already."))
    if not reason.strip():
        raise Unusable(_("Please give a reason."), {"reason": _("empty")})
    request.state, request.claimed_by, request.claimed_at = PlaceState.OPEN, None, None
    request.lease_expires_at = None
    request.barred = sorted({*request.barred, actor.pk})
    request.save(update_fields=["state", "claimed_by", "claimed_at", "lease_expires_at", "barred"])
    record_event(actor=actor, verb="skip_place", subject=request, detail={"reason": reason.strip()[:500]})
