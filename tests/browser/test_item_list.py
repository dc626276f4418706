"""The list of items in a browser: by keys, every bulk action with its undoing, a saved view; axe."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect
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

    def states(self) -> list[str]:
        return [Item.objects.get(pk=item.pk).state for item in self.items]


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


def undo(page: Page) -> None:
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status")).to_contain_text("Undone")


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


def test_every_bulk_action_is_done_and_undone(page: Page, site: Site) -> None:
    before, made = site.states(), site.items
    page.goto(site.address)
    tick(page, made[0], made[1])
    expect(page.locator("[data-for=first]")).to_have_text("1")
    expect(page.locator("button[value=assign]")).to_be_disabled()
    press(page, "first")
    expect(page.get_by_role("status")).to_contain_text("1 item will be reviewed first")
    undo(page)
    for verb, changed, said in (
        ("return", "in_review", "sent for re-review"),
        ("retire", "retired", "retired"),
    ):
        tick(page, made[0], made[1], made[2])
        press(page, verb)
        expect(page.get_by_text("1 selected item is left out")).to_be_visible()
        page.get_by_label("Reason").fill("Too easy.")
        page.keyboard.press("Control+Enter")
        expect(page.get_by_role("status")).to_contain_text(f"2 items {said}")
        assert site.states()[1:3] == [changed, changed]
        undo(page)
        assert site.states() == before
    tick(page, made[3])
    press(page, "assign")
    page.get_by_label("Writer").select_option(label="Wu Writer")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("status")).to_contain_text("assigned to Wu Writer")
    undo(page)
    assert Item.objects.get(pk=made[3].pk).writer == site.cast.writer
    tick(page, made[4])
    press(page, "export")
    with page.expect_download() as file:
        page.get_by_role("button", name="XLSX").click()
    assert file.value.suggested_filename.endswith("-items.xlsx")


def test_all_that_fit_are_changed_though_one_page_shows_some(
    page: Page, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web.listing.PAGE", 2)
    page.goto(f"{site.address}?state=returned&state=verified")
    expect(page.locator("[data-row]")).to_have_count(2)
    page.locator("[data-rows]").check()
    page.get_by_role("button", name="Select all 4").click()
    expect(page.locator("[data-count]")).to_have_text("All 4 selected")
    press(page, "retire")
    expect(page.get_by_role("heading", name="Retire 2 items")).to_be_visible()


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
