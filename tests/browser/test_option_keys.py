"""Every option of 26 is chosen by its number wherever keys choose options, and the list of keys says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from evaluation import services
from parable.llm.stub import StubServer
from review.models import Disposition
from review.services import send_verdict
from tests.browser.waiting import arrive
from tests.evaluation.measuring import bench_of
from tests.factories import Cast, content, make_project, make_story, submit_item
from tests.release.made import bring, built, grant_rights, record
from tests.review.matrix import solved

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OPTIONS = [f"It was the {word} day of the week" for word in "abcdefghijklmnopqrstuvwxyz"]


def type_number(page: Page, number: int) -> None:
    page.wait_for_timeout(900)  # a number of its own
    for digit in str(number):
        page.keyboard.press(digit)


@pytest.fixture
def cast() -> Cast:
    cast = make_project(options_per_item=26)
    submit_item(cast, story=make_story(cast), words=content("Which day was it?", *OPTIONS, key=11))
    return cast


def test_a_reviewer_chooses_each_option_by_its_number(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None]
) -> None:
    seen_as(cast.reviewer)
    page.goto(f"{live_server.url}/p/{cast.project.slug}/review")
    page.keyboard.press("Control+Enter")
    arrive(page, "#answer")
    chosen = page.locator("[name=position]:checked")
    for number in (1, 2, 9, 10, 12, 19, 20, 26):
        type_number(page, number)
        expect(chosen).to_have_value(str(number - 1))
    for key, value in {"0": "none_fits", "m": "several_fit"}.items():
        page.wait_for_timeout(900)
        page.keyboard.press(key)
        expect(chosen).to_have_value(value)
    page.keyboard.press("?")
    expect(page.locator("#key-list")).to_contain_text("two digits one after the other")


def test_a_verifier_marks_each_option_by_its_number(
    page: Page, live_server: LiveServer, seen_as: Callable[[User], None]
) -> None:
    cast = make_project(options_per_item=26)
    words = content("Which lesson?", *OPTIONS, key=11, types=(), explanation="")
    submit_item(cast, task="moral", words=words)
    review = solved(cast, "reviewer")
    send_verdict(actor=cast.reviewer, review=review, disposition=Disposition.PASS, rating=2)
    seen_as(cast.verifier)
    page.goto(f"{live_server.url}/p/{cast.project.slug}/verify")
    page.keyboard.press("Control+Enter")
    arrive(page, "#answer")
    page.keyboard.press("Shift+Digit1")
    arrive(page, "#verdict")
    for number in (1, 2, 9, 10, 12, 20, 26):
        type_number(page, number)
        expect(page.locator(f"[data-mark='{number}'] :checked")).to_have_value("right")
    expect(page.locator("[data-mark] :checked")).to_have_count(7)
    page.keyboard.press("f")
    expect(page.locator("[data-mark] [value=wrong]:checked")).to_have_count(19)


def test_a_writer_marks_the_key_by_its_number(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None]
) -> None:
    seen_as(cast.writer)
    story = cast.project.stories.get()
    page.goto(f"{live_server.url}/p/{cast.project.slug}/write/story/{story.pk}?new=1")
    for number in (1, 9, 10, 21, 26):
        page.locator("#work").focus()
        type_number(page, number)
        expect(page.locator("[name=key]:checked")).to_have_value(str(number - 1))


@pytest.mark.parametrize("task", ["commonsense", "multiple"])
def test_a_panel_answers_by_number(page: Page, live_server: LiveServer, stub: StubServer, task: str) -> None:
    cast = make_project(options_per_item=26, tasks=[task])
    several: dict[str, Any] = {"answer": None, "answers": (3, 11)} if task == "multiple" else {"answer": 11}
    bring(
        cast,
        [record(n, 0, task, choices=tuple(f"{n}: {one}" for one in OPTIONS), **several) for n in range(2)],
    )
    grant_rights(cast)
    bench = bench_of(cast, built(cast), stub)
    panel = services.open_panel(
        actor=bench.cast.manager, release=bench.release, split="both", sample_size=1, seed="7"
    )
    (issued,) = services.invite_to_panel(actor=bench.cast.manager, run=panel, names=["Ann"], items_each=1)
    page.goto(f"{live_server.url}/solve/{issued.token}")
    page.locator("[data-primary]").click()
    for number in (1, 10, 12, 26):
        type_number(page, number)
        if task == "commonsense":
            expect(page.locator("[name=position]:checked")).to_have_value(str(number - 1))
    if task == "multiple":
        expect(page.locator("[name=several]:checked")).to_have_count(4)
