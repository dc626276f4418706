"""Services for the requests of one story that a user holds together: renewing, regaining, giving back.

Each function runs in its caller's transaction. Only one request at a time is locked with its item; siblings
locked by another transaction are skipped, to prevent deadlocks.
"""

from typing import Final

from django.db import connection
from django.utils import timezone

from accounts.models import User
from annotation.services import record_key_shown
from parable.kinds import kind_of
from review.models import ReviewRequest
from review.queries.sibling import SAME_STORY, sibling_values, together

_OF_THE_STORY: Final = f"""
request.project_id = %(project)s AND request.stage = %(stage)s AND request.task = %(task)s
    AND request.id <> %(request)s AND request.story_id = ANY({SAME_STORY})
"""
# The time to the answer of a sibling begins with the answer before it. A verdict that can still be undone
# keeps its own time.
_KEEP: Final = f"""
UPDATE review_reviewrequest AS kept
SET lease_expires_at = %(until)s,
    claimed_at = CASE WHEN %(begins)s AND NOT EXISTS (
        SELECT 1 FROM review_review AS given
        WHERE given.request_id = kept.id AND given.reviewer_id = %(user)s
    ) THEN %(now)s ELSE claimed_at END
WHERE id IN (
    SELECT request.id FROM review_reviewrequest AS request
    WHERE request.claimed_by_id = %(user)s AND request.state = 'claimed' AND {_OF_THE_STORY}
      AND NOT EXISTS (
          SELECT 1 FROM review_review AS sent
          WHERE sent.request_id = request.id AND sent.reviewer_id = %(user)s AND sent.sent_at IS NOT NULL
      )
    FOR UPDATE OF request SKIP LOCKED
)
"""  # noqa: S608 - put together from constants
# Of two lost requests of a revision, the later one.
_REGAIN: Final = f"""
WITH found AS MATERIALIZED (
    SELECT request.id FROM review_reviewrequest AS request
    JOIN annotation_item AS item ON item.id = request.item_id
    WHERE request.freed_from_id = %(user)s AND request.state = 'open' AND {_OF_THE_STORY}
      AND NOT parable_is_author(request.item_id, %(user)s)
      AND NOT EXISTS (
          SELECT 1 FROM review_reviewrequest AS other
          WHERE other.revision_id = request.revision_id AND other.stage = request.stage
            AND (other.claimed_by_id = %(user)s
                 OR other.freed_from_id = %(user)s AND other.state = 'open' AND other.id > request.id)
      )
    FOR UPDATE OF request SKIP LOCKED FOR SHARE OF item SKIP LOCKED
)
UPDATE review_reviewrequest AS regained
SET state = 'claimed', claimed_by_id = %(user)s, claimed_at = %(now)s, lease_expires_at = %(until)s,
    drawn_order = freed_order
FROM found WHERE regained.id = found.id
"""  # noqa: S608 - put together from constants
_LET_GO: Final = """
UPDATE review_reviewrequest
SET state = CASE WHEN gold_id IS NULL THEN 'open' ELSE 'closed' END, claimed_by_id = NULL,
    claimed_at = NULL, lease_expires_at = NULL, freed_from_id = nullif(freed_from_id, %(user)s)
WHERE id IN (
    SELECT id FROM review_reviewrequest
    WHERE id = ANY(%(siblings)s) AND claimed_by_id = %(user)s AND state = 'claimed' FOR UPDATE SKIP LOCKED
)
RETURNING id
"""


def show_key(actor: User, request: ReviewRequest) -> ReviewRequest | None:
    """Return the sibling to answer before this request's key is shown, or None if the key is shown now.

    Showing it is recorded: answers given from then on to items that the key reveals are not blind.
    """
    following = next(iter(together(actor, request).left), None)
    if following is None:
        record_key_shown(actor=actor, item_id=request.source_id, story_id=request.story_id, task=request.task)
    return following


def reveal(*, actor: User, request: ReviewRequest) -> ReviewRequest | None:
    """Show the key of a request answered earlier, as `show_key` does.

    Return None for kinds without siblings.
    """
    return show_key(actor, request) if kind_of(request.task).exposed_by_story else None


def keep_siblings(actor: User, request: ReviewRequest, *, begins: bool = False) -> None:
    """Renew the leases of the siblings that the actor holds together with the request.

    `begins`: the actor now starts on the next of them.
    """
    if kind_of(request.task).exposed_by_story:
        _execute(_KEEP, actor, request, begins=begins)


def regain_siblings(actor: User, request: ReviewRequest) -> None:
    """Claim again the siblings that are still open after the actor's leases on them ran out."""
    if kind_of(request.task).exposed_by_story:
        _execute(_REGAIN, actor, request)


def _execute(sql: str, actor: User, request: ReviewRequest, *, begins: bool = False) -> None:
    values = sibling_values(actor, request)
    values |= {"until": request.lease_expires_at, "now": timezone.now(), "begins": begins}
    with connection.cursor() as cursor:
        cursor.execute(sql, values)


def let_go(actor: User, requests: list[int]) -> list[int]:
    """Release these requests of the actor, and return the ids of those that were released."""
    with connection.cursor() as cursor:
        cursor.execute(_LET_GO, {"user": actor.pk, "siblings": requests})
        return [pk for (pk,) in cursor.fetchall()]
