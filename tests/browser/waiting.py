"""Waiting for something that only JavaScript can see."""

from __future__ import annotations

import time

from playwright.sync_api import Page, expect


def arrive(page: Page, at: str) -> None:
    """Wait until this stands on the page and its script has run: keys pressed before that go nowhere."""
    expect(page.locator(at)).to_be_visible()
    page.wait_for_load_state()


def until(page: Page, true: str, seconds: float = 9) -> None:
    """Wait until the page finds an expression true; an AssertionError names it where it never does.

    Playwright's own wait_for_function asks again from a timer inside the page, where the content security
    policy refuses to evaluate text: it works only if the first answer is yes.
    """
    end = time.monotonic() + seconds
    while not page.evaluate(true):
        assert time.monotonic() < end, f"never true: {true}"
        page.wait_for_timeout(50)
