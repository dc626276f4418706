"""Waiting for what a browser does by and by."""

from __future__ import annotations

import time

from playwright.sync_api import Page, expect

from annotation.models import ItemDraft

PATIENCE_MS = 60_000
"""What a page is given to show something: a machine that does much beside is slow, and not wrong."""


def arrive(page: Page, at: str) -> None:
    """Wait until this stands on the page and its script has run: keys pressed before that go nowhere."""
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
    """Wait until a desk says that it has saved; of which save, only until_saved knows."""
    expect(page.locator("#saved")).to_contain_text("saved")


def until_saved(page: Page, stem: str | None = None, **fields: str) -> None:
    """Wait until the one draft that is not handed in has these words in its fields."""
    wanted = fields if stem is None else fields | {"stem": stem}
    end = time.monotonic() + PATIENCE_MS / 1000
    while not ItemDraft.objects.filter(submitted_as=None, content__contains=wanted).exists():
        assert time.monotonic() < end, [draft.content for draft in ItemDraft.objects.all()]
        page.wait_for_timeout(50)
