"""Every page that a manager reaches from the inbox of a sample project that has come to its end."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import Browser, Page
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from dashboard.queries.sample import FILL
from dashboard.services import finish_jobs, load_sample
from projects.models import Project
from tests.browser.entering import sign_in
from tests.browser.looking import LOCALES, listened_to, look_at

pytestmark = [pytest.mark.browser, pytest.mark.drill, pytest.mark.django_db(transaction=True)]

TALLEST: Final = 2500
"""In pixels, at a width of 1280."""
DOCUMENTS: Final = (r"/releases/[^/]+/card", r"/guideline(/\d+)?", r"/help/glossary", r"/r/.+", r"/privacy")
"""Pages that are meant to be read from top to bottom."""
OF_A_SHAPE: Final = 2
"""So many pages are opened of each shape of address, such as that of an item."""
LINKS: Final = (
    "[...document.querySelectorAll('a[href]:not([download])')]"
    ".map(link => new URL(link.href)).filter(url => url.origin === location.origin).map(url => url.pathname)"
)
FILES: Final = re.compile(r"\.(csv|jsonl?|md|py|svg|tex|txt|xlsx|yaml|zip)$|/(admin|api|static)/|/files/")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_none_is_too_wide_or_too_tall_and_axe_finds_nothing(
    live_server: LiveServer, browser: Browser, language: str
) -> None:
    manager = User.objects.get(username=load_sample(languages=[language])[0].username)
    finish_jobs(FILL, Project.objects.get().pk)
    context = browser.new_context(locale=LOCALES[language], reduced_motion="reduce")
    sign_in(context, live_server.url, manager)
    page, complaints = listened_to(context.new_page())
    wrong: dict[str, list[object]] = {}
    shapes: Counter[str] = Counter()
    for path in _reached(page, live_server.url, shapes):
        found = [*look_at(page, "sample", language, "wide"), *complaints]
        height = page.evaluate("document.documentElement.scrollHeight")
        if height > TALLEST and not any(re.search(f"{one}$", path) for one in DOCUMENTS):
            found.append(f"{height} pixels tall")
        if found:
            wrong[path] = found
        complaints.clear()
    context.close()
    assert wrong == {}
    assert len(shapes) > 50, "the links of the inbox lead to all of the site"


def _reached(page: Page, site: str, shapes: Counter[str]) -> Iterator[str]:
    """Open one page after the other, following the links of each."""
    seen, waiting = {"/"}, ["/"]
    while waiting:
        path = waiting.pop(0)
        shape = re.sub(r"\d+", "0", path)
        shapes[shape] += 1
        if shapes[shape] > OF_A_SHAPE or FILES.search(path):
            continue
        answer = page.goto(site + path)
        assert answer is not None
        assert answer.ok, path
        yield path
        for link in page.evaluate(LINKS):
            if link not in seen:
                seen.add(link)
                waiting.append(link)
