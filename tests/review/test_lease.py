"""How long a request is somebody's, what happens when the time is over, and who may have it again."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.utils import timezone

from accounts.models import User
from annotation.models import State
from core.errors import Conflict
from projects.models import Role
from projects.services import set_roles
from review.models import Answer, Disposition, RequestState, Review, ReviewRequest, Stage
from review.services import claim as claims_of_review
from review.services import (
    claim_next,
    renew_lease,
    send_verdict,
    skip_request,
    solve,
    undo_verdict,
)
from review.services.verdict import CAN_BE_UNDONE
from review.sql import FREE_LAPSED
from review.tasks import sweep_verdicts
from tests.factories import Cast, make_project, make_user, submit_item
from tests.review.practice_cast import first_drawn, practice_item, right_place

pytestmark = pytest.mark.django_db


def take(cast: Cast, who: User) -> ReviewRequest:
    request = claim_next(actor=who, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request is not None
    return request


def solved(who: User, request: ReviewRequest) -> Review:
    key = request.drawn_order.index(request.revision.options.get(is_key=True).position)
    return solve(actor=who, request=request, answer=Answer.OPTION, position=key)


def sent(who: User, request: ReviewRequest) -> Review:
    """A verdict that can still be undone."""
    return send_verdict(
        actor=who, review=solved(who, request), disposition=Disposition.PASS, rating=2, final=False
    )


def run_out(request: ReviewRequest) -> None:
    ReviewRequest.objects.filter(pk=request.pk).update(lease_expires_at=timezone.now() - timedelta(minutes=1))


def freed(request: ReviewRequest) -> ReviewRequest:
    """Give a request back by the clock, as somebody's next claim does."""
    run_out(request)
    with connection.cursor() as cursor:
        cursor.execute(FREE_LAPSED, [claims_of_review.FREED_AT_ONCE])
    request.refresh_from_db()
    assert (request.state, request.claimed_by) == (RequestState.OPEN, None)
    return request


# --- how long ---


@contextmanager
def lasting(minutes: int) -> Iterator[Callable[[datetime | None], None]]:
    """Say that a lease which begins inside ends so many minutes later, whatever the machine is busy with."""
    ends: list[datetime | None] = []
    before = timezone.now()
    yield ends.append
    after, lease = timezone.now(), timedelta(minutes=minutes)
    for end in ends:
        assert end is not None
        assert before + lease <= end <= after + lease
    assert ends


@pytest.mark.parametrize("minutes", [10, 30, 60])
def test_a_lease_lasts_as_long_as_the_project_says(minutes: int) -> None:
    cast = make_project(lease_minutes=minutes)
    submit_item(cast)
    with lasting(minutes) as ends:
        request = take(cast, cast.reviewer)
        ends(request.lease_expires_at)
    run_out(request)
    with lasting(minutes) as ends:
        ends(renew_lease(actor=cast.reviewer, request=request).lease_expires_at)
    freed(request)
    with lasting(minutes) as ends:
        ends(renew_lease(actor=cast.reviewer, request=request).lease_expires_at)
    review = sent(cast.reviewer, request)
    with lasting(minutes) as ends:
        undo_verdict(actor=cast.reviewer, review=review)
        ends(ReviewRequest.objects.get(pk=request.pk).lease_expires_at)


@pytest.mark.parametrize("minutes", [10, 30])
def test_a_lease_of_a_practice_item_lasts_as_long(minutes: int) -> None:
    cast = make_project(gold_rate=50, lease_minutes=minutes)
    practice_item(cast)
    submit_item(cast)
    with lasting(minutes) as ends:
        practice = first_drawn(cast)
        ends(practice.lease_expires_at)
    with lasting(minutes) as ends:
        ends(renew_lease(actor=cast.reviewer, request=practice).lease_expires_at)
    review = solve(
        actor=cast.reviewer, request=practice, answer=Answer.OPTION, position=right_place(practice)
    )
    judged = send_verdict(
        actor=cast.reviewer, review=review, disposition=Disposition.PASS, rating=2, final=False
    )
    assert judged.sent_at is not None
    assert judged.request.lease_expires_at is not None
    assert judged.request.lease_expires_at - judged.sent_at == timedelta(minutes=5)
    with lasting(minutes) as ends:
        ends(undo_verdict(actor=cast.reviewer, review=review).request.lease_expires_at)


def test_a_verdict_can_be_undone_for_five_minutes(cast: Cast) -> None:
    submit_item(cast)
    review = sent(cast.reviewer, take(cast, cast.reviewer))
    request = ReviewRequest.objects.get()
    assert review.sent_at is not None
    assert request.lease_expires_at is not None
    assert request.lease_expires_at - review.sent_at == timedelta(minutes=5) == CAN_BE_UNDONE


