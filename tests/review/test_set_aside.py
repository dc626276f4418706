"""Verdicts are set aside: they count no longer, others review the items, and it can be undone."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import AuditEvent, User
from annotation.models import Cause, Item, State, Transition
from annotation.services import retire_item, return_item
from core.errors import Conflict, Forbidden, Unusable
from jobs.models import Job
from jobs.services import run_job
from projects.models import Role
from projects.services import set_roles
from review.models import Answer, Disposition, RequestState, Review, ReviewRequest, SetAside, Stage
from review.queries.practice import closed_item
from review.queries.set_aside import MOST_VERDICTS, SET_ASIDE, Touched, touched_by
from review.queries.statistics import STATISTICS, rated_rows, solved_rows
from review.services import claim_next, order_set_aside, send_ruling, send_verdict, solve, undo_set_aside
from review.services import set_aside as service
from review.set_aside import Effect, Standing, effect_on, effect_on_item
from tests.factories import Cast, make_project, make_user, submit_item
from tests.review.practice_cast import look

# --- the rule, line by line ---


def standing(state: str, *, current: bool = True, last: bool = True, ruled: bool = False) -> Standing:
    return Standing(str(state), is_current=current, is_last_round=last, is_ruled=ruled)


@pytest.mark.parametrize(
    ("found", "effect"),
    [
        (standing(State.IN_REVIEW), Effect.REPLACE),
        (standing(State.IN_VERIFICATION), Effect.REOPEN),
        (standing(State.IN_ADJUDICATION), Effect.REOPEN),
        (standing(State.VERIFIED), Effect.REOPEN),
        (standing(State.REJECTED), Effect.REOPEN),
        (standing(State.RETURNED), Effect.WITH_WRITER),
        (standing(State.DRAFT), Effect.WITH_WRITER),
        (standing(State.WITHDRAWN), Effect.ENDED),
        (standing(State.RETIRED), Effect.ENDED),
        (standing(State.VERIFIED, ruled=True), Effect.RULED),
        (standing(State.REJECTED, ruled=True), Effect.RULED),
        (standing(State.IN_REVIEW, last=False), Effect.AGAIN),
        (standing(State.VERIFIED, last=False, ruled=True), Effect.AGAIN),
        (standing(State.VERIFIED, current=False), Effect.REVISED),
        (standing(State.RETURNED, current=False), Effect.WITH_WRITER),
    ],
)
def test_what_becomes_of_an_item_follows_from_its_state_and_the_verdict(
    found: Standing, effect: Effect
) -> None:
    assert effect_on(found) == effect


def test_of_several_verdicts_on_an_item_the_one_that_changes_it_decides() -> None:
    old, new = standing(State.VERIFIED, current=False), standing(State.VERIFIED)
    assert effect_on_item([old, new]) == Effect.REOPEN
    assert effect_on_item([old]) == Effect.REVISED


# --- the service ---


@pytest.fixture
def cast(db: None) -> Cast:
    """A project in which two people review each item."""
    return make_project(reviews_per_item=2)


def judge(cast: Cast, who: User, stage: str = Stage.CROSS_CHECK, *, right: bool = True) -> Review:
    request = claim_next(actor=who, project=cast.project, stage=stage)
    assert request is not None
    key = request.drawn_order.index(request.revision.options.get(is_key=True).position)
    position = key if right else (key + 1) % 4
    review = solve(actor=who, request=request, answer=Answer.OPTION, position=position)
    marks = [one == key for one in range(request.option_count)]
    return send_verdict(
        actor=who,
        review=review,
        disposition=Disposition.PASS,
        rating=2 if stage == Stage.CROSS_CHECK else None,
        option_marks=marks,
    )


def reviewed(cast: Cast, *, right: bool = True) -> Item:
    """An item that both reviewers passed, `reviewer` first."""
    item = submit_item(cast)
    judge(cast, cast.reviewer, right=right)
    judge(cast, cast.reviewer2)
    item.refresh_from_db()
    return item


def verified(cast: Cast) -> Item:
    item = reviewed(cast)
    judge(cast, cast.verifier, Stage.VERIFICATION)
    item.refresh_from_db()
    assert item.state == State.VERIFIED
    return item


def do(cast: Cast, **more: object) -> SetAside:
    values = {"actor": cast.manager, "project": cast.project, "reviewer": cast.reviewer, "reason": "Guesses."}
    return order_set_aside(**{**values, **more})  # type: ignore[arg-type]  # as the tests give it


def touched(cast: Cast) -> Touched:
    return touched_by(cast.project, cast.reviewer, None, timezone.now())


def state_of(item: Item) -> str:
    return Item.objects.get(pk=item.pk).state


def waiting(item: Item) -> list[tuple[str, list[int]]]:
    """The stages of the item's open requests, with those who may not take them."""
    found = ReviewRequest.objects.filter(item=item, state=RequestState.OPEN).order_by("pk")
    return [(one.stage, one.excluded) for one in found]


