"""The list of stories in a browser: by keys, on every screen."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from corpus.models import Story
from tests.browser.looking import LOCALES, SIZES, listened_to, look_at, turn_to
from tests.browser.test_item_list import TALLEST
from tests.factories import Cast, make_project, make_story

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def cast(seen_as: Callable[[User], None]) -> Cast:
    cast = make_project()
    for number in range(4):
        make_story(cast, title=f"The Crow {number}", text=f"A crow dropped pebble {number}. 石子沉到罐底。")
    seen_as(cast.manager)
    return cast


@pytest.fixture
def address(live_server: LiveServer, cast: Cast) -> str:
    return f"{live_server.url}{reverse('dashboard:stories', args=[cast.project.slug])}"


def tick(page: Page, *stories: Story) -> None:
    for story in stories:
        page.locator(f"[data-row][value='{story.pk}']").check()


def test_stories_are_found_walked_and_opened_by_keys(page: Page, address: str) -> None:
    page.goto(address)
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.locator("[data-count]")).to_have_text("2 selected")
    page.keyboard.press("/")
    page.keyboard.type("石子 3.")
    page.keyboard.press("Enter")
    expect(page.locator("[data-row]")).to_have_count(1)
    expect(page.locator("mark").first).to_be_visible()
    page.locator("body").click(position={"x": 2, "y": 2})
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/stories/\d+$"))


def test_a_phone_names_numbers_and_offers_more_only_where_there_is_more(page: Page, address: str) -> None:
    turn_to(page, "phone")
    page.goto(address)
    shown = page.locator("tbody tr").first.locator("td.n").first
    assert shown.evaluate("each => getComputedStyle(each, '::before').content").startswith('"Items')
    more = page.get_by_role("button", name="More")
    expect(more).to_be_hidden()
    page.locator("[data-row]").first.check()
    more.click()
    expect(page.locator("#foot-more").get_by_role("button", name="Hold back")).to_be_visible()


@pytest.mark.drill
@pytest.mark.parametrize("language", LOCALES)
def test_the_list_can_be_read_by_everybody(page: Page, cast: Cast, address: str, language: str) -> None:
    for number in range(25):
        make_story(cast, title=f"The Tortoise and the Hare who slept under an oak {number}")
    page.set_extra_http_headers({"Accept-Language": LOCALES[language]})
    sheet, complaints = listened_to(page)
    sheet.goto(f"{address}?q=e&rights=known&writers=lacking")
    tick(sheet, *Story.objects.filter(project=cast.project).order_by("pk")[5:7])
    faults = [(screen, fault) for screen in SIZES for fault in look_at(sheet, "stories", language, screen)]
    assert faults + complaints == []
    sheet.set_viewport_size({"width": 1280, "height": 900})
    assert sheet.evaluate("document.documentElement.scrollHeight") <= TALLEST
