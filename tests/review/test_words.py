"""What is said of a verdict: never nothing, and everywhere in the word of the button."""

from __future__ import annotations

import pytest

from core.errors import Unusable
from review.models import Answer, Disposition, Flaw, Review, Stage, verdict_words
from review.services import claim_next, send_verdict, solve
from tests.factories import make_project, submit_item

pytestmark = pytest.mark.django_db


@pytest.fixture
def solved() -> Review:
    cast = make_project()
    submit_item(cast)
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request is not None
    return solve(actor=cast.reviewer, request=request, answer=Answer.OPTION, position=0)


@pytest.mark.parametrize("disposition", [Disposition.RETURN, Disposition.REJECT])
def test_it_wants_words_where_the_only_flaw_is_other(solved: Review, disposition: str) -> None:
    for flaws, words in (([Flaw.OTHER], " "), ([], "")):
        with pytest.raises(Unusable) as refused:
            send_verdict(
                actor=solved.reviewer, review=solved, rating=1, flaws=flaws, disposition=disposition,
                comment=words,
            )  # fmt: skip
        assert "comment" in refused.value.fields
    judged = send_verdict(
        actor=solved.reviewer, review=solved, rating=1, flaws=[Flaw.OTHER, Flaw.LANGUAGE],
        disposition=disposition,
    )  # fmt: skip
    assert judged.flaws == ["language", "other"]


def test_it_calls_a_verdict_what_its_button_called_it() -> None:
    def said(stage: Stage, disposition: Disposition) -> str:
        return Review(stage=stage, disposition=disposition).verdict

    assert said(Stage.CROSS_CHECK, Disposition.PASS) == "pass"
    assert said(Stage.VERIFICATION, Disposition.PASS) == "confirm"
    assert said(Stage.VERIFICATION, Disposition.REJECT) == "reject"
    assert said(Stage.ADJUDICATION, Disposition.PASS) == "uphold"
    assert verdict_words(Stage.CROSS_CHECK).keys() == set(Disposition.values)
    assert Review(stage=Stage.CROSS_CHECK).verdict == ""
