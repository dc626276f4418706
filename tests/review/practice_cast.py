"""Items that were settled, practice items made of them, and people who meet these."""

from collections.abc import Mapping
from typing import Any

from django.test import Client

from accounts.models import User
from annotation.models import Item, State
from review.models import Answer, Disposition, Flaw, PracticeItem, Review, ReviewRequest, Stage
from review.practice import Expected
from review.queries.practice import closed_item, practice_fits
from review.services import claim_next, make_practice_item, send_verdict, solve
from review.services.practice import deal
from tests.factories import PASSWORD, Cast, submit_item

LESSON = "What-there-is-to-learn"
RIGHT = Expected("option", (1,), 1, 2, dispositions=("pass",))


def browser(user: User, headers: Mapping[str, str] | None = None) -> Client:
    client = Client(headers=headers)
    assert client.login(username=user.username, password=PASSWORD)
    return client


def key_of(request: ReviewRequest) -> int:
    return request.drawn_order.index(request.revision.options.get(is_key=True).position)


def look(cast: Cast, who: User, stage: str, **verdict: Any) -> None:
    request = claim_next(actor=who, project=cast.project, stage=stage)
    assert request is not None
    review = solve(actor=who, request=request, answer=Answer.OPTION, position=key_of(request))
    marks = [one == key_of(request) for one in range(request.option_count)]
    send_verdict(actor=who, review=review, option_marks=marks, **verdict)


def verified(cast: Cast, **item: Any) -> Item:
    """An item that one reviewer and the verifier let stand; `reviewer` had nothing to do with it."""
    made = submit_item(cast, **item)
    look(cast, cast.reviewer2, Stage.CROSS_CHECK, disposition=Disposition.PASS, rating=2)
    look(cast, cast.verifier, Stage.VERIFICATION, disposition=Disposition.PASS)
    made.refresh_from_db()
    assert made.state == State.VERIFIED
    return made


def rejected(cast: Cast, **item: Any) -> Item:
    made = submit_item(cast, **item)
    flaws = [Flaw.TRIVIAL_DISTRACTOR]
    look(cast, cast.reviewer2, Stage.CROSS_CHECK, disposition=Disposition.REJECT, rating=0, flaws=flaws)
    made.refresh_from_db()
    assert made.state == State.REJECTED
    return made


def practice_item(cast: Cast, item: Item | None = None) -> PracticeItem:
    item = item or verified(cast)
    known = closed_item(item)
    assert known is not None
    return make_practice_item(
        actor=cast.manager, item=item, content=known.content, expected=known.expected, lesson=LESSON
    )


def drawn(cast: Cast, who: User | None = None) -> ReviewRequest:
    """The practice item that somebody gets, who may have to judge real ones first."""
    who = who or cast.reviewer
    for _attempt in range(20):
        request = claim_next(actor=who, project=cast.project, stage=Stage.CROSS_CHECK)
        assert request is not None, "nothing waits"
        if request.gold:
            return request
        review = solve(actor=who, request=request, answer=Answer.OPTION, position=key_of(request))
        send_verdict(actor=who, review=review, disposition=Disposition.PASS, rating=2)
    raise AssertionError("no practice item in twenty places")


def right_place(request: ReviewRequest) -> int:
    assert request.gold is not None
    return request.drawn_order.index(request.gold.expected_positions[0])


def done(cast: Cast, request: ReviewRequest, who: User | None = None) -> Review:
    """The practice item solved and judged rightly."""
    who = who or cast.reviewer
    review = solve(actor=who, request=request, answer="option", position=right_place(request))
    return send_verdict(actor=who, review=review, disposition=Disposition.PASS, rating=2)


def first_drawn(cast: Cast) -> ReviewRequest:
    """A practice item as the very first place, whatever the draw says."""
    (one,) = practice_fits(cast.reviewer, cast.project)
    return deal(cast.reviewer, PracticeItem.objects.get(pk=one))
