"""Every key of an answer and of a verdict, at each stage: the keys come from the pages' own table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from review.models import Answer, Disposition, Review, Stage
from review.services import claim_next, send_verdict, solve
from review.views.request_page import DISPOSITIONS, KEYS
from tests.browser.test_review import key_of
from tests.browser.waiting import arrive
from tests.factories import Cast, content, make_project, make_story, submit_item
from tests.review.practice_cast import look

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PAGES: Final = {Stage.CROSS_CHECK: "review", Stage.VERIFICATION: "verify", Stage.ADJUDICATION: "adjudicate"}
ANSWERS: Final = (Answer.OPTION, Answer.NONE_FITS, Answer.SEVERAL_FIT)


@pytest.fixture
def cast() -> Cast:
    """As many items in review as there are verdicts at the stage that has most."""
    cast, most = make_project(), max(map(len, DISPOSITIONS.values()))
    story = make_story(cast)
    for number in range(most):
        submit_item(cast, story=story, words=content(f"Why did hare {number} fall asleep?"))
    return cast


def _bring_to(cast: Cast, stage: Stage) -> User:
    """Let the items come to this stage; answers who works there."""
    if stage == Stage.CROSS_CHECK:
        return cast.reviewer
    for _each in DISPOSITIONS[stage]:
        if stage == Stage.VERIFICATION:
            look(cast, cast.reviewer, Stage.CROSS_CHECK, disposition=Disposition.PASS, rating=2)
        else:
            _doubt(cast)
    claim_next(
        actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK
    )  # makes the last verdict final
    return cast.verifier


def _doubt(cast: Cast) -> None:
    """Find no option right where the writer has a key: somebody has to rule."""
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request is not None
    review = solve(actor=cast.reviewer, request=request, answer=Answer.NONE_FITS)
    send_verdict(actor=cast.reviewer, review=review, rating=1, disposition=Disposition.PASS)


def _answer(page: Page, answer: Answer) -> None:
    """Answer by keys; which of several options fit is marked by hand: keys choose one."""
    arrive(page, "#answer")
    if answer == Answer.OPTION:
        page.keyboard.press(f"Shift+Digit{key_of(page)}")
        return
    page.keyboard.press({Answer.NONE_FITS: "0", Answer.SEVERAL_FIT: "9"}[answer])
    if answer == Answer.SEVERAL_FIT:
        for mark in page.locator(".several label").all()[:2]:
            mark.click()
    else:
        expect(page.locator(".several")).to_be_hidden()
    page.locator("#work").focus()
    page.keyboard.press("Enter")


def _judge(page: Page, stage: Stage, disposition: Disposition) -> None:
    """Give a verdict by its key, with a reason, and send it by keys."""
    form, words = ("#ruling", "#reason") if stage == Stage.ADJUDICATION else ("#verdict", "#comment")
    arrive(page, form)
    expect(page.locator("[name=disposition]:checked")).to_have_count(0)  # nothing of the item before
    expect(page.locator(words)).to_have_value("")
    if stage == Stage.CROSS_CHECK:
        page.keyboard.press("2")
    page.keyboard.press(KEYS[disposition])
    expect(page.locator("[name=disposition]:checked")).to_have_value(disposition)
    if disposition == Disposition.EDIT:
        expect(page.locator("#edit-stem")).to_be_focused()
        page.keyboard.type(" In the middle of the race?")
    page.locator(words).fill("It says so twice.")
    here = page.url
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: url != here)


@pytest.mark.parametrize("stage", Stage)
def test_each_verdict_has_a_key(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None], stage: Stage
) -> None:
    who = _bring_to(cast, stage)
    seen_as(who)
    page.goto(f"{live_server.url}/p/{cast.project.slug}/{PAGES[stage]}")
    page.keyboard.press("Control+Enter")
    answers = [ANSWERS[index % len(ANSWERS)] for index, _each in enumerate(DISPOSITIONS[stage])]
    for answer, disposition in zip(answers, DISPOSITIONS[stage], strict=True):
        if stage == Stage.CROSS_CHECK:
            _answer(page, answer)
        elif stage == Stage.VERIFICATION:
            _answer(page, Answer.OPTION)
        _judge(page, stage, disposition)
    given = Review.objects.filter(reviewer=who, stage=stage).order_by("pk")
    assert [one.disposition for one in given] == list(DISPOSITIONS[stage])
    if stage == Stage.CROSS_CHECK:
        assert [one.answer for one in given] == answers
        assert [len(one.several_positions) for one in given if one.answer == Answer.SEVERAL_FIT] == [2]
