"""Keys, scheme and sheet in a real browser, in the gallery."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from tests.browser.entering import sign_in
from tests.browser.looking import broken_rules
from tests.factories import make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CHOSEN = "document.querySelector('input[type=radio]:checked').value"
HELP_IS_OPEN = "document.getElementById('keys').open"


@pytest.fixture(autouse=True)
def _signed_in(page: Page, live_server: LiveServer, gallery: None) -> None:
    sign_in(page.context, live_server.url, make_user("Lin"))


def _press(page: Page, key: str, **more: bool) -> None:
    """Press a key that Playwright's keyboard has not, or that an input method holds."""
    page.evaluate(
        "event => document.body.dispatchEvent(new KeyboardEvent('keydown', {bubbles: true, ...event}))",
        {"key": key, **more},
    )


def test_it_answers_by_number_keys_full_width_ones_included(page: Page, live_server: LiveServer) -> None:
    page.goto(f"{live_server.url}/gallery/review")
    page.keyboard.press("1")
    assert page.evaluate(CHOSEN) == "0"
    _press(page, "３")
    assert page.evaluate(CHOSEN) == "2"
    page.keyboard.press("0")
    assert page.evaluate(CHOSEN) == "none_fits"


def test_it_fires_nothing_while_somebody_composes_or_types(page: Page, live_server: LiveServer) -> None:
    page.goto(f"{live_server.url}/gallery/review")
    _press(page, "4", isComposing=True)
    assert page.evaluate(CHOSEN) == "1"
    page.goto(f"{live_server.url}/gallery/desk")
    page.focus("#stem")
    page.keyboard.press("?")
    assert not page.evaluate(HELP_IS_OPEN)
    assert page.input_value("#stem").count("?") == 1


def test_it_lets_single_keys_be_switched_off(page: Page, live_server: LiveServer) -> None:
    page.goto(f"{live_server.url}/gallery/review")
    page.keyboard.press("?")
    page.uncheck("[data-shortcut-switch]")
    page.reload()
    page.keyboard.press("4")
    assert page.evaluate(CHOSEN) == "1"
    page.keyboard.press("?")
    assert not page.evaluate(HELP_IS_OPEN)


def test_it_presses_the_primary_action_with_control_and_enter(page: Page, live_server: LiveServer) -> None:
    page.goto(f"{live_server.url}/gallery/desk")
    page.evaluate(
        "document.querySelector('[data-primary]').addEventListener('click', () => { window.pressed = 1; })"
    )
    page.focus("#stem")
    page.keyboard.press("Control+Enter")
    assert page.evaluate("window.pressed") == 1


def test_it_remembers_the_scheme_without_a_flash(page: Page, live_server: LiveServer) -> None:
    page.emulate_media(color_scheme="light")
    page.goto(f"{live_server.url}/gallery/desk")
    page.click("[data-theme-toggle]")
    answer = page.goto(f"{live_server.url}/gallery/review")
    assert answer is not None
    assert 'data-theme="dark"' in answer.text(), "the server wrote it into the page"
    page.click("[data-theme-toggle]")
    assert page.evaluate("document.documentElement.dataset.theme") is None, "as the system has it"


def test_it_gives_the_form_back_where_it_was_when_the_story_is_closed(
    page: Page, live_server: LiveServer
) -> None:
    page.set_viewport_size({"width": 390, "height": 700})
    page.goto(f"{live_server.url}/gallery/desk")
    page.evaluate("scrollTo(0, 150)")
    page.click(".sheet-tab")
    page.wait_for_url("**#story")
    page.click(".sheet-close")
    page.wait_for_url(lambda address: "#" not in address.rstrip("#"))
    assert page.evaluate("scrollY") == 150


@pytest.mark.parametrize(
    ("path", "judged"),
    [("/gallery", 1280), ("/gallery?swap=1", 390), ("/gallery/desk", 390), ("/gallery/review#story", 1280)],
)
def test_it_can_be_read_by_everybody(page: Page, live_server: LiveServer, path: str, judged: int) -> None:
    """No page is too wide for either screen; on the one, axe judges it."""
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(live_server.url + path)
    for width in (1280 + 390 - judged, judged):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert complaints == []
    assert broken_rules(page) == []
