"""The inbox, the groups of pages and the palette: by keys and on a phone, and for everybody to read."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from accounts.queries import mail_token
from annotation.models import Item
from dashboard.queries.search import ACCOUNT_PAGES, ACTIONS, MORE_PAGES
from projects.models import Membership, Role
from review.models import ReviewRequest
from tests.browser.entering import sign_in
from tests.browser.looking import LOCALES, SIZES, listened_to, look_at
from tests.dashboard.test_inbox import another_project, ended, return_item
from tests.dashboard.test_item_list import move
from tests.factories import Cast, make_project, make_story, submit_item

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@dataclass(frozen=True, slots=True)
class Site:
    """Two projects of one person who does everything in both."""

    server: LiveServer
    cast: Cast
    other: Cast
    item: Item

    def address(self, route: str = "dashboard:home", *rest: object) -> str:
        """The whole address of a page, of the first project where it has one."""
        slug = [] if route == "dashboard:home" else [self.cast.project.slug]
        return f"{self.server.url}{reverse(route, args=[*slug, *rest])}"


@pytest.fixture
def site(live_server: LiveServer, seen_as: Callable[[User], None]) -> Site:
    """One of each kind of card."""
    cast = make_project()
    other = another_project(cast)
    type(other.project).objects.filter(pk=other.project.pk).update(name="Rivers")
    Membership.objects.bulk_create(
        Membership(project=cast.project, user=cast.manager, role=role)
        for role in Role
        if role != Role.MANAGER
    )
    return_item(cast)
    item = submit_item(cast, story=make_story(cast, title="The Crow and the Pitcher"))
    ended(cast)
    seen_as(cast.manager)
    return Site(live_server, cast, other, item)


def opened(page: Page, key: str = "Control+k") -> Page:
    """The page with the palette open and its first answer there."""
    page.locator("body").press(key)
    expect(page.locator("#palette")).to_be_visible()
    expect(page.locator("#palette-list [aria-selected=true]")).to_have_count(1)
    return page


def look_for(page: Page, words: str, kind: str) -> None:
    """Type, and wait until the first of what is found is of this kind."""
    page.keyboard.type(words)
    expect(page.locator("#palette-list [aria-selected=true]")).to_have_id(f"found-{kind}-1")


def test_the_primary_action_takes_the_next_item(page: Page, site: Site) -> None:
    page.goto(site.address())
    expect(page.locator("#foot [data-primary]")).to_contain_text("Review next, 1 waiting")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(re.compile(r"/review/[0-9a-f-]{36}$"))


def test_keys_walk_over_the_cards_and_put_jobs_away(page: Page, site: Site) -> None:
    page.goto(site.address())
    page.keyboard.press("j")
    expect(page.locator("[data-move]").first).to_be_focused()
    page.keyboard.press("j")
    expect(page.locator("[data-move]").nth(1)).to_be_focused()
    expect(page.get_by_text("Job finished")).to_be_visible()
    page.keyboard.press("e")
    expect(page.get_by_role("button", name="Show jobs marked as read")).to_be_visible()
    expect(page.get_by_text("Job finished")).to_have_count(0)


@pytest.mark.parametrize("key", ["Control+k", "/"])
def test_the_palette_opens_by_keys_and_gives_the_focus_back(page: Page, site: Site, key: str) -> None:
    page.goto(site.address("dashboard:inbox"))
    page.locator(".switch").focus()
    opened(page, key)
    query = page.get_by_role("combobox", name="Search pages, stories, items and people")
    expect(query).to_be_focused()
    chosen = page.locator("#palette-list [aria-selected=true]")
    first = chosen.get_attribute("id")
    expect(query).to_have_attribute("aria-activedescendant", str(first))
    page.keyboard.press("ArrowDown")
    expect(query).not_to_have_attribute("aria-activedescendant", str(first))
    page.keyboard.press("ArrowUp")
    expect(query).to_have_attribute("aria-activedescendant", str(first))
    query.fill("story")
    page.keyboard.press("Escape")
    expect(page.locator("#palette")).to_be_hidden()


def press_first(page: Page, words: str, kind: str, lands: str) -> None:
    """Open the palette, type, and open the first of what is found."""
    opened(page)
    look_for(page, words, kind)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(lands))
    expect(page.locator("h1")).to_be_visible()
    assert page.get_by_text("Server Error").count() == 0


@pytest.mark.drill
def test_the_palette_goes_to_every_kind_of_thing(page: Page, site: Site) -> None:
    page.goto(site.address("dashboard:overview"))
    for words, kind, lands in (
        ("create rel", "action", r"/releases/new$"),
        ("item ana", "page", r"/evaluation/item-analysis$"),
        ("pitcher", "story", r"/stories/\d+$"),
        (f"#{site.item.pk}", "item", r"/items/\d+$"),
        ("rosa", "person", r"/members/\d+$"),
        ("rivers", "project", r"/p/fables-\d+/today$"),
    ):
        press_first(page, words, kind, lands)


LANDS: Final = {
    "review:claim": r"/review/[0-9a-f-]{36}$",
    "review:claim_verify": r"/review/[0-9a-f-]{36}$",
    "review:claim_adjudicate": r"/review/[0-9a-f-]{36}$",
    "annotation:take_next": r"/write/",
}
"""Where actions lead that take something: of a queue, or a story."""


@pytest.mark.drill
def test_the_palette_carries_out_each_of_its_commands(page: Page, site: Site) -> None:
    for state in ("in_verification", "in_adjudication"):
        move(submit_item(site.cast), state, site.cast)
    make_story(site.cast)
    slug = site.cast.project.slug
    commands = [("action", one.label, one.route) for one in ACTIONS]
    commands += [("page", one.label, one.route) for one in MORE_PAGES]
    for kind, label, route in commands:
        page.goto(site.address("dashboard:inbox"))
        press_first(page, str(label), kind, LANDS.get(route) or f"{reverse(route, args=[slug])}$")
    for route, label in ACCOUNT_PAGES:
        page.goto(site.address("dashboard:inbox"))
        press_first(page, str(label), "site", f"{site.server.url}{reverse(route)}$")


def test_enter_waits_for_what_was_typed(page: Page, site: Site) -> None:
    page.goto(site.address("dashboard:overview"))
    opened(page).keyboard.type("create rel")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/releases/new$"))
    assert not ReviewRequest.objects.filter(state="claimed", claimed_by=site.cast.manager).exists()


def test_the_palette_says_when_there_is_nothing(page: Page, site: Site) -> None:
    page.goto(site.address())
    opened(page).keyboard.type("zzzz")
    expect(page.locator("#palette-status")).to_have_text("Nothing found for “zzzz”.")


def test_without_script_the_palettes_link_is_a_page_of_search(browser: Browser, site: Site) -> None:
    context = browser.new_context(java_script_enabled=False, locale="en")
    sign_in(context, site.server.url, site.cast.manager)
    page = context.new_page()
    page.goto(site.address("dashboard:overview"))
    page.locator(".jump").click()
    page.get_by_label("Pages, stories, items and people", exact=True).fill("pitcher")
    page.locator("#foot [data-primary]").click()
    page.get_by_role("link", name="The Crow and the Pitcher", exact=True).click()
    page.wait_for_url(re.compile(r"/stories/\d+$"))
    context.close()


def test_letters_after_g_go_to_any_group(page: Page, site: Site) -> None:
    page.goto(site.address("dashboard:inbox"))
    for letter, rest in (("n", "evaluation/item-analysis"), ("j", "jobs"), ("e", "releases"), ("h", "inbox")):
        page.keyboard.press("g")
        page.keyboard.press(letter)
        page.wait_for_url(f"{site.server.url}/p/{site.cast.project.slug}/{rest}")


def test_a_phone_has_all_pages_in_its_menu(page: Page, site: Site) -> None:
    page.set_viewport_size(SIZES["phone"])
    page.goto(site.address("dashboard:inbox"))
    expect(page.locator("nav.nav")).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    menu = page.get_by_role("navigation", name="All pages")
    expect(menu.get_by_role("heading")).to_have_text(["Work", "Content", "Quality", "Releases", "Project"])
    menu.get_by_role("link", name="Reviewer agreement").click()
    page.wait_for_url(re.compile(r"/review/statistics$"))


def test_the_switch_leads_to_other_projects(page: Page, site: Site) -> None:
    page.goto(site.address("dashboard:inbox"))
    page.get_by_role("button", name="Fables: switch project").click()
    page.locator("#projects").get_by_role("link", name="Rivers").click()
    page.wait_for_url(f"{site.server.url}/p/{site.other.project.slug}/today")


@pytest.mark.drill
@pytest.mark.parametrize("language", LOCALES)
def test_it_can_be_read_by_everybody(browser: Browser, site: Site, settings: Settings, language: str) -> None:
    settings.MAIL_URL = "smtp://localhost"
    context = browser.new_context(locale=LOCALES[language], reduced_motion="reduce")
    sign_in(context, site.server.url, site.cast.manager)
    page, complaints = listened_to(context.new_page())
    stop = f"{site.server.url}{reverse('accounts:stop_mail', args=[mail_token(site.cast.manager)])}"
    found: list[tuple[str, str, list[object]]] = []
    addresses = {
        "inbox": site.address(),
        "inbox-project": site.address("dashboard:inbox"),
        "search": f"{site.server.url}/search?project={site.cast.project.slug}&q=pitcher",
        "profile": f"{site.server.url}/me",
        "stop-mail": stop,
    }
    for name, address in addresses.items():
        page.goto(address)
        found += [(name, screen, look_at(page, name, language, screen)) for screen in SIZES]
    page.goto(site.address("dashboard:overview"))
    opened(page)
    found += [("palette", screen, look_at(page, "palette", language, screen)) for screen in SIZES]
    page.keyboard.press("Escape")
    page.set_viewport_size(SIZES["wide"])
    page.locator(".switch").click()
    expect(page.locator("#projects li").first).to_be_visible()
    found.append(("switch", "wide", look_at(page, "switch", language, "wide")))
    assert [each for each in found if each[2]] == []
    assert complaints == []
    context.close()
