"""Every page of a writer, in both languages, light and dark, on a desk and on a phone: axe finds nothing.

A page is loaded once in each language; screen and colours change under it. Layout is looked at on both
screens in both languages. The rules of axe see light and dark in both languages, but each screen in one
colour per language, crossed over: what a rule sees of colours hangs on scheme and screen, not on language.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect
from pytest_django import DjangoDbBlocker

from review.models import Disposition, Flaw, GoldPlace, ReviewRequest, Stage
from review.services import judge_practice
from tests.browser.whole_site import Site, furnish, standing_site
from tests.browser.writer_pages import PAGES, WITHOUT_PRIMARY, pages_missing
from tests.review.gold_cast import gold, look

# Not marked as transactional: the database would be emptied after each page, and the site stands for all.
pytestmark = [pytest.mark.browser, pytest.mark.django_db]

LOCALES = {"en": "en", "zh": "zh-CN"}
SIZES: Final[dict[str, ViewportSize]] = {
    "wide": {"width": 1280, "height": 900},
    "phone": {"width": 390, "height": 844},
}
Scheme: TypeAlias = Literal["light", "dark"]
SCHEMES: Final[dict[tuple[str, str], Scheme]] = {
    ("en", "wide"): "light",
    ("en", "phone"): "dark",
    ("zh", "wide"): "dark",
    ("zh", "phone"): "light",
}
AXE: Final = Axe().axe_script
RUN: Final = "axe.run({resultTypes: ['violations']}).then(found => found.violations)"
# Loading happens where a part of the page is fetched by itself; elsewhere there is nothing to wait for.
FETCHES: Final = "[hx-get][hx-trigger]"

DIALOGS = {
    "keys": ("{project}/write", "[data-dialog=keys]", "#keys"),
    "desk-keys": ("{project}/write/draft/{commonsense}", "[data-dialog=keys]", "#keys"),
    "desk-guideline": ("{project}/write/draft/{commonsense}", "[data-dialog=guideline]", "#guideline"),
    "sign-in": ("{project}/write/draft/{commonsense}", "", "#sign-in"),
    "moral": ("{project}/stories/{story}", "form[action$=moral] button", "#moral"),
    "account": ("{project}/write", "[popovertarget=account]", "#account"),
    "menu": ("{project}/write", "[popovertarget=menu]", "#menu"),
}


@pytest.fixture(scope="module")
def sites(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[dict[str, Site]]:
    """One site with a project in each language, for all tests of this file."""
    with django_db_blocker.unblock(), standing_site() as (server, model):
        yield {language: furnish(server, model, language) for language in LOCALES}


@pytest.fixture(scope="module")
def contexts(sites: dict[str, Site], browser: Browser) -> Iterator[dict[str, BrowserContext]]:
    """For each language a browser that is set to it, with its writer signed in."""
    opened = {}
    for language, site in sites.items():
        opened[language] = browser.new_context(locale=LOCALES[language], reduced_motion="reduce")
        site.sign_in(opened[language], site.cast.writer)
    yield opened
    for context in opened.values():
        context.close()


@pytest.fixture(params=LOCALES)
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def site(sites: dict[str, Site], language: str) -> Site:
    return sites[language]


@pytest.fixture(scope="module")
def sheets(contexts: dict[str, BrowserContext]) -> dict[str, tuple[Page, list[str]]]:
    """For each language one page that all tests open their addresses in, and what it complained about."""
    return {language: _listened_to(context.new_page()) for language, context in contexts.items()}


def _listened_to(page: Page) -> tuple[Page, list[str]]:
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return page, complaints


@pytest.fixture
def sheet(sheets: dict[str, tuple[Page, list[str]]], language: str) -> Iterator[Page]:
    """The page of the writer's browser; what it complains about fails the test."""
    page, complaints = sheets[language]
    complaints.clear()
    page.set_viewport_size(SIZES["wide"])
    yield page
    assert complaints == []


def _faults(page: Page) -> list[Any]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    return [(fault["id"], [node["html"] for node in fault["nodes"]]) for fault in page.evaluate(RUN)]


def _look(page: Page, name: str, language: str, *, primary: bool = False) -> None:
    """Look at what is open on every screen."""
    for screen, size in SIZES.items():
        page.set_viewport_size(size)
        scheme = SCHEMES[language, screen]
        page.emulate_media(color_scheme=scheme)
        _picture(page, f"{name}-{language}-{screen}-{scheme}")
        assert _faults(page) == [], f"{screen}, {scheme}"
        assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth"), f"{screen}: too wide"
        if primary:
            expect(page.locator("[data-primary]").last).to_be_in_viewport()


