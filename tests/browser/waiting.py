"""Wait for what a browser does, with a limit that a busy machine keeps."""

from __future__ import annotations

import time

from playwright.sync_api import Page, expect

from annotation.models import ItemDraft

PATIENCE_MS = 60_000
"""What a page is given to show something: a machine that does much beside is slow, and not wrong."""


def arrive(page: Page, at: str) -> None:
    """Wait until this is on the page and its script has run: keys pressed before that go nowhere."""
    expect(page.locator(at)).to_be_visible()
    page.wait_for_load_state()


def until(page: Page, true: str, seconds: float = PATIENCE_MS / 1000) -> None:
    """Wait until the page finds an expression true; an AssertionError names it where it never does.

    Playwright's own wait_for_function asks again from a timer inside the page, where the content security
    policy refuses to evaluate text: it works only if the first answer is yes.
    """
    end = time.monotonic() + seconds
    while not page.evaluate(true):
        assert time.monotonic() < end, f"never true: {true}"
        page.wait_for_timeout(50)


def saved(page: Page) -> None:
    """Wait until a desk says that it has saved. It may speak of an earlier save: see `until_saved`."""
    expect(page.locator("#saved")).to_contain_text("saved")


def until_saved(page: Page, **fields: str) -> None:
    """Wait until a draft that has not been submitted has these words in its fields."""
    end = time.monotonic() + PATIENCE_MS / 1000
    while not ItemDraft.objects.filter(submitted_as=None, content__contains=fields).exists():
        assert time.monotonic() < end, [draft.content for draft in ItemDraft.objects.all()]
        page.wait_for_timeout(50)