def someone(cast: Cast, name: str = "Rahel Reviewer") -> User:
    user = make_user(name)
    set_roles(actor=cast.manager, project=cast.project, user=user, roles=[Role.REVIEWER])
    return user


@pytest.mark.parametrize("of", ["verified", "in_verification", "in_adjudication"])
def test_an_item_goes_back_to_review_for_others_and_comes_back_by_undoing(cast: Cast, of: str) -> None:
    item = verified(cast) if of == "verified" else reviewed(cast, right=of == "in_verification")
    assert state_of(item) == of
    before = waiting(item)
    shown = touched(cast)
    assert (shown.verdicts, dict(shown.by_effect)) == (1, {Effect.REOPEN: 1})
    assert shown.verified == ((item.pk,) if of == "verified" else ())
    done = do(cast)
    move = Transition.objects.filter(item=item).latest("pk")
    assert (move.from_state, move.to_state, move.cause) == (of, State.IN_REVIEW, Cause.SET_ASIDE)
    assert (move.actor, move.reason) == (cast.manager, "Guesses.")
    gone = {cast.writer.pk, cast.reviewer.pk, cast.reviewer2.pk}
    assert waiting(item) == [(Stage.CROSS_CHECK, sorted(gone))] * 2
    assert claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK) is None
    assert touched(cast).verdicts == 0, "they were set aside"
    undone = undo_set_aside(actor=cast.manager, order=done)
    assert (undone.undone, undone.left) == (1, 0)
    assert state_of(item) == of
    assert waiting(item) == before
    assert touched(cast).verdicts == 1
    assert {*AuditEvent.objects.filter(verb__contains="verdicts_aside").values_list("verb", flat=True)} == {
        "set_verdicts_aside", "undo_set_verdicts_aside",
    }  # fmt: skip


def test_a_rejected_item_is_reviewed_again(cast: Cast) -> None:
    cast = make_project()
    item = submit_item(cast)
    look(cast, cast.reviewer, Stage.CROSS_CHECK, disposition=Disposition.REJECT, rating=1, comment="No.")
    assert state_of(item) == State.REJECTED
    done = do(cast)
    assert state_of(item) == State.IN_REVIEW
    undo_set_aside(actor=cast.manager, order=done)
    assert state_of(item) == State.REJECTED
    assert waiting(item) == []


def test_in_an_open_round_another_reviewer_is_asked_and_the_round_ends_without_the_verdict(
    cast: Cast,
) -> None:
    item = submit_item(cast)
    wrong = judge(cast, cast.reviewer, right=False)
    done = do(cast)
    assert state_of(item) == State.IN_REVIEW
    assert all(cast.reviewer.pk in excluded for _stage, excluded in waiting(item))
    assert len(waiting(item)) == 2, "one more, for another reviewer"
    judge(cast, cast.reviewer2)
    judge(cast, someone(cast))
    assert state_of(item) == State.IN_VERIFICATION, "the wrong answer that was set aside does not count"
    wrong.refresh_from_db()
    assert (wrong.set_aside, wrong.is_correct, wrong.disposition) == (done, False, Disposition.PASS)
    undone = undo_set_aside(actor=cast.manager, order=done)
    assert (undone.undone, undone.left) == (1, 1)
    assert state_of(item) == State.IN_VERIFICATION
    wrong.refresh_from_db()
    assert wrong.set_aside == done, "what has been reviewed again stays set aside"


def test_undone_in_an_open_round_the_verdict_counts_and_may_end_the_round(cast: Cast) -> None:
    item = submit_item(cast)
    judge(cast, cast.reviewer, right=False)
    done = do(cast)
    judge(cast, cast.reviewer2)
    assert state_of(item) == State.IN_REVIEW, "the request for another reviewer is open"
    undo_set_aside(actor=cast.manager, order=done)
    assert state_of(item) == State.IN_ADJUDICATION
    assert waiting(item)[0][0] == Stage.ADJUDICATION


def test_undoing_leaves_an_item_whose_new_review_has_begun(cast: Cast) -> None:
    one = reviewed(cast)
    done = do(cast)
    assert claim_next(actor=someone(cast), project=cast.project, stage=Stage.CROSS_CHECK)
    undone = undo_set_aside(actor=cast.manager, order=done)
    assert (undone.undone, undone.left) == (1, 1)
    assert state_of(one) == State.IN_REVIEW
    with pytest.raises(Conflict, match="already undone"):
        undo_set_aside(actor=cast.manager, order=done)


