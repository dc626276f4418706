"""A place in somebody's hands: locked, held on to, and taken up again after the lease ran out."""

from datetime import datetime, timedelta

from django.db import connection
from django.utils import timezone

from accounts.models import User
from projects.models import Project
from review.models import PlaceState, Review, ReviewRequest

_BAR = """
UPDATE review_reviewrequest
SET barred = ARRAY(SELECT DISTINCT person FROM unnest(barred || %(user)s::bigint) AS person ORDER BY person)
WHERE revision_id = %(revision)s AND stage = %(stage)s AND state IN ('open', 'claimed')
  AND NOT barred @> ARRAY[%(user)s]::bigint[]
"""


def lock_place(request: ReviewRequest) -> ReviewRequest:
    """The place as it stands now, its item locked first: PostgreSQL locks in the order that `of` names.

    In this order everywhere, so that nobody waits in a circle.
    """
    both = ReviewRequest.objects.select_for_update(of=("item", "self")).select_related("item")
    place = both.get(pk=request.pk)
    for name in ("project", "revision", "story"):  # none of these changes while a place exists
        if ReviewRequest._meta.get_field(name).is_cached(request):  # type: ignore[union-attr]  # a foreign key
            setattr(place, name, getattr(request, name))
    place.item.project = place.project
    return place


def lease_end(project: Project) -> datetime:
    """When a lease that begins now runs out."""
    return timezone.now() + timedelta(minutes=project.lease_minutes)


def bar(person: User, request: ReviewRequest) -> None:
    """Offer no place of this revision at this stage to this person again; its item is locked."""
    with connection.cursor() as cursor:
        cursor.execute(_BAR, {"user": person.pk, "revision": request.revision_id, "stage": request.stage})


def holds(request: ReviewRequest, actor: User) -> bool:
    """Whether a locked place is the actor's, or was given back by the clock and is theirs again now.

    What is regained is changed on `request`, to be saved by the caller (`HELD` names the fields).
    """
    if request.claimed_by_id == actor.pk and request.state == PlaceState.CLAIMED:
        return True
    if request.state != PlaceState.OPEN or not _may_regain(request, actor):
        return False
    if request.freed_from_id == actor.pk:
        request.drawn_order = request.freed_order
    request.state, request.claimed_by, request.claimed_at = PlaceState.CLAIMED, actor, timezone.now()
    request.lease_expires_at = lease_end(request.project)
    return True


HELD = ["state", "claimed_by", "claimed_at", "lease_expires_at", "drawn_order"]


def _may_regain(request: ReviewRequest, actor: User) -> bool:
    """Whether the place was the actor's before; not where they hold another of the same revision."""
    known = (
        request.freed_from_id == actor.pk or Review.objects.filter(request=request, reviewer=actor).exists()
    )
    others = ReviewRequest.objects.filter(revision=request.revision_id, stage=request.stage, claimed_by=actor)
    return known and not others.exists()
