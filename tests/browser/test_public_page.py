"""A visitor reads the public page of a release on a phone."""

from __future__ import annotations

from typing import Final

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from evaluation import services
from parable.llm.stub import StubServer
from tests.browser.looking import LOCALES, SIZES, listened_to, look_at
from tests.evaluation.measuring import make_bench

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

BROKEN: Final = """() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
  for (let text; (text = texts.nextNode());)
    if (text.parentElement.closest("table"))
      for (const word of text.data.matchAll(/[A-Za-z0-9.]+/g)) {
        const range = document.createRange();
        range.setStart(text, word.index);
        range.setEnd(text, word.index + word[0].length);
        if (new Set([...range.getClientRects()].map(each => each.top)).size > 1) found.push(word[0]);
      }
  return found;
}"""
"""The words and numbers in tables that begin in one line and end in another."""
SCROLLS: Final = "boxes => boxes.some(box => box.scrollWidth > box.clientWidth)"
LOOSE: Final = "tables => tables.filter(each => !each.closest('.scroll-x[tabindex]')).length"


@pytest.mark.parametrize("language", LOCALES)
def test_tables_scroll_within_their_box(
    browser: Browser, live_server: LiveServer, stub: StubServer, language: str
) -> None:
    bench = make_bench(stub, language)
    bench.ran()
    services.set_publication(actor=bench.cast.manager, release=bench.release, is_open=True, shows_scores=True)
    context = browser.new_context(locale=LOCALES[language], viewport=SIZES["phone"])
    page, complaints = listened_to(context.new_page())
    start = f"{live_server.url}/r/{bench.cast.project.slug}/1.0.0/"
    page.goto(start)
    assert page.evaluate(BROKEN) == []
    assert page.locator("table").evaluate_all(LOOSE) == 0
    assert page.locator(".scroll-x").evaluate_all(SCROLLS)
    for name in ("index", "items-1"):
        page.goto(f"{start}{name}.html")
        for screen in SIZES:
            assert look_at(page, f"public-{name}", language, screen) == [], (name, screen)
    page.locator("article a").first.click()
    expect(page.locator("#id_item_id")).to_have_value(bench.release.items.filter(split="dev")[0].public_id)
    expect(page.locator("#id_release")).to_have_value("1.0.0")
    assert complaints == []
    context.close()
