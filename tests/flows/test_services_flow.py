"""From a written item to its last state, through the services alone."""

from typing import Any

import pytest

from accounts.models import User
from annotation.content import ItemContent
from annotation.models import State
from annotation.queries.item import revision_content
from annotation.services import contest_rejection, retire_item, revise_item
from core.errors import Conflict, Forbidden, Hidden, Unusable
from parable.kinds import kind_of
from review.models import Answer, Disposition, Review, ReviewRequest, Stage
from review.services import claim_next, send_ruling, send_verdict, skip_request, solve
from tests.factories import Cast, content, make_story, submit_item, wording

pytestmark = pytest.mark.django_db


def key_position(request: ReviewRequest) -> int:
    """Where the key is in the order drawn for the claimant."""
    key = request.revision.options.get(is_key=True).position
    return request.drawn_order.index(key)


def answer_to(request: ReviewRequest, *, right: bool = True) -> dict[str, Any]:
    """The right blind answer to the item of a request, or a wrong one, as the options are shown."""
    options = list(request.revision.options.order_by("position"))
    seen = [options[position] for position in request.drawn_order]
    answer = kind_of(request.task).answer
    if answer == "order":
        order = sorted(range(len(seen)), key=lambda place: seen[place].rank or 0)
        return {"answer": Answer.ORDER, "several": order if right else [*order[1:], order[0]]}
    keys = [place for place, option in enumerate(seen) if option.is_key]
    if answer == "several":
        others = [place for place in range(len(seen)) if place not in keys]
        return {"answer": Answer.SEVERAL, "several": keys if right else [*keys, others[0]]}
    return {"answer": Answer.OPTION, "position": keys[0] if right else (keys[0] + 1) % len(seen)}


def take(cast: Cast, who: User, stage: str) -> ReviewRequest:
    request = claim_next(actor=who, project=cast.project, stage=stage)
    assert request is not None
    return request


def check(cast: Cast, who: User, stage: str, *, right: bool = True, **verdict: Any) -> Review:
    """Claim, solve and judge the next item of a stage."""
    request = take(cast, who, stage)
    review = solve(actor=who, request=request, **answer_to(request, right=right))
    return send_verdict(actor=who, review=review, **{"disposition": Disposition.PASS, "rating": 2, **verdict})


def test_it_goes_from_the_desk_to_verified(cast: Cast) -> None:
    item = submit_item(cast)
    check(cast, cast.reviewer, Stage.CROSS_CHECK)
    item.refresh_from_db()
    assert item.state == State.IN_VERIFICATION
    check(cast, cast.verifier, Stage.VERIFICATION, rating=None)
    item.refresh_from_db()
    assert item.state == State.VERIFIED
    moves = [(move.from_state, move.to_state) for move in item.transitions.all()]
    assert moves == [
        ("", "draft"),
        ("draft", "in_review"),
        ("in_review", "in_verification"),
        ("in_verification", "verified"),
    ]
    retire_item(actor=cast.manager, item=item, reason="two keys found later")


def test_it_returns_an_item_and_takes_its_revision_to_a_fresh_cross_check(cast: Cast) -> None:
    item = submit_item(cast)
    check(
        cast,
        cast.reviewer,
        Stage.CROSS_CHECK,
        rating=0,
        disposition=Disposition.RETURN,
        flaws=["unclear_stem"],
    )
    item.refresh_from_db()
    assert item.state == State.RETURNED
    with pytest.raises(Forbidden):
        revise_item(actor=cast.writer2, item=item, content=content("What made the hare stop?"))
    revise_item(actor=cast.writer, item=item, content=content("What made the hare stop?"))
    item.refresh_from_db()
    assert item.state == State.IN_REVIEW
    assert wording(item).number == 2
    assert item.revisions.filter(number=2, based_on__number=1).exists()
    review = check(cast, cast.reviewer, Stage.CROSS_CHECK)
    assert review.blind is False, "who has seen the key of an earlier wording does not solve blindly"


def test_it_adopts_an_edit_and_binds_its_author(cast: Cast) -> None:
    item = submit_item(cast)
    edit = content("Why ever did the hare fall asleep?")
    check(cast, cast.reviewer, Stage.CROSS_CHECK, rating=1, disposition=Disposition.EDIT, edit=edit)
    item.refresh_from_db()
    assert item.state == State.IN_VERIFICATION
    assert wording(item).author == cast.reviewer
    assert Review.objects.get().adopted_as == item.current
    request = ReviewRequest.objects.get(stage=Stage.VERIFICATION)
    assert {cast.writer.pk, cast.reviewer.pk} <= set(request.excluded)


def test_it_solves_an_item_afresh_when_an_edit_changes_the_key(cast: Cast) -> None:
    item = submit_item(cast)
    words = revision_content(wording(item))
    edit = content(words.stem, *(option.text for option in words.options), key=3)
    check(cast, cast.reviewer, Stage.CROSS_CHECK, rating=1, disposition=Disposition.EDIT, edit=edit)
    item.refresh_from_db()
    assert item.state == State.IN_REVIEW
    assert claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK) is None
    assert take(cast, cast.reviewer2, Stage.CROSS_CHECK).revision == item.current


