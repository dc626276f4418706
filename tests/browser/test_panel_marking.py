"""A person of a panel marks an answer in a real browser, on the form that a reviewer has."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from evaluation import services
from evaluation.models import Response
from tests.browser.looking import SIZES, broken_rules
from tests.kinds.released import OWN, released_project
from tests.release.made import RECIPE, built

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_an_invited_person_marks_and_answers(page: Page, live_server: LiveServer) -> None:
    cast = released_project(kinds=["anomaly_spans"])
    release = built(cast, recipe=RECIPE)
    run = services.open_panel(actor=cast.manager, release=release, split="both", sample_size=1)
    (issued,) = services.invite_to_panel(actor=cast.manager, run=run, names=["Ann"], items_each=1)
    page.goto(f"{live_server.url}/solve/{issued.token}?start=1")
    expect(page.locator("[data-marking][data-ready]")).to_be_attached(timeout=15_000)
    for key, positions in (("1", (4, 5)), ("2", (0, 2)), ("3", (3, 3))):
        page.keyboard.press(key)
        for position in positions:
            page.locator(f'.marked-text [data-p="{position}"]').click()
    for size in SIZES.values():
        page.set_viewport_size(size)
        assert broken_rules(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator("[data-primary]").click()
    expect(page.locator("main")).to_contain_text("All done")
    answer = Response.objects.get()
    assert (answer.correct, answer.given) == (True, OWN["anomaly_spans"].answer)
