"""Every page of releases and measuring, in both languages, on a desk and on a phone: axe finds nothing.

Those that are named are opened with what they hold in use; a walk over the routes finds the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from playwright.sync_api import Browser, BrowserContext
from pytest_django import DjangoDbBlocker

from tests.browser.looking import LOCALES, SIZES, listened_to, look_at
from tests.browser.managers_site import PAGES, PUBLIC, Measured, measured_site, other_pages
from tests.browser.whole_site import standing_site


@pytest.fixture(scope="module")
def sites(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[dict[str, Measured]]:
    """One site with a measured project in each language."""
    with django_db_blocker.unblock(), standing_site() as (server, model):
        yield {language: measured_site(server, model, language) for language in LOCALES}


@pytest.mark.drill
@pytest.mark.browser
@pytest.mark.django_db
@pytest.mark.parametrize("language", LOCALES)
def test_managers_pages_can_be_read_by_everybody(
    sites: dict[str, Measured], browser: Browser, language: str
) -> None:
    site = sites[language]
    faults: dict[str, list[Any]] = {}
    for pages, manages in ((PAGES | other_pages(site), True), (PUBLIC, False)):
        context = browser.new_context(locale=LOCALES[language], reduced_motion="reduce")
        if manages:
            name = settings.SESSION_COOKIE_NAME
            context.add_cookies([{"name": name, "value": site.session, "url": site.server.url}])
        faults |= {
            name: found
            for name, rest in pages.items()
            if (found := _faults(context, site, name, site.path(rest), language))
        }
        context.close()
    assert faults == {}


def _faults(context: BrowserContext, site: Measured, name: str, path: str, language: str) -> list[Any]:
    """What is wrong with one page on any screen, with everything opened that can be opened."""
    sheet, complaints = listened_to(context.new_page())
    answer = sheet.goto(f"{site.server.url}{path}")
    assert answer is not None
    assert (answer.status, sheet.url) == (200, f"{site.server.url}{path}")
    sheet.evaluate("document.querySelectorAll('main details').forEach(each => { each.open = true })")
    assert sheet.evaluate("document.documentElement.lang").startswith(language)
    found = [(screen, one) for screen in SIZES for one in look_at(sheet, name, language, screen)]
    sheet.close()
    return found + complaints
