"""Every page of a writer, in both languages, light and dark, on a desk and on a phone: axe finds nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django import DjangoDbBlocker

from projects.queries import current_guideline
from projects.services import acknowledge_guideline
from review.models import Disposition, Flaw, ReviewRequest, Stage
from review.services.practice import deal
from tests.browser.looking import LOCALES, SIZES, listened_to, look_at
from tests.browser.whole_site import Site, furnish, standing_site
from tests.browser.writer_pages import PAGES, WITHOUT_PRIMARY, other_pages
from tests.factories import submit_item
from tests.review.practice_cast import look, practice_item

# Not marked as transactional: the database would be emptied after each page, and the site stands for all.
pytestmark = [pytest.mark.browser, pytest.mark.drill, pytest.mark.django_db]

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
    return {language: listened_to(context.new_page()) for language, context in contexts.items()}


@pytest.fixture
def sheet(sheets: dict[str, tuple[Page, list[str]]], language: str) -> Iterator[Page]:
    """The page of the writer's browser; what it complains about fails the test."""
    page, complaints = sheets[language]
    complaints.clear()
    page.set_viewport_size(SIZES["wide"])
    yield page
    assert complaints == []


def _look(page: Page, name: str, language: str, *, primary: bool = False) -> None:
    """Look at what is open on every screen."""
    for screen in SIZES:
        assert look_at(page, name, language, screen) == [], screen
        if primary:
            expect(page.locator("[data-primary]:visible").last).to_be_in_viewport()


def _open_all(page: Page, language: str) -> None:
    """Open what can be opened, wait for what it fetches, and hold the page against its language."""
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    if page.locator(FETCHES).count():
        page.wait_for_load_state("networkidle")
    assert page.evaluate("document.documentElement.lang").startswith(language)


def test_every_other_page_that_a_writer_can_open_can_be_read(sheet: Page, site: Site, language: str) -> None:
    for name, address in other_pages(site).items():
        sheet.goto(f"{site.server.url}{address}")
        _open_all(sheet, language)
        _look(sheet, name.replace(":", "-"), language)


@pytest.mark.parametrize("name", PAGES)
def test_it_can_be_read_by_everybody(sheet: Page, site: Site, language: str, name: str) -> None:
    sheet.goto(site.address(PAGES[name]))
    _open_all(sheet, language)
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


@pytest.fixture(scope="module")
def practised(
    sites: dict[str, Site], browser: Browser, django_db_blocker: DjangoDbBlocker
) -> Iterator[dict[str, tuple[ReviewRequest, BrowserContext, BrowserContext]]]:
    """For each language a practice item in the reviewer's hands; the manager's browser and the reviewer's."""
    opened = {}
    with django_db_blocker.unblock():
        for language, site in sites.items():
            contexts = [browser.new_context(locale=LOCALES[language], reduced_motion="reduce") for _ in "mr"]
            for context, who in zip(contexts, (site.cast.manager, site.cast.reviewer), strict=True):
                site.sign_in(context, who)
            opened[language] = (_practice_of(site), contexts[0], contexts[1])
    yield opened
    for _place, *contexts in opened.values():
        for context in contexts:
            context.close()


def _practice_of(site: Site) -> ReviewRequest:
    """Made of an item that was rejected for a flaw."""
    cast = site.cast
    guideline = current_guideline(cast.project)
    assert guideline is not None
    acknowledge_guideline(actor=cast.writer2, guideline=guideline)
    item = submit_item(cast, story=site.story, writer=cast.writer2)
    ReviewRequest.objects.filter(item=item).update(priority=1)
    flaws = [Flaw.UNCLEAR_STEM]
    look(cast, cast.reviewer2, Stage.CROSS_CHECK, disposition=Disposition.REJECT, rating=0, flaws=flaws)
    item.refresh_from_db()
    return deal(cast.reviewer, practice_item(cast, item))


def test_practice_items_can_be_read_by_everybody(
    practised: dict[str, tuple[ReviewRequest, BrowserContext, BrowserContext]], site: Site, language: str
) -> None:
    place, managers, reviewers = practised[language]
    slug = site.cast.project.slug

    def address(view: str, *values: object) -> str:
        return f"{site.server.url}{reverse(f'review:{view}', args=[slug, *values])}"

    sheet, complaints = listened_to(managers.new_page())
    for name, page in (
        ("gold", address("practice")),
        ("make-gold", address("create_practice", place.source_id)),
    ):
        assert sheet.goto(page).status == 200  # type: ignore[union-attr]  # an address of this site
        _look(sheet, name, language)
    sheet, more_complaints = listened_to(reviewers.new_page())
    sheet.goto(address("request", place.public_id))
    _look(sheet, "gold-blind", language, primary=True)
    sheet.locator("label.answer").first.click()
    sheet.locator("[data-primary]").last.click()
    expect(sheet.locator("form#verdict")).to_be_visible()
    _look(sheet, "gold-revealed", language, primary=True)
    for name, value in (("rating", "2"), ("disposition", "pass")):
        sheet.locator(f"label:has(input[name={name}][value='{value}'])").click()
    sheet.locator("[data-primary]").last.click()
    expect(sheet.locator("form#verdict")).to_have_count(0)
    _look(sheet, "gold-lesson", language)
    sheet.goto(address("practice_results"))
    _look(sheet, "gold-lessons", language)
    assert complaints + more_complaints == []