def _picture(page: Page, name: str) -> None:
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)


def test_it_looks_at_every_page_that_a_writer_can_open(sites: dict[str, Site]) -> None:
    assert pages_missing(sites["en"]) == set()


@pytest.mark.parametrize("name", PAGES)
def test_it_can_be_read_by_everybody(sheet: Page, site: Site, language: str, name: str) -> None:
    sheet.goto(site.address(PAGES[name]))
    sheet.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    if sheet.locator(FETCHES).count():
        sheet.wait_for_load_state("networkidle")
    assert sheet.evaluate("document.documentElement.lang").startswith(language)
    _look(sheet, name, language, primary=name not in WITHOUT_PRIMARY)


@pytest.mark.parametrize("name", DIALOGS)
def test_it_can_be_read_by_everybody_when_it_opens(sheet: Page, site: Site, language: str, name: str) -> None:
    address, opener, opened = DIALOGS[name]
    sheet.set_viewport_size(SIZES["phone" if name == "menu" else "wide"])
    sheet.goto(site.address(address))
    if opener:
        sheet.locator(opener).first.click()
    else:
        sheet.evaluate("document.getElementById('sign-in').showModal()")
    expect(sheet.locator(opened)).to_be_visible()
    sheet.wait_for_load_state("networkidle")
    _look(sheet, f"dialog-{name}", language)


def test_it_shows_faults_of_both_kinds_on_the_sheets_it_looks_at(sheet: Page, site: Site) -> None:
    for task in ("commonsense", "moral"):
        sheet.goto(site.address(PAGES["commonsense" if task == "commonsense" else "moral-item"]))
        for severity in ("error", "warning"):
            expect(sheet.locator(f"#lacks [data-severity={severity}]").first).to_be_visible()


# --- practice items: their pages for who makes them and who meets them ---


def test_practice_items_can_be_read_by_everybody(
    browser: Browser, site: Site, language: str, django_db_blocker: DjangoDbBlocker
) -> None:
    cast, slug = site.cast, site.cast.project.slug
    with django_db_blocker.unblock():
        practice = _practice_of(site)
        at = reverse("review:place", args=[slug, practice.pk])
        pages = [reverse("review:gold", args=[slug]), reverse("review:make_gold", args=[slug, site.item.pk])]
    context = browser.new_context(locale=LOCALES[language], reduced_motion="reduce")
    sheet, complaints = _listened_to(context.new_page())
    site.sign_in(context, cast.manager)
    for name, page in zip(("gold", "make-gold"), pages, strict=True):
        sheet.goto(f"{site.server.url}{page}")
        _look(sheet, name, language, primary=False)
    site.sign_in(context, cast.reviewer)
    sheet.goto(f"{site.server.url}{at}")
    _look(sheet, "gold-blind", language, primary=True)
    sheet.locator("label.answer").first.click()
    sheet.locator("[data-primary]").last.click()
    expect(sheet.locator("form#verdict")).to_be_visible()
    _look(sheet, "gold-revealed", language, primary=True)
    with django_db_blocker.unblock():
        practice.refresh_from_db()
        judge_practice(actor=cast.reviewer, practice=practice, disposition="pass", rating=2)
    for name, page in (("gold-lesson", at), ("gold-lessons", reverse("review:lessons", args=[slug]))):
        sheet.goto(f"{site.server.url}{page}")
        _look(sheet, name, language)
    context.close()
    assert complaints == []


def _practice_of(site: Site) -> GoldPlace:
    """A practice item in the reviewer's hands, made of an item of the site that was rejected for a flaw."""
    cast = site.cast
    ReviewRequest.objects.filter(item=site.item).update(priority=1)
    verdict = {"disposition": Disposition.REJECT, "rating": 0, "flaws": [Flaw.UNCLEAR_STEM]}
    look(cast, cast.reviewer2, Stage.CROSS_CHECK, **verdict)
    site.item.refresh_from_db()
    made, now = gold(cast, site.item), timezone.now()
    return GoldPlace.objects.create(
        pk=now.microsecond + 10**9,
        gold=made,
        reviewer=cast.reviewer,
        drawn_order=[2, 0, 3, 1],
        claimed_at=now,
        lease_expires_at=now + timedelta(minutes=30),
    )
