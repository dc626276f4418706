"""From a failing check to a fixed item, and on to the next, in a browser; the item beside the list."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from django.urls import reverse
from playwright.sync_api import Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from annotation.models import Item
from release.services import run_gate_check
from tests.browser.looking import LOCALES, listened_to, look_at
from tests.dashboard.test_fix import find, placeholder
from tests.factories import Cast, content, make_project, make_story, submit_item
from tests.release.made import bring

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
MOST_CLICKS = 3
"""From a failing check to a fixed item."""


@dataclass
class Clicks:
    """Counts what is pressed with the mouse."""

    n: int = 0

    def on(self, place: Locator) -> None:
        place.click()
        self.n += 1


@dataclass(frozen=True, slots=True)
class Site:
    """A project whose items have a fault, and an address of its pages."""

    cast: Cast
    items: list[Item]
    server: str

    def address(self, name: str, *about: object) -> str:
        return f"{self.server}{reverse(name, args=[self.cast.project.slug, *about])}"


@pytest.fixture
def site(live_server: LiveServer, seen_as: Callable[[User], None]) -> Site:
    cast = make_project()
    story = make_story(cast, title="The Crow and the Pitcher")
    items = []
    for number in range(3):
        options = ("It was thirsty", "It was late", "It was ill", "It was full")
        words = content(f"Why did the crow drop pebble {number}?", *options, key=0)
        items.append(find(submit_item(cast, story=story, words=words), "placeholder_option", "error"))
    seen_as(cast.manager)
    return Site(cast, items, live_server.url)


def test_three_clicks_lead_from_a_failing_check_to_a_fixed_item_and_the_next_comes(
    page: Page, live_server: LiveServer, seen_as: Callable[[User], None]
) -> None:
    cast = make_project()
    bring(cast, [placeholder(number) for number in range(2)], state="in_review")
    run_gate_check(project_id=cast.project.pk)
    first, second = Item.objects.order_by("pk")
    seen_as(cast.manager)
    page.goto(f"{live_server.url}{reverse('release:gates', args=[cast.project.slug])}")
    clicks = Clicks()
    clicks.on(page.get_by_role("link", name="Fix these items"))
    expect(page).to_have_url(re.compile(rf"/items/{first.pk}\?"))
    expect(page.get_by_role("heading", name=re.compile("findings? of the last check"))).to_be_visible()
    clicks.on(page.get_by_role("link", name="Edit").first)
    page.locator("[name=option-1]").fill("It liked the sound")
    clicks.on(page.locator("#foot [data-primary]"))
    expect(page).to_have_url(re.compile(rf"/items/{second.pk}\?"))
    assert clicks.n <= MOST_CLICKS
    assert Item.objects.get(pk=first.pk).current_id != first.current_id
    expect(page.get_by_role("heading", name=re.compile("findings? of the last check"))).to_be_visible()


def test_the_item_is_read_beside_the_list_and_follows_its_keys(page: Page, site: Site) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"{site.address('dashboard:items')}?finding=any&sort=number")
    first, second, _third = site.items
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    panel = page.locator("#beside")
    expect(panel).to_contain_text(f"Item {first.pk}")
    expect(page).to_have_url(re.compile(rf"item={first.pk}"))
    expect(page.locator("tr[data-item]")).to_have_count(3)
    page.locator(f"tr[data-item='{first.pk}']").focus()
    page.keyboard.press("j")
    expect(panel).to_contain_text(f"Item {second.pk}")
    expect(page).to_have_url(re.compile(rf"item={second.pk}"))
    page.keyboard.press("ArrowUp")
    expect(panel).to_contain_text(f"Item {first.pk}")
    page.reload()
    expect(panel).to_contain_text(f"Item {first.pk}")
    page.keyboard.press("r")
    expect(page.get_by_role("heading", name="Return 1 item to its writer")).to_be_visible()
    page.get_by_label("Reason").fill("Two options fit.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("status")).to_contain_text("1 item returned to its writer.")
    page.keyboard.press("u")
    expect(page.get_by_role("status")).to_contain_text("Undone for 1")
    expect(panel).to_contain_text(f"Item {first.pk}")
    page.keyboard.press("e")
    page.locator("[name=stem]").fill("Why did the crow pick up small stones?")
    page.get_by_role("button", name=re.compile("^Submit")).first.click()
    expect(panel).to_contain_text(f"Item {second.pk}")
    expect(page.locator("tr[data-item]")).to_have_count(2)
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    page.go_back()


def test_on_a_phone_the_list_leads_to_the_item(page: Page, site: Site) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(site.address("dashboard:items"))
    page.locator("[data-open]").first.click()
    expect(page).to_have_url(re.compile(r"/items/\d+$"))
    page.goto(f"{site.address('dashboard:items')}?item={site.items[0].pk}")
    expect(page).to_have_url(re.compile(rf"/items/{site.items[0].pk}$"))


@pytest.mark.drill
@pytest.mark.parametrize("language", LOCALES)
def test_the_item_beside_the_list_can_be_read_by_everybody(page: Page, site: Site, language: str) -> None:
    page.set_extra_http_headers({"Accept-Language": LOCALES[language]})
    sheet, complaints = listened_to(page)
    sheet.set_viewport_size({"width": 1280, "height": 900})
    sheet.goto(f"{site.address('dashboard:items')}?finding=any&sort=number&item={site.items[0].pk}")
    expect(sheet.locator("#beside")).to_contain_text(str(site.items[0].pk))
    faults = look_at(sheet, "item-beside", language, "wide")
    assert faults + complaints == []
