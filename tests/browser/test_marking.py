"""Marking in a real browser: by mouse, by touch, by keys alone; nothing that was marked is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from annotation.models import Item, ItemDraft
from annotation.queries.item import revision_content
from corpus.models import Story
from review.models import AnswerDraft, Review, Stage
from review.services import claim_next, send_verdict, solve
from tests.browser.entering import sign_in
from tests.browser.looking import SCHEMES, SIZES, broken_rules
from tests.browser.waiting import saved, until
from tests.config.programs import wait_until
from tests.factories import Cast, wording
from tests.kinds.marked import OTHER, WRITTEN, marked_story, marks_project, own, submit_marks

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

BOTTLES = [{"role": "P1", "text": "瓶子瓶子", "positions": [0, 1, 14, 15]}]
"""A discontinuous fragment: two bottles."""


@pytest.fixture
def cast() -> Cast:
    return marks_project()


@pytest.fixture
def story(cast: Cast) -> Story:
    return marked_story(cast)


@pytest.fixture
def address(live_server: LiveServer, cast: Cast, story: Story) -> str:
    """The address of an empty sheet."""
    return f"{live_server.url}/p/{cast.project.slug}/write/story/{story.pk}?new=1"


@pytest.fixture
def at_the_desk(page: Page, address: str, cast: Cast, seen_as: Callable[[User], None]) -> Page:
    """An empty sheet, open before the writer."""
    seen_as(cast.writer)
    page.goto(address)
    return ready(page)


@pytest.fixture
def on_a_phone(browser: Browser, live_server: LiveServer, address: str, cast: Cast) -> Iterator[Page]:
    """The same on a screen that is touched."""
    context = browser.new_context(has_touch=True, is_mobile=True, viewport=SIZES["phone"])
    sign_in(context, live_server.url, cast.writer)
    page = context.new_page()
    page.goto(address)
    yield ready(page)
    context.close()


def ready(page: Page) -> Page:
    """Wait until the script of the form has run."""
    expect(page.locator("[data-marking][data-ready]")).to_be_attached()
    return page


def char(page: Page, position: int) -> Locator:
    return page.locator(f'.marked-text [data-p="{position}"]')


def marks(page: Page) -> Any:
    """The groups that the form holds, as it would send them."""
    return page.evaluate("window.parableMarks.read().answer")


def kept_marks() -> Any:
    """The groups of the one draft."""
    return ItemDraft.objects.get().content["own"]["answer"]


def submitted(page: Page) -> Any:
    """Submit, and read the groups of the item."""
    page.locator("[data-primary]").click()
    expect(page.locator("#messages")).to_contain_text("Submitted for review.")
    return revision_content(wording(Item.objects.get())).own["answer"]


def test_it_is_marked_by_mouse(at_the_desk: Page) -> None:
    page = at_the_desk
    page.get_by_role("button", name="S1 entity").click()
    char(page, 4).click()
    char(page, 5).click()
    page.get_by_role("button", name="P1 place").click()
    char(page, 0).hover()
    page.mouse.down()
    box = char(page, 1).bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] - 1, box["y"] + box["height"] / 2, steps=4)
    page.mouse.up()
    page.get_by_role("button", name="Add another part").click()
    char(page, 14).click()
    char(page, 15).click()
    expect(page.locator(".mark-card.open")).to_contain_text("0–1, 14–15")
    entity = {"role": "S1", "text": "香油", "positions": [4, 5]}
    assert marks(page) == [[entity, *BOTTLES]]
    char(page, 15).hover()
    expect(page.locator("[data-here]")).to_have_text("子 15 P1 place")
    page.locator(".mark-card.open .mark").first.hover()
    expect(char(page, 4)).to_have_class("ch focused")
    assert submitted(page) == [[entity, *BOTTLES]]


def test_shift_appends_and_a_wrong_step_is_undone(at_the_desk: Page) -> None:
    page = at_the_desk
    page.keyboard.press("2")
    for position in (0, 1):
        char(page, position).click()
    for position in (14, 15):
        char(page, position).click(modifiers=["Shift"])
    assert marks(page) == [BOTTLES]
    page.keyboard.press("Control+z")
    assert marks(page) == [[{"role": "P1", "text": "瓶子", "positions": [0, 1]}]]
    page.get_by_role("button", name="Remove P1 place: 瓶子").click()
    assert marks(page) == [[]]


def middle(page: Page, position: int) -> tuple[float, float]:
    box = char(page, position).bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, first: int, last: int) -> None:
    """From the middle of one character to the middle of another."""
    page.mouse.move(*middle(page, first))
    page.mouse.down()
    page.mouse.move(*middle(page, last), steps=3)
    page.mouse.up()


def test_a_stroke_takes_what_it_touches_and_a_role_is_given_once(at_the_desk: Page) -> None:
    page, said = at_the_desk, at_the_desk.locator("[data-say]")
    drag(page, 4, 5)
    expect(said).to_have_text("“香油” (4–5) selected. Select a role.")
    expect(said).to_be_in_viewport()
    page.locator("[data-role=S1]").click()
    entity = {"role": "S1", "text": "香油", "positions": [4, 5]}
    drag(page, 1, 0)
    assert marks(page) == [[entity]]
    expect(said).to_have_text("“瓶子” (0–1) selected. Select a role.")
    page.locator("[data-role=S1]").click()
    expect(said).to_have_text("S1 entity: “瓶子” (0–1) in place of “香油”. Undo brings that back.")
    page.keyboard.press("Control+z")
    assert marks(page) == [[entity]]


def test_it_is_marked_by_touch(on_a_phone: Page) -> None:
    page = on_a_phone
    page.get_by_role("button", name="P1 place").tap()
    char(page, 0).tap()
    char(page, 2).tap()
    page.get_by_role("button", name="End one character earlier").tap()
    page.get_by_role("button", name="Add another part").tap()
    char(page, 14).tap()
    char(page, 15).tap()
    assert marks(page) == [BOTTLES]
    expect(char(page, 0)).to_be_in_viewport()
    page.get_by_role("button", name="Copy").tap()
    page.get_by_role("button", name="E1 event").tap()
    char(page, 3).tap()
    char(page, 3).tap()
    assert [len(group) for group in marks(page)] == [1, 2]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert len(submitted(page)) == 2


def test_it_is_marked_and_submitted_by_keys_alone(at_the_desk: Page) -> None:
    page, press = at_the_desk, at_the_desk.keyboard.press
    press("f")
    expect(page.locator(".marked-text")).to_be_focused()
    press("Enter")
    press("ArrowRight")
    press("Enter")  # what is selected waits for its role
    press("2")
    press("+")
    for _step in range(13):
        press("ArrowRight")
    expect(page.locator("[data-heard]")).to_contain_text("14")
    press("Shift+ArrowRight")
    press("Enter")
    assert marks(page) == [BOTTLES]
    press("y")
    press("3")
    press("Home")
    for _step in range(3):
        press("ArrowRight")
    press("Enter")
    press("Enter")
    event = {"role": "E1", "text": "是", "positions": [3]}
    assert marks(page) == [BOTTLES, [*BOTTLES, event]]
    press("[")
    expect(page.locator(".mark-card.open")).to_contain_text("Alternative 1")
    press("Control+Enter")
    expect(page.locator("#messages")).to_contain_text("Submitted for review.")
    assert revision_content(wording(Item.objects.get())).own["answer"] == [BOTTLES, [*BOTTLES, event]]


def test_every_mark_saves_itself_and_comes_back(at_the_desk: Page) -> None:
    page = at_the_desk
    page.keyboard.press("2")
    for position in (0, 1):
        char(page, position).click()
    saved(page)
    assert kept_marks() == [[{"role": "P1", "text": "瓶子", "positions": [0, 1]}]]
    page.reload()
    expect(ready(page).locator(".mark-card.open")).to_contain_text("瓶子")
    page.context.set_offline(True)
    page.keyboard.press("1")
    for position in (4, 5):
        char(page, position).click()
    expect(page.locator("#saved")).to_contain_text("saved on this device")
    address = page.url
    page.close()  # the window is gone before the line is back
    back = page.context.new_page()
    back.context.set_offline(False)
    back.goto(address)
    expect(ready(back).locator(".mark-card.open")).to_contain_text("香油")
    # The page may still say that an earlier save was made, so the rows are asked.
    wait_until(lambda: [mark["role"] for mark in kept_marks()[0]] == ["S1", "P1"])


def test_it_is_written_without_script(
    browser: Browser, live_server: LiveServer, address: str, cast: Cast
) -> None:
    context = browser.new_context(java_script_enabled=False)
    sign_in(context, live_server.url, cast.writer)
    page = context.new_page()
    page.goto(address)
    page.get_by_label("P1 place").first.fill("瓶子…瓶子")
    page.get_by_role("button", name="Save draft").click()
    assert kept_marks() == [BOTTLES]
    expect(page.get_by_label("P1 place").first).to_have_value("瓶子…瓶子")
    assert submitted(page) == [BOTTLES]
    context.close()


def test_a_reviewer_marks_blind_and_then_sees_both(
    page: Page, live_server: LiveServer, cast: Cast, story: Story, seen_as: Callable[[User], None]
) -> None:
    submit_marks(cast, OTHER, story=story)
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request
    seen_as(cast.reviewer)
    page.goto(f"{live_server.url}/p/{cast.project.slug}/review/{request.public_id}")
    expect(ready(page).locator(".mark-card")).to_have_count(0)
    assert "包裹里 " not in page.content()
    page.keyboard.press("1")
    for position in (4, 5):
        char(page, position).click()
    until(page, "Boolean(document.querySelector('[data-saved]').textContent)")
    assert AnswerDraft.objects.get().content["answer"][0][0]["text"] == "香油"
    page.context.set_offline(True)
    page.keyboard.press("2")
    for position in (0, 2):
        char(page, position).click()
    page.context.set_offline(False)
    page.reload()
    expect(ready(page).locator(".mark-card.open")).to_contain_text("瓶子边")
    page.locator("[data-primary]").click()
    expect(page.locator(".side-by-side")).to_contain_text("only here")
    page.locator(".side-by-side .mark").first.hover()
    expect(char(page, 11)).to_have_class("ch focused")
    review = Review.objects.get()
    assert (review.is_correct, review.answer_spans.count()) == (False, 2)


@pytest.mark.drill
@pytest.mark.parametrize("size", SIZES)
def test_the_form_is_accessible(at_the_desk: Page, size: str) -> None:
    page = at_the_desk
    page.set_viewport_size(SIZES[size])
    for key, position in (("1", 4), ("2", 0)):
        page.keyboard.press(key)
        char(page, position).click()
        char(page, position + 1).click()
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        assert broken_rules(page) == []
    page.emulate_media(color_scheme="light")


@pytest.mark.drill
def test_both_answers_are_accessible(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None]
) -> None:
    submit_marks(cast)
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request
    seen_as(cast.reviewer)
    page.goto(f"{live_server.url}/p/{cast.project.slug}/review/{request.public_id}")
    ready(page)
    page.evaluate("own => window.parableMarks.fill(own)", own(WRITTEN, OTHER))
    page.locator("[data-primary]").click()
    for size in SIZES.values():
        page.set_viewport_size(size)
        assert broken_rules(page) == []


def test_an_adjudicator_merges_two_answers_by_keys_alone(
    page: Page, live_server: LiveServer, cast: Cast, story: Story, seen_as: Callable[[User], None]
) -> None:
    item = submit_marks(cast, WRITTEN, story=story)
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request
    review = solve(actor=cast.reviewer, request=request, answer="own", own=own(OTHER))
    send_verdict(actor=cast.reviewer, review=review, disposition="pass", rating=2)
    ruling = claim_next(actor=cast.manager, project=cast.project, stage=Stage.ADJUDICATION)
    assert ruling
    seen_as(cast.manager)
    page.goto(f"{live_server.url}/p/{cast.project.slug}/review/{ruling.public_id}")
    for size in SIZES.values():
        page.set_viewport_size(size)
        assert broken_rules(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    picks = page.locator('input[name="pick"]')
    expect(picks).to_have_count(2)
    for index in range(2):
        picks.nth(index).focus()
        page.keyboard.press("Space")
    page.locator('[name="disposition"][value="edit"]').focus()
    page.keyboard.press("Space")
    page.locator("#reason").focus()
    page.keyboard.type("Both are right.")
    page.locator("[data-primary]").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#ruling")).to_have_count(0)
    assert revision_content(wording(item)).own == own(WRITTEN, OTHER)
