"""A stranger reads the public page of a release, loads the set and cites it."""

from __future__ import annotations

from time import monotonic
from typing import Final

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from evaluation import services
from parable.llm.stub import StubServer
from tests.browser.entering import sign_in
from tests.browser.looking import LOCALES, SIZES, listened_to, look_at
from tests.evaluation.measuring import Bench, make_bench

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
READ: Final = "() => navigator.clipboard.readText()"


def opened(stub: StubServer, language: str) -> Bench:
    bench = make_bench(stub, language)
    bench.ran()
    services.set_publication(
        actor=bench.cast.manager,
        release=bench.release,
        is_open=True,
        shows_scores=True,
        authors="Lim, Grace\nFable Lab",
    )
    return bench


@pytest.mark.parametrize("language", LOCALES)
def test_it_reads_well_on_each_screen(
    browser: Browser, live_server: LiveServer, stub: StubServer, language: str
) -> None:
    bench = opened(stub, language)
    context = browser.new_context(locale=LOCALES[language], viewport=SIZES["phone"])
    page, complaints = listened_to(context.new_page())
    start = f"{live_server.url}/r/{bench.cast.project.slug}/1.0.0/"
    page.goto(start)
    assert page.evaluate(BROKEN) == []
    for name in ("index", "items-1"):
        page.goto(f"{start}{name}.html")
        for folded in page.locator("details").all():
            folded.evaluate("each => each.open = true")
        for screen in SIZES:
            assert look_at(page, f"public-{name}", language, screen) == [], (name, screen)
    page.locator("article a").first.click()
    expect(page.locator("#id_item_id")).to_have_value(bench.release.items.filter(split="dev")[0].public_id)
    expect(page.locator("#id_release")).to_have_value("1.0.0")
    assert complaints == []
    sign_in(context, live_server.url, bench.cast.manager)
    page.goto(f"{live_server.url}/p/{bench.cast.project.slug}/releases")
    page.set_viewport_size(SIZES["phone"])
    phone, text = SIZES["phone"]["width"], page.locator(".timeline .what").first.bounding_box()
    assert text is not None
    assert text["width"] > phone / 2, "beside the line of releases there is room for words"
    context.close()


def test_a_stranger_loads_the_set_and_cites_it_within_a_minute(
    browser: Browser, live_server: LiveServer, stub: StubServer
) -> None:
    bench = opened(stub, "en")
    context = browser.new_context(locale="en", viewport=SIZES["wide"])
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=live_server.url)
    page, complaints = listened_to(context.new_page())
    began, slug = monotonic(), bench.cast.project.slug
    page.goto(f"{live_server.url}/r/{slug}/")
    expect(page.locator("h1")).to_have_text(bench.cast.project.name)
    page.locator("#use").get_by_role("button", name="Copy").click()
    expect(page.locator("#use")).to_contain_text("Copied")
    code = page.evaluate(READ)
    page.locator("#use").get_by_text("lm-eval").click()
    page.locator("[data-tool=lm_eval]").get_by_role("button", name="Copy").click()
    expect(page.locator("[data-tool=lm_eval]")).to_contain_text("Copied")
    command = page.evaluate(READ)
    page.locator("#cite").get_by_role("button", name="Copy").click()
    expect(page.locator("#cite")).to_contain_text("Copied")
    citation = page.evaluate(READ)
    assert monotonic() - began < 60
    archive = f"{live_server.url}/r/{slug}/1.0.0/{slug}-1.0.0.zip"
    assert archive in code
    assert f'load_dataset("{slug}-1.0.0", "all")' in code
    assert command.startswith(f"curl -fLO {archive}\n")
    assert "author  = {Lim, Grace and {Fable Lab}}" in citation
    assert f"url     = {{{live_server.url}/r/{slug}/1.0.0/}}" in citation
    page.get_by_role("link", name="中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
    page.get_by_role("link", name="English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    assert complaints == []
    context.close()