def test_what_others_have_decided_since_stays(cast: Cast) -> None:
    ruled = reviewed(cast, right=False)
    request = claim_next(actor=cast.verifier, project=cast.project, stage=Stage.ADJUDICATION)
    assert request is not None
    send_ruling(actor=cast.verifier, request=request, disposition=Disposition.PASS, comment="It stands.")
    retired = verified(cast)
    retire_item(actor=cast.manager, item=retired, reason="Old.")
    returned = reviewed(cast)
    return_item(actor=cast.manager, item=returned, reason="Look again.")
    assert dict(touched(cast).by_effect) == {Effect.RULED: 1, Effect.ENDED: 1, Effect.WITH_WRITER: 1}
    before = [state_of(item) for item in (ruled, retired, returned)]
    done = do(cast)
    assert [state_of(item) for item in (ruled, retired, returned)] == before
    assert (done.verdicts, len(done.changed)) == (3, 3)


def test_they_do_not_count_in_statistics_nor_as_an_established_verdict(cast: Cast) -> None:
    item = verified(cast)
    assert closed_item(item) is not None
    assert {one.reviewer for one in rated_rows(cast.project)} == {cast.reviewer.pk, cast.reviewer2.pk}
    done = do(cast)
    assert {one.reviewer for one in rated_rows(cast.project)} == {cast.reviewer2.pk}
    assert {one.reviewer for one in solved_rows(cast.project)} == {cast.reviewer2.pk}
    assert Job.objects.filter(kind=STATISTICS).exists(), "the figures are counted again"
    undo_set_aside(actor=cast.manager, order=done)
    assert {one.reviewer for one in rated_rows(cast.project)} == {cast.reviewer.pk, cast.reviewer2.pk}


def test_a_span_takes_the_verdicts_of_its_days_alone(cast: Cast) -> None:
    old, new = reviewed(cast), reviewed(cast)
    week = timezone.now() - timedelta(days=7)
    Review.objects.filter(item=old).update(judged_at=week)
    do(cast, since=timezone.now() - timedelta(days=1))
    assert (state_of(old), state_of(new)) == (State.IN_VERIFICATION, State.IN_REVIEW)
    do(cast, until=week + timedelta(hours=1))
    assert state_of(old) == State.IN_REVIEW
    with pytest.raises(Conflict, match="no verdicts"):
        do(cast)


def test_only_managers_do_it_with_a_reason_and_undo_it_for_a_day(cast: Cast) -> None:
    reviewed(cast)
    for who in (cast.writer, cast.reviewer2, cast.verifier, cast.outsider):
        with pytest.raises(Forbidden if who != cast.outsider else Exception):
            do(cast, actor=who)
    with pytest.raises(Unusable, match="reason"):
        do(cast, reason=" ")
    done = do(cast)
    with pytest.raises(Forbidden):
        undo_set_aside(actor=cast.verifier, order=done)
    SetAside.objects.update(created_at=timezone.now() - timedelta(days=1))
    with pytest.raises(Conflict, match="no longer"):
        undo_set_aside(actor=cast.manager, order=done)


def test_many_are_done_by_a_job(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "AT_ONCE", 1)
    monkeypatch.setattr(service, "_CHUNK", 1)
    made = [reviewed(cast) for _n in range(3)]
    done = do(cast)
    assert done.is_running
    assert {state_of(item) for item in made} == {State.IN_VERIFICATION}
    with pytest.raises(Conflict):
        undo_set_aside(actor=cast.manager, order=done)
    run_job(job_id=Job.objects.get(kind=SET_ASIDE).pk)
    assert {state_of(item) for item in made} == {State.IN_REVIEW}
    done.refresh_from_db()
    assert (done.is_running, done.position) == (False, 3)
    service.carry_out_set_aside(order_id=done.pk)
    done.refresh_from_db()
    assert (done.position, done.verdicts) == (3, 3), "run twice, it does nothing more"
    undo_set_aside(actor=cast.manager, order=done)
    run_job(job_id=Job.objects.filter(kind=SET_ASIDE).latest("pk").pk)
    assert {state_of(item) for item in made} == {State.IN_VERIFICATION}


def test_what_it_touches_is_read_with_as_many_statements_for_one_as_for_many(cast: Cast) -> None:
    counted = []
    for _round in range(2):
        reviewed(cast)
        with CaptureQueriesContext(connection) as queries:
            touched(cast)
        counted.append(len(queries))
    assert counted[0] == counted[1] <= 2
    assert MOST_VERDICTS >= 10_000
