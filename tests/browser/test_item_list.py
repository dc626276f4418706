"""The list of items in a browser: by keys, over more than one page, its filters and columns; axe."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from annotation.models import Item
from tests.browser.looking import LOCALES, SIZES, listened_to, look_at
from tests.dashboard.test_item_list import move
from tests.factories import Cast, content, make_project, make_story, submit_item

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
STATES = ("", "in_verification verified", "in_verification verified", "returned", "returned")
TALLEST = 2500
"""Pixels that no page of the list may be higher than at 1280."""


@dataclass(frozen=True, slots=True)
class Site:
    """A project with items in several states, newest first on the page, and its manager's address."""

    cast: Cast
    items: list[Item]
    address: str


@pytest.fixture
def site(live_server: LiveServer, seen_as: Callable[[User], None]) -> Site:
    cast = make_project()
    story = make_story(cast, title="The Crow and the Pitcher")
    items = []
    for number, path in enumerate(STATES):
        words = content(f"Why did the crow drop pebble {number}?", "石子沉到罐底", "B", "C", "D", key=0)
        item = submit_item(cast, story=story, words=words)
        for state in path.split():
            item = move(item, state, cast)
        items.append(item)
    seen_as(cast.manager)
    return Site(cast, items, f"{live_server.url}{reverse('dashboard:items', args=[cast.project.slug])}")


def tick(page: Page, *items: Item) -> None:
    for item in items:
        page.locator(f"[data-row][value='{item.pk}']").check()


def press(page: Page, verb: str) -> None:
    page.locator(f"button[name=verb][value={verb}]").click()


def test_rows_are_walked_selected_and_opened_by_keys(page: Page, site: Site) -> None:
    page.goto(site.address)
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Shift+X")
    expect(page.locator("[data-count]")).to_have_text("3 selected")
    page.keyboard.press("x")
    expect(page.locator("[data-count]")).to_have_text("2 selected")
    page.keyboard.press("/")
    page.keyboard.type("石子 3?")
    page.keyboard.press("Enter")
    expect(page.locator("[data-row]")).to_have_count(1)
    expect(page.locator("mark").first).to_be_visible()
    page.locator("body").click(position={"x": 2, "y": 2})
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(rf"/items/{site.items[3].pk}$"))


def test_all_that_fit_are_changed_though_one_page_shows_some(
    page: Page, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web.long_list.PAGE", 2)
    page.goto(f"{site.address}?state=returned&state=verified")
    expect(page.locator("[data-row]")).to_have_count(2)
    page.locator("[data-rows]").check()
    page.get_by_label("Select all 4").check()
    expect(page.locator("[data-count]")).to_have_text("All 4 selected")
    press(page, "retire")
    expect(page.get_by_role("heading", name="Retire 2 items")).to_be_visible()
    page.get_by_role("link", name="Cancel").click()
    expect(page.locator("[data-count]")).to_have_text("2 selected")
    page.get_by_role("link", name="Next").click()
    expect(page.locator("[data-count]")).to_have_text("2 selected")
    expect(page.locator("tr [data-row]:checked")).to_have_count(0)
    page.locator("tr [data-row]").first.check()
    expect(page.locator("[data-count]")).to_have_text("3 selected")
    expect(page.locator("[data-for=retire]")).to_have_text("1")
    page.get_by_role("link", name="Previous").click()
    expect(page.locator("tr [data-row]:checked")).to_have_count(2)
    press(page, "retire")
    expect(page.get_by_text("2 selected items are left out")).to_be_visible()
    page.get_by_label("Reason").fill("Too easy.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("status")).to_contain_text("1 item retired")
    expect(page.locator("[data-row]:checked")).to_have_count(0)


def test_all_that_fit_are_selected_without_script_too(
    browser: Browser, page: Page, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web.long_list.PAGE", 2)
    plain = browser.new_context(java_script_enabled=False, storage_state=page.context.storage_state())
    page = plain.new_page()
    page.goto(f"{site.address}?state=returned&state=verified")
    page.locator("[data-row]").first.check()
    page.get_by_label("Select all 4").check()
    press(page, "retire")
    expect(page.get_by_role("heading", name="Retire 2 items")).to_be_visible()
    plain.close()


def test_a_view_is_saved_opened_and_deleted(page: Page, site: Site) -> None:
    page.goto(site.address)
    page.get_by_role("button", name="Add filter").click()
    page.get_by_label("returned", exact=True).check()
    page.locator("#filters").get_by_role("button", name="Apply").click()
    page.get_by_role("button", name="Show columns").click()
    page.locator("#columns").get_by_label("Story").uncheck()
    page.locator("#columns").get_by_role("button", name="Apply").click()
    expect(page.get_by_role("columnheader", name="Story")).to_have_count(0)
    page.get_by_role("button", name="Save view").click()
    page.get_by_label("Name").fill("To rewrite")
    page.get_by_role("button", name="Save", exact=True).click()
    page.goto(site.address)
    page.get_by_role("link", name="To rewrite").click()
    expect(page.locator("[data-row]")).to_have_count(2)
    expect(page.get_by_role("columnheader", name="Story")).to_have_count(0)
    page.get_by_role("link", name="Remove filter: State").click()
    expect(page.locator("[data-row]")).to_have_count(5)
    page.get_by_role("link", name="To rewrite").click()
    page.get_by_role("button", name="Delete view").click()
    expect(page.get_by_role("link", name="To rewrite")).to_have_count(0)


@pytest.mark.drill
@pytest.mark.parametrize("language", LOCALES)
def test_the_list_can_be_read_by_everybody(page: Page, site: Site, language: str) -> None:
    for number in range(25):
        submit_item(site.cast, words=content(f"How long did hare {number} sleep under the oak by the road?"))
    page.set_extra_http_headers({"Accept-Language": LOCALES[language]})
    sheet, complaints = listened_to(page)
    sheet.goto(
        f"{site.address}?q=e&task=commonsense&cols=story&cols=task&cols=writer&cols=state&cols=changed"
    )
    tick(sheet, *Item.objects.filter(project=site.cast.project).order_by("-changed_at")[:2])
    faults = [(screen, fault) for screen in SIZES for fault in look_at(sheet, "item-list", language, screen)]
    assert faults + complaints == []
    sheet.set_viewport_size({"width": 1280, "height": 900})
    assert sheet.evaluate("document.documentElement.scrollHeight") <= TALLEST