def test_it_refuses_an_edit_that_changes_nothing(cast: Cast) -> None:
    item = submit_item(cast)
    request = take(cast, cast.reviewer, Stage.CROSS_CHECK)
    review = solve(actor=cast.reviewer, request=request, answer=Answer.OPTION, position=key_position(request))
    for nothing in (None, revision_content(wording(item)), ItemContent()):
        with pytest.raises(Unusable) as refused:
            send_verdict(
                actor=cast.reviewer, review=review, rating=1, disposition=Disposition.EDIT, edit=nothing
            )
        assert "edit" in refused.value.fields


def test_it_sends_a_wrong_blind_answer_to_adjudication(cast: Cast) -> None:
    item = submit_item(cast)
    check(cast, cast.reviewer, Stage.CROSS_CHECK, right=False)
    item.refresh_from_db()
    assert item.state == State.IN_ADJUDICATION
    request = take(cast, cast.manager, Stage.ADJUDICATION)
    with pytest.raises(Unusable):
        send_ruling(actor=cast.manager, request=request, disposition=Disposition.SEND_ON, comment=" ")
    send_ruling(
        actor=cast.manager, request=request, disposition=Disposition.SEND_ON, comment="A slip of the eye."
    )
    item.refresh_from_db()
    assert item.state == State.IN_VERIFICATION


def test_it_lets_a_writer_contest_a_rejection_once(cast: Cast) -> None:
    item = submit_item(cast)
    check(
        cast, cast.reviewer, Stage.CROSS_CHECK, rating=0, disposition=Disposition.REJECT, flaws=["language"]
    )
    item = contest_rejection(actor=cast.writer, item=item, reason="The story says so in line two.")
    request = take(cast, cast.verifier, Stage.ADJUDICATION)
    send_ruling(actor=cast.verifier, request=request, disposition=Disposition.REJECT, comment="It does not.")
    item.refresh_from_db()
    assert item.state == State.REJECTED
    with pytest.raises(Conflict):
        contest_rejection(actor=cast.writer, item=item, reason="Once more.")


def test_it_settles_two_reviews_when_the_second_closes(cast: Cast) -> None:
    cast.project.reviews_per_item = 2
    cast.project.save()
    item = submit_item(cast)
    check(cast, cast.reviewer, Stage.CROSS_CHECK)
    item.refresh_from_db()
    assert item.state == State.IN_REVIEW
    assert claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK) is None
    check(
        cast,
        cast.reviewer2,
        Stage.CROSS_CHECK,
        rating=0,
        disposition=Disposition.REJECT,
        flaws=["language"],
    )
    item.refresh_from_db()
    assert item.state == State.IN_ADJUDICATION


def test_it_hides_a_place_from_all_but_its_claimant(cast: Cast) -> None:
    submit_item(cast)
    request = take(cast, cast.reviewer, Stage.CROSS_CHECK)
    for stranger in (cast.reviewer2, cast.writer, cast.outsider):
        with pytest.raises(Hidden):
            solve(actor=stranger, request=request, answer=Answer.OPTION, position=0)
    with pytest.raises(Forbidden):
        claim_next(actor=cast.writer, project=cast.project, stage=Stage.CROSS_CHECK)


def test_it_gives_the_same_place_back_and_takes_the_first_answer(cast: Cast) -> None:
    submit_item(cast)
    request = take(cast, cast.reviewer, Stage.CROSS_CHECK)
    assert take(cast, cast.reviewer, Stage.CROSS_CHECK) == request
    first = solve(actor=cast.reviewer, request=request, answer=Answer.NONE_FITS)
    assert solve(actor=cast.reviewer, request=request, answer=Answer.OPTION, position=0) == first
    assert first.is_correct is False


def test_it_never_offers_a_skipped_place_again(cast: Cast) -> None:
    submit_item(cast)
    skip_request(
        actor=cast.reviewer, request=take(cast, cast.reviewer, Stage.CROSS_CHECK), reason="I know it."
    )
    assert claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK) is None
    assert take(cast, cast.reviewer2, Stage.CROSS_CHECK)


def test_it_offers_the_story_just_read_first(cast: Cast) -> None:
    story = make_story(cast)
    submit_item(cast, story=story)
    submit_item(cast)
    later = submit_item(cast, story=story, words=content("Where did they run to?"))
    check(cast, cast.reviewer, Stage.CROSS_CHECK)
    assert take(cast, cast.reviewer, Stage.CROSS_CHECK).item == later


def test_it_marks_who_has_seen_a_moral_as_not_blind(cast: Cast) -> None:
    story = make_story(cast)
    words = ("Haste makes waste", "Slow and steady wins", "Look before you leap", "Pride comes first")
    for key in (1, 0):
        submit_item(
            cast,
            story=story,
            task="moral",
            words=content("Which moral fits?", *words, key=key, types=(), explanation=""),
        )
    cast.project.solve_together = False
    cast.project.save()
    first = check(cast, cast.reviewer, Stage.CROSS_CHECK)
    second = check(cast, cast.reviewer, Stage.CROSS_CHECK)
    assert (first.blind, second.blind) == (True, False)
