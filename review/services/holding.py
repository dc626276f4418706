"""A place in somebody's hands: locked, held on to, and taken up again after the lease ran out."""

from datetime import datetime, timedelta
from typing import Any, Final

from django.db import connection
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.models import Item, RevisionAuthor
from annotation.services import active_since
from core.errors import Forbidden
from projects.models import Project
from review.models import GoldPlace, PlaceState, Review, ReviewRequest
from review.queries.rows import Columns, one_row

_BAR = """
UPDATE review_reviewrequest
SET barred = ARRAY(SELECT DISTINCT person FROM unnest(barred || %(user)s::bigint) AS person ORDER BY person)
WHERE revision_id = %(revision)s AND stage = %(stage)s AND state IN ('open', 'claimed')
  AND NOT barred @> ARRAY[%(user)s]::bigint[]
"""
_PLACE: Final = Columns(ReviewRequest, "place")
_ITEM: Final = Columns(Item, "item")
_REVIEW: Final = Columns(Review, "review")
_LOCK_PLACE: Final = f"""
SELECT {_PLACE.sql}, {_ITEM.sql}
FROM review_reviewrequest AS place JOIN annotation_item AS item ON item.id = place.item_id
WHERE place.id = %(place)s FOR UPDATE OF item, place
"""  # noqa: S608 - put together from the columns above
_LOCK_REVIEW: Final = f"""
SELECT {_PLACE.sql}, {_ITEM.sql}, {_REVIEW.sql}
FROM review_review AS review JOIN review_reviewrequest AS place ON place.id = review.request_id
JOIN annotation_item AS item ON item.id = place.item_id
WHERE review.id = %(review)s FOR UPDATE OF item, place, review
"""  # noqa: S608 - put together from the columns above


def lock_place(request: ReviewRequest) -> ReviewRequest:
    """The place as it stands now, its item locked first: PostgreSQL locks in the order that `OF` names.

    In this order everywhere, so that nobody waits in a circle.
    """
    row = one_row(_LOCK_PLACE, {"place": request.pk})
    assert row is not None  # noqa: S101 - no place is ever deleted
    return _locked(row, request)


def lock_review(review: Review) -> tuple[ReviewRequest, Review]:
    """A review and its place as they stand now, locked after the item."""
    row = one_row(_LOCK_REVIEW, {"review": review.pk})
    assert row is not None  # noqa: S101 - no review is ever deleted
    known = review.request if Review._meta.get_field("request").is_cached(review) else None
    place, locked = _locked(row, known), _REVIEW.taken_from(row, len(_PLACE) + len(_ITEM))
    locked.request = place
    return place, locked


def _locked(row: tuple[Any, ...], known: ReviewRequest | None) -> ReviewRequest:
    place, place_item = _PLACE.taken_from(row), _ITEM.taken_from(row, len(_PLACE))
    for name in ("project", "revision", "story"):  # none of these changes while a place exists
        if known and ReviewRequest._meta.get_field(name).is_cached(known):  # type: ignore[union-attr]  # a foreign key
            setattr(place, name, getattr(known, name))
    place_item.project, place.item = place.project, place_item
    return place


def lease_end(project: Project) -> datetime:
    """When a lease that begins now runs out."""
    return timezone.now() + timedelta(minutes=project.lease_minutes)


def note_work(place: ReviewRequest | GoldPlace, project: Project) -> None:
    """Count the time since the last sign of work, unless it was a pause, and begin a new lease.

    What has changed on `place` is to be saved by the caller. A lease begins with each sign of work.
    """
    if place.lease_expires_at is not None:
        place.active_seconds += active_since(
            place.lease_expires_at - timedelta(minutes=project.lease_minutes)
        )
    place.lease_expires_at = lease_end(project)


def bar(person: User, request: ReviewRequest) -> None:
    """Offer no place of this revision at this stage to this person again; its item is locked."""
    with connection.cursor() as cursor:
        cursor.execute(_BAR, {"user": person.pk, "revision": request.revision_id, "stage": request.stage})


HELD = ["state", "claimed_by", "claimed_at", "lease_expires_at", "active_seconds", "drawn_order"]


def is_held(request: ReviewRequest, actor: User) -> bool:
    """Whether a locked place is the actor's, or was before and is free: then `regain` makes it theirs.

    It is not free for an actor who holds another place of the same revision.
    """
    if request.state != PlaceState.OPEN:
        return request.claimed_by_id == actor.pk and request.state == PlaceState.CLAIMED
    own = Review.objects.filter(request=request, reviewer=actor)
    others = ReviewRequest.objects.filter(revision=request.revision_id, stage=request.stage, claimed_by=actor)
    return (request.freed_from_id == actor.pk or own.exists()) and not others.exists()


def regain(request: ReviewRequest, actor: User) -> None:
    """Claim a place again that the clock gave back; nothing where it is still the actor's."""
    if request.state == PlaceState.CLAIMED:
        return
    if request.freed_from_id == actor.pk:
        request.drawn_order = request.freed_order
    request.state, request.claimed_by, request.claimed_at = PlaceState.CLAIMED, actor, timezone.now()
    request.lease_expires_at = lease_end(request.project)
    request.save(update_fields=HELD)


def refuse_author(person: User, request: ReviewRequest) -> None:
    """Say to who has lost a place and revised its item since that it is too late: `Forbidden`.

    The database would refuse it as well, but without words; a place that is held cannot be its author's.
    """
    if RevisionAuthor.objects.wrote(person, request.item_id):
        raise Forbidden(_("You have written a wording of this item since. Nobody judges what they wrote."))
