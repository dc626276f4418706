"""Leases of requests: locking, extending, giving back, and claiming again after a lease ran out."""

import random
from datetime import datetime, timedelta
from typing import Final

from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.active_time import active_seconds
from annotation.models import RevisionAuthor
from core.errors import Forbidden
from core.invariants import present
from parable.kinds import kind_of
from projects.models import Project
from review.models import RequestState, Review, ReviewRequest
from review.services.sibling import regain_siblings
from review.sql import EXCLUDE, LOCK_REQUEST, LOCK_REVIEW, REQUESTS, REVIEWS
from web.rows import prepared_cursor

HELD: Final = [
    "state", "claimed_by", "claimed_at", "lease_expires_at", "active_seconds", "drawn_order", "freed_from",
]  # fmt: skip
WORKED: Final = ["lease_expires_at", "active_seconds"]
"""The fields that `note_work` changes. They exclude `claimed_by`, whose trigger would check authorship again.
"""
_UNCHANGING: Final = ("project", "story", "revision", "gold")


def lock_request(request: ReviewRequest) -> ReviewRequest:
    """Return the request with its present values, after locking its item and then the request.

    All code locks in this order, to prevent deadlocks; for practice, the item that the practice item was made
    from is locked. Unchanging data loaded with `request`, such as its content, are not loaded again.
    """
    (locked,) = REQUESTS.read(LOCK_REQUEST, [request.pk])
    return _with_words(locked, request)


def _with_words(locked: ReviewRequest, request: ReviewRequest) -> ReviewRequest:
    """Copy the unchanging data loaded with `request` to the locked request, and return the locked request."""
    for name in _UNCHANGING:
        if getattr(ReviewRequest, name).is_cached(request):
            setattr(locked, name, getattr(request, name))
    vars(locked).update({name: value for name, value in vars(request).items() if name not in vars(locked)})
    return locked


def lock_review(review: Review) -> Review:
    """Return the review with its present values, after locking its item, its request and then the review."""
    current = read_locked(review.pk)
    current.request = _with_words(current.request, review.request)
    return current


def read_locked(pk: int) -> Review:
    """Return the review with this primary key, locked as by `lock_review`."""
    ((request, review),) = REQUESTS.read_joined(REVIEWS, LOCK_REVIEW, [pk])
    review = present(review, "an inner join")
    review.request = request
    return review


def lease_end(project: Project) -> datetime:
    """Return the time at which a lease that starts now ends."""
    return timezone.now() + timedelta(minutes=project.lease_minutes)


def note_work(request: ReviewRequest) -> None:
    """Add the time since the last activity, at most two minutes, to the active time, and renew the lease.

    The caller saves the changed fields.
    """
    if request.lease_expires_at is not None:
        began = request.lease_expires_at - timedelta(minutes=request.project.lease_minutes)
        request.active_seconds += active_seconds(began, timezone.now())
    request.lease_expires_at = lease_end(request.project)


def bar(person: User, request: ReviewRequest) -> None:
    """Exclude this user from all requests of this revision at this stage.

    The item must be locked. The fields that `note_work` has changed are saved, too.
    """
    values = {
        "user": person.pk,
        "request": request.pk,
        "until": request.lease_expires_at,
        "active": request.active_seconds,
        "revision": request.revision_id,
        "stage": request.stage,
    }
    with prepared_cursor() as cursor:
        cursor.execute(EXCLUDE, values)


def is_held(request: ReviewRequest, actor: User) -> bool:
    """Return whether the actor has claimed a locked request, or may claim it again after the lease ran out.

    A request cannot be claimed again while the actor has another request of the same revision.
    """
    if request.state != request.given_back_as:
        return request.claimed_by_id == actor.pk and request.state == RequestState.CLAIMED
    own = Review.everything.filter(request=request, reviewer=actor)
    others = ReviewRequest.objects.filter(revision=request.revision_id, stage=request.stage, claimed_by=actor)
    return (request.freed_from_id == actor.pk or own.exists()) and not others.exists()


def regain(request: ReviewRequest, actor: User) -> None:
    """Claim a request and its siblings again after their lease ran out.

    Do nothing if the request is claimed.
    """
    if request.state == RequestState.CLAIMED:
        return
    refuse_author(actor, request)
    if request.freed_from_id == actor.pk:
        request.drawn_order = request.freed_order
    _claim(request, actor)
    regain_siblings(actor, request)


def take(request: ReviewRequest, actor: User) -> ReviewRequest:
    """Claim a locked open request for the actor, and draw a new random order of its options."""
    request.drawn_order = draw_order(request.task, request.option_count)
    return _claim(request, actor)


def draw_order(task: str, count: int) -> list[int]:
    """Return the positions of the options in random order, or in fixed order if the kind requires it."""
    if not kind_of(task).has_own_options:
        return list(range(count))
    return random.SystemRandom().sample(range(count), count)


def _claim(request: ReviewRequest, actor: User) -> ReviewRequest:
    request.state, request.claimed_by, request.claimed_at = RequestState.CLAIMED, actor, timezone.now()
    request.lease_expires_at = lease_end(request.project)
    request.save(update_fields=HELD)
    return request


def give_back(request: ReviewRequest, actor: User) -> None:
    """Give up the actor's claim of a locked request, so that others can claim it."""
    request.state, request.claimed_by, request.claimed_at = request.given_back_as, None, None
    request.lease_expires_at = None
    if request.freed_from_id == actor.pk:
        request.freed_from = None
    request.save(update_fields=HELD)


def refuse_author(person: User, request: ReviewRequest) -> None:
    """Raise `Forbidden` if the user has revised the request's item since the lease ran out.

    The database would refuse the claim, too, but without a readable message.
    """
    if RevisionAuthor.objects.wrote(person, request.source_id):
        raise Forbidden(_("You have since revised this item. No one reviews their own items."))