@pytest.mark.parametrize(("seconds_ago", "is_final"), [(0, False), (240, False), (360, True)])
def test_a_verdict_is_final_when_its_five_minutes_are_over(
    cast: Cast, seconds_ago: int, is_final: bool
) -> None:
    """What the clock does: the times of the verdict are moved into the past together."""
    item = submit_item(cast)
    review = sent(cast.reviewer, take(cast, cast.reviewer))
    request = ReviewRequest.objects.get()
    assert review.sent_at is not None
    assert request.lease_expires_at is not None
    ago = timedelta(seconds=seconds_ago)
    Review.objects.filter(pk=review.pk).update(sent_at=review.sent_at - ago)
    ReviewRequest.objects.update(lease_expires_at=request.lease_expires_at - ago)
    sweep_verdicts()
    item.refresh_from_db()
    assert item.state == (State.IN_VERIFICATION if is_final else State.IN_REVIEW)
    if is_final:
        with pytest.raises(Conflict):
            undo_verdict(actor=cast.reviewer, review=review)
    else:
        assert undo_verdict(actor=cast.reviewer, review=review).sent_at is None


# --- when the time is over ---


@pytest.mark.parametrize("has_sent", [True, False])
def test_a_claim_elsewhere_frees_what_ran_out_but_no_request_of_a_sent_verdict(
    cast: Cast, has_sent: bool
) -> None:
    """Leases are freed whatever the project; verdicts are carried out in their own."""
    item, elsewhere = submit_item(cast), make_project()
    submit_item(elsewhere)
    request = take(cast, cast.reviewer)
    if has_sent:
        sent(cast.reviewer, request)
    run_out(request)
    take(elsewhere, elsewhere.reviewer)
    request.refresh_from_db()
    assert request.state == (RequestState.CLAIMED if has_sent else RequestState.OPEN)
    assert request.claimed_by == (cast.reviewer if has_sent else None)
    if has_sent:
        sweep_verdicts()
        item.refresh_from_db()
        assert (item.state, Review.objects.get().late_at) == (State.IN_VERIFICATION, None)


def test_more_sent_verdicts_than_one_claim_carries_out_stay_whole(cast: Cast) -> None:
    """The times of six people are over at once, and a claim carries out five: the sixth is not handed on."""
    for number in range(6):
        submit_item(cast)
        person = make_user(f"Reviewer {number}")
        set_roles(actor=cast.manager, project=cast.project, user=person, roles=[Role.REVIEWER])
        sent(person, take(cast, person))
    ReviewRequest.objects.update(lease_expires_at=timezone.now() - timedelta(minutes=1))
    for left in (1, 0):
        assert claim_next(actor=cast.reviewer2, project=cast.project, stage=Stage.CROSS_CHECK) is None
        states = ReviewRequest.objects.filter(stage=Stage.CROSS_CHECK).values_list("state", flat=True)
        assert sorted(states) == ["claimed"] * left + ["done"] * (6 - left)
    assert not Review.objects.filter(late_at__isnull=False).exists()


# --- having it again ---


def both_requests(cast: Cast) -> tuple[ReviewRequest, ReviewRequest]:
    """Two requests of one revision: the one that the reviewer lost and that is open, and the other, open."""
    cast.project.reviews_per_item = 2
    cast.project.save()
    submit_item(cast)
    lost = take(cast, cast.reviewer)
    freed(lost)
    other = ReviewRequest.objects.exclude(pk=lost.pk).get()
    return lost, other


def take_this(request: ReviewRequest, who: User) -> ReviewRequest:
    """Claim one request and no other: all else waits with others for that moment."""
    ReviewRequest.objects.filter(pk=request.pk).update(priority=9)
    taken = claim_next(actor=who, project=request.project, stage=Stage.CROSS_CHECK)
    assert taken is not None
    assert taken.pk == request.pk
    return taken


@pytest.mark.parametrize("holds_now", ["nothing", "the other", "the other, judged"])
def test_nobody_regains_a_second_request_of_a_revision(cast: Cast, holds_now: str) -> None:
    """What the clock took is theirs again where it is free, unless they look at the revision already."""
    lost, other = both_requests(cast)
    if holds_now != "nothing":
        mine = take_this(other, cast.reviewer)
        if holds_now == "the other, judged":
            send_verdict(
                actor=cast.reviewer,
                review=solved(cast.reviewer, mine),
                disposition=Disposition.PASS,
                rating=2,
            )
        for verb in (
            lambda: renew_lease(actor=cast.reviewer, request=lost),
            lambda: skip_request(actor=cast.reviewer, request=lost, reason="Mine."),
        ):
            with pytest.raises(Conflict):
                verb()
        if holds_now == "the other":
            assert solved(cast.reviewer, lost).request == other, "the answer goes where their lease is"
    else:
        assert renew_lease(actor=cast.reviewer, request=lost).claimed_by == cast.reviewer
    lost.refresh_from_db()
    assert lost.state == (RequestState.CLAIMED if holds_now == "nothing" else RequestState.OPEN)
