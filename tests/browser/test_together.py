"""The moral items of a story answered together: by keyboard alone, and by thumb on a phone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from review.models import Disposition, RequestState, Review, ReviewRequest
from tests.browser.waiting import arrive
from tests.factories import Cast, make_project, make_story
from tests.review.morals import KEY_MARK, morals

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PHONE = {"width": 390, "height": 844}


@pytest.fixture
def cast() -> Cast:
    cast = make_project()
    morals(cast, make_story(cast))
    return cast


def key_of(page: Page) -> str:
    """The number before the key of the item that the page shows: of item n, its option n."""
    first = page.locator("label.answer .words").first.inner_text()
    number = first.removeprefix("Moral ").partition(".")[0]
    row = page.locator("label.answer", has_text=f"Moral {number}.{int(number) % 4}")
    return row.locator(".key-cap").inner_text()


def all_are_blind(cast: Cast) -> None:
    reviews = Review.objects.filter(reviewer=cast.reviewer)
    assert set(reviews.values_list("blind", "is_correct")) == {(True, True)}
    assert reviews.filter(judged_at__isnull=False, disposition=Disposition.PASS).count() == 3
    mine = ReviewRequest.objects.filter(claimed_by=cast.reviewer)
    assert set(mine.values_list("state", flat=True)) == {RequestState.DONE}


def test_they_are_answered_and_judged_without_the_mouse(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None]
) -> None:
    seen_as(cast.reviewer)
    page.goto(f"{live_server.url}/p/{cast.project.slug}/review")
    page.keyboard.press("Control+Enter")
    for number in (1, 2, 3):
        arrive(page, "#answer")
        expect(page.locator("#work")).to_contain_text(f"Item {number} of 3 about this story")
        assert KEY_MARK not in page.content()
        page.keyboard.press(f"Shift+Digit{key_of(page)}")
    for left in (3, 2, 1):
        arrive(page, "#verdict")
        expect(page.locator("#work")).to_contain_text(KEY_MARK)
        page.locator("#verdict").evaluate("form => { form.dataset.sent = 1; }")
        page.keyboard.press("2")
        page.keyboard.press("Enter")
        expect(page.locator("#verdict[data-sent]")).to_have_count(0)
        held = ReviewRequest.objects.filter(claimed_by=cast.reviewer, state=RequestState.CLAIMED)
        to_judge = held.exclude(reviews__sent_at__isnull=False)  # what was sent can be undone for a while
        assert to_judge.count() == left - 1
    expect(page.locator("body")).to_contain_text("That was the last one for now.")
    all_are_blind(cast)


def test_they_are_answered_and_judged_by_thumb(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None]
) -> None:
    page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
    seen_as(cast.reviewer)
    page.goto(f"{live_server.url}/p/{cast.project.slug}/review")
    page.get_by_role("button", name="Next item").click()
    page.locator(".sheet-close").click()  # the story is new to this person, and open; later it is not
    for number in (1, 2, 3):
        expect(page.locator("#work")).to_contain_text(f"Item {number} of 3 about this story")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        page.locator(f'label.answer[data-key="{key_of(page)}"]').click()
        page.locator("#answer").evaluate("form => { form.dataset.sent = 1; }")
        page.get_by_role("button", name="Submit answer").click()
        expect(page.locator("#answer[data-sent]")).to_have_count(0)
    for _left in range(3):
        arrive(page, "#verdict")
        page.locator("#verdict").evaluate("form => { form.dataset.sent = 1; }")
        page.get_by_role("button", name="Excellent, pass, next").click()
        expect(page.locator("#verdict[data-sent]")).to_have_count(0)
    all_are_blind(cast)


def test_without_script_they_are_pages(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None]
) -> None:
    page.route("**/*.js", lambda route: route.abort())
    seen_as(cast.reviewer)
    page.goto(f"{live_server.url}/p/{cast.project.slug}/review")
    page.get_by_role("button", name="Next item").click()
    for number in (1, 2, 3):
        expect(page.locator("#work")).to_contain_text(f"Item {number} of 3 about this story")
        page.locator(f'label.answer[data-key="{key_of(page)}"] input').check()
        page.get_by_role("button", name="Submit answer").click()
    expect(page.locator("#verdict")).to_be_visible()
    expect(page.locator("#work")).to_contain_text(KEY_MARK)
