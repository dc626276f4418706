"""The overview of a project in use: to be read by everybody, and a way from a figure to its list."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from jobs.models import CallState
from tests.browser.entering import sign_in
from tests.browser.looking import LOCALES, SIZES, listened_to, look_at
from tests.dashboard.test_overview import reject
from tests.dashboard.test_pace import make_calls, verify
from tests.factories import Cast, make_project, make_story, submit_item

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def cast() -> Cast:
    """A project with some weeks of work behind it, and enough of it for a forecast."""
    cast = make_project()
    story = make_story(cast, title="The Crow and the Pitcher")
    for n in range(21):
        item = submit_item(cast, story=story if n % 3 else None, writer=(cast.writer, cast.writer2)[n % 2])
        verify(cast, item, left_review=8 - n % 3, verified=1 + n % 5)
    submit_item(cast, story=story)
    reject(cast)
    make_calls(cast, ("GLM", CallState.DONE, 400, "0.5"), ("Qwen", CallState.DONE, 300, "0.25"))
    return cast


def address(live_server: LiveServer, cast: Cast, page: str = "dashboard:overview") -> str:
    return f"{live_server.url}{reverse(page, args=[cast.project.slug])}"


def test_figures_lead_to_their_lists(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None]
) -> None:
    seen_as(cast.manager)
    page.goto(address(live_server, cast))
    expect(page.get_by_text("At the pace of the last 14 days:")).to_be_visible()
    page.get_by_text("least covered stories").click()
    page.get_by_role("link", name="The Crow and the Pitcher").click()
    page.wait_for_url(re.compile(r"/stories/\d+$"))
    page.go_back()
    verified = page.get_by_role("row", name="Wu Writer").get_by_role("link").last
    counted = int(verified.inner_text())
    verified.click()
    page.wait_for_url(re.compile(rf"/items\?.*={cast.writer2.pk}\b"))
    expect(page.locator("main tbody tr")).to_have_count(counted)
    assert counted == 10


@pytest.mark.drill
@pytest.mark.parametrize("language", LOCALES)
@pytest.mark.parametrize("name", ["overview", "today"])
def test_it_can_be_read_by_everybody(
    browser: Browser, live_server: LiveServer, cast: Cast, name: str, language: str
) -> None:
    context = browser.new_context(locale=LOCALES[language], reduced_motion="reduce")
    sign_in(context, live_server.url, cast.manager)
    page, complaints = listened_to(context.new_page())
    page.goto(address(live_server, cast, f"dashboard:{name}"))
    for details in page.locator("main details").all():
        details.evaluate("one => one.open = true")
    found = [look_at(page, name, language, screen) for screen in SIZES]
    assert found == [[], []]
    assert complaints == []
    context.close()


def test_keys_open_what_needs_a_manager(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None]
) -> None:
    seen_as(cast.manager)
    page.goto(address(live_server, cast, "dashboard:today"))
    page.keyboard.press("j")
    expect(page.locator("#need-decide")).to_be_focused()
    page.keyboard.press("?")
    expect(page.get_by_text("open a thing that needs you")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    page.wait_for_url(re.compile(r"/adjudicate$"))
