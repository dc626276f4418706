"""Services for siblings, the requests of one story that a user has claimed together.

Each function runs in its caller's transaction. Only one request at a time is locked with its item; siblings
locked by another transaction are skipped, to prevent deadlocks.
"""

from django.db import connection
from django.utils import timezone

from accounts.models import User
from annotation.services import record_key_exposure
from parable.kinds import kind_of
from review.models import ReviewRequest
from review.queries.sibling import sibling_values, together
from review.sql import EXTEND_SIBLINGS, LET_SIBLINGS_GO, REGAIN_SIBLINGS


def show_key(actor: User, request: ReviewRequest) -> ReviewRequest | None:
    """Return the sibling to answer before this request's key is displayed.

    Return None if the key is displayed now. In the latter case the exposure is recorded: later answers to
    items that the key reveals are not blind.
    """
    following = next(iter(together(actor, request).left), None)
    if following is None:
        record_key_exposure(
            actor=actor, item_id=request.source_id, story_id=request.story_id, task=request.task
        )
    return following


def reveal(*, actor: User, request: ReviewRequest) -> ReviewRequest | None:
    """Return the sibling to answer before the key of an answered request is displayed, or None.

    If it is None and the kind has siblings, the exposure to the key is recorded, as in `show_key`.
    """
    return show_key(actor, request) if kind_of(request.task).exposed_by_story else None


def keep_siblings(actor: User, request: ReviewRequest, *, begins: bool = False) -> None:
    """Renew the leases of the request's siblings that the actor has claimed.

    `begins`: whether the actor now begins the next sibling.
    """
    if kind_of(request.task).exposed_by_story:
        _execute(EXTEND_SIBLINGS, actor, request, begins=begins)


def regain_siblings(actor: User, request: ReviewRequest) -> None:
    """Claim the siblings again that the actor lost with their leases, unless other users have them."""
    if kind_of(request.task).exposed_by_story:
        _execute(REGAIN_SIBLINGS, actor, request)


def _execute(sql: str, actor: User, request: ReviewRequest, *, begins: bool = False) -> None:
    values = sibling_values(actor, request)
    values |= {"until": request.lease_expires_at, "now": timezone.now(), "begins": begins}
    with connection.cursor() as cursor:
        cursor.execute(sql, values)


def let_go(actor: User, requests: list[int]) -> list[int]:
    """Release these requests of the actor, and return the ids of the released ones."""
    with connection.cursor() as cursor:
        cursor.execute(LET_SIBLINGS_GO, {"user": actor.pk, "siblings": requests})
        return [pk for (pk,) in cursor.fetchall()]
