"""Every page of a writer, in both languages, light and dark, on a desk and on a phone: axe finds nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django import DjangoDbBlocker

from tests.browser.whole_site import Site, furnish, standing_site

# Not marked as transactional: the database would be emptied after each page, and the site stands for all.
pytestmark = [pytest.mark.browser, pytest.mark.django_db]

LOCALES = {"en": "en", "zh": "zh-CN"}
SCREENS = {"wide": (1280, 900), "phone": (390, 844)}
# Schemes differ in nothing but colours, so in the second one only what colours decide is asked again.
EVERYTHING = {"resultTypes": ["violations"]}
COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"], "resultTypes": ["violations"]}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")

PAGES = {
    "projects": "/?all=1",
    "home": "{project}",
    "desk": "{project}/write",
    "left": "{project}/write/left",
    "empty-sheet": "{project}/write/story/{story}?new=1",
    "commonsense": "{project}/write/draft/{commonsense}",
    "moral-item": "{project}/write/draft/{moral}",
    "moral-asked": "{project}/write/story/{story}?task=moral",
    "revising": "{project}/write/item/{returned}",
    "stories": "{project}/stories",
    "no-story": "{project}/stories?q=nothing+like+it",
    "story": "{project}/stories/{story}",
    "items": "{project}/items",
    "item": "{project}/items/{item}",
    "item-returned": "{project}/items/{returned}",
    "guideline": "{project}/guideline",
    "guideline-changes": "{project}/guideline/changes",
    "profile": "/me",
    "my-projects": "/me/projects",
    "password": "/accounts/password/change/",
    "sign-out": "/accounts/logout/",
    "candidates": "{project}/candidates",
    "candidates-story": "{project}/candidates/{story}",
    "candidates-batch": "{project}/candidates/batch?story={story}",
    "candidates-by-hand": "{project}/candidates/{story}/by-hand",
    "templates": "{project}/candidates/prompts",
    "template-new": "{project}/candidates/prompts/new",
    "missing": "{project}/stories/0",
}
# Pages that are read, with nothing to press that is more urgent than leaving them.
WITHOUT_PRIMARY = {
    "projects", "no-story", "guideline-changes", "missing", "my-projects", "item", "story",
    "candidates-by-hand",
}  # fmt: skip

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


@pytest.fixture
def sheet(contexts: dict[str, BrowserContext], language: str) -> Iterator[Page]:
    """An empty page of the writer's browser; what it complains about fails the test."""
    page = contexts[language].new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    page.close()
    assert complaints == []


def _faults(page: Page, options: dict[str, Any]) -> list[Any]:
    found = Axe().run(page, options=options).response["violations"]
    return [(fault["id"], [node["html"] for node in fault["nodes"]]) for fault in found]


def _look(page: Page, name: str, language: str, *, primary: bool = False) -> None:
    """Look at what is open on every screen and in every scheme."""
    for screen, (width, height) in SCREENS.items():
        page.set_viewport_size({"width": width, "height": height})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            _picture(page, f"{name}-{language}-{screen}-{scheme}")
            options = EVERYTHING if scheme == "light" else COLOURS
            assert _faults(page, options) == [], f"{screen}, {scheme}"
        assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth"), f"{screen}: too wide"
        if primary:
            expect(page.locator("[data-primary]").last).to_be_in_viewport()


def _picture(page: Page, name: str) -> None:
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)


@pytest.mark.parametrize("name", PAGES)
def test_it_can_be_read_by_everybody(sheet: Page, site: Site, language: str, name: str) -> None:
    sheet.goto(site.address(PAGES[name]))
    sheet.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    sheet.wait_for_load_state("networkidle")
    assert sheet.evaluate("document.documentElement.lang").startswith(language)
    _look(sheet, name, language, primary=name not in WITHOUT_PRIMARY)


@pytest.mark.parametrize("name", DIALOGS)
def test_it_can_be_read_by_everybody_when_it_opens(sheet: Page, site: Site, language: str, name: str) -> None:
    address, opener, opened = DIALOGS[name]
    width, height = SCREENS["phone" if name == "menu" else "wide"]
    sheet.set_viewport_size({"width": width, "height": height})
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
