"""Creating a project in a real browser: the short name is suggested, and never taken from who types one."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from projects.models import Project
from tests.browser.entering import sign_in
from tests.browser.waiting import until
from tests.factories import make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SUGGESTION = "**/short-name*"
AT_REST = "document.querySelector('.htmx-request') === null"


def _begin(page: Page, live_server: LiveServer) -> None:
    sign_in(page.context, live_server.url, make_user("Mia Manager", may_create_projects=True))
    page.goto(f"{live_server.url}/projects/new")
    page.wait_for_load_state()


@pytest.mark.parametrize("typed", ["", "hares"])
def test_a_late_suggestion_replaces_nothing_that_was_typed_meanwhile(
    page: Page, live_server: LiveServer, typed: str
) -> None:
    """A slow line: the suggestion comes when the field has been filled in by hand."""
    held: list[Route] = []
    _begin(page, live_server)
    page.route(SUGGESTION, lambda route: held.append(route))  # noqa: PLW0108 - Playwright takes no built-in
    page.fill("#id_name", "The Hare and the Tortoise")
    with page.expect_request(SUGGESTION):
        page.press("#id_name", "Tab")
    page.locator("#id_slug").press_sequentially(typed)
    until(page, "document.querySelector('.htmx-request') !== null")
    with page.expect_response(SUGGESTION) as came:
        held[0].continue_()
    came.value.finished()
    until(page, AT_REST)
    expect(page.locator("#id_slug")).to_have_value(typed or "the-hare-and-the-tortoise")
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")
    assert Project.objects.get().slug == (typed or "the-hare-and-the-tortoise")


def test_a_short_name_of_ones_own_stays_when_the_name_changes(page: Page, live_server: LiveServer) -> None:
    _begin(page, live_server)
    page.fill("#id_slug", "hares")
    with page.expect_response(SUGGESTION):
        page.fill("#id_name", "The Hare and the Tortoise")
        page.press("#id_name", "Tab")
    until(page, AT_REST)
    expect(page.locator("#id_slug")).to_have_value("hares")
