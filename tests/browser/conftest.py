"""The browser: the system's Chromium, driven by Playwright, against a live server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from tests.browser.entering import sign_in
from tests.browser.waiting import PATIENCE_MS
from tests.conftest import CHROMIUM, HOW_TO_GET_CHROMIUM

# It asks nobody on the net for anything, and needs neither a screen nor a sandbox of its own.
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync"]


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Start the system's Chromium; Playwright brings none here."""
    assert CHROMIUM, HOW_TO_GET_CHROMIUM
    return browser_type_launch_args | {"executable_path": CHROMIUM, "args": FLAGS + QUIET}


@pytest.fixture(scope="session")
def base_url() -> None:
    """Stand in for the plugin's fixture, a method, which this pytest warns about."""


@pytest.fixture(scope="session", autouse=True)
def _orm_beside_playwright() -> Iterator[None]:
    """Let tests use the database although Playwright runs an event loop in their thread."""
    with pytest.MonkeyPatch.context() as patch:  # puts back what was there: tests elsewhere use this too
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        yield


@pytest.fixture(scope="session", autouse=True)
def _patience() -> None:
    """Let a page take its time: no test of the browser is one of speed."""
    expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="session")
def _parked(browser: Browser, live_server: LiveServer) -> Iterator[Page]:
    """Keep a page of the site open: Chromium shows every later page of it in the same process."""
    context = browser.new_context()
    page = context.new_page()
    page.route("**/*", lambda route: route.fulfill(body="parked", content_type="text/html"))
    page.goto(live_server.url)
    yield page
    context.close()


@pytest.fixture
def context(_parked: Page) -> Iterator[BrowserContext]:
    """Give each test the same context, with nothing left in it.

    With a context of its own, as the plugin's fixture makes it, each test would pay for a new process of
    Chromium and for all styles and scripts again: half of the processor time of all tests in a browser.
    """
    context = _parked.context
    yield context
    for page in context.pages:
        if page != _parked:
            page.close()
    context.unroute_all()
    context.set_offline(False)
    context.set_extra_http_headers({})
    context.clear_permissions()
    context.clear_cookies()
    _parked.evaluate("localStorage.clear()")


@pytest.fixture
def seen_as(page: Page, live_server: LiveServer) -> Callable[[User], None]:
    """Let the page be opened by a person, without the form."""
    return partial(sign_in, page.context, live_server.url)
