"""A careless reviewer is found on Today, opened and set aside: three clicks, well within a minute."""

from __future__ import annotations

from time import monotonic

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Item, State
from projects.queries import pause_of
from review.models import ReviewStatistics
from tests.browser.entering import sign_in
from tests.dashboard.test_today import careless
from tests.factories import make_project
from tests.review.test_set_aside import verified

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_careless_reviewer_is_set_aside_in_three_clicks(page: Page, live_server: LiveServer) -> None:
    cast = make_project(reviews_per_item=2)
    made = [verified(cast) for _n in range(3)]
    ReviewStatistics.objects.create(project=cast.project, counted_at=timezone.now(), figures=careless(cast))
    sign_in(page.context, live_server.url, cast.manager)
    page.goto(f"{live_server.url}/p/{cast.project.slug}")
    began, clicks = monotonic(), 0
    expect(page.locator("#need-look")).to_contain_text("right as often as chance (9 of 34), 1 s an answer")
    for name in ("Look", "Set aside and review again"):
        page.get_by_role("link", name=name, exact=True).click()
        clicks += 1
    expect(page.locator("main")).to_contain_text("3 verdicts · 3 items")
    expect(page.locator("main")).to_contain_text("3 verified")
    page.get_by_role("button", name="Set 3 verdicts aside").click()
    clicks += 1
    expect(page.locator("main")).to_contain_text("3 verdicts set aside, 3 items reviewed again")
    assert (clicks, monotonic() - began < 60) == (3, True)
    assert {Item.objects.get(pk=item.pk).state for item in made} == {State.IN_REVIEW}
    begun = pause_of(cast.project, cast.reviewer)
    assert begun is not None
    assert "right as often as chance" in begun.reason
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("main")).to_contain_text("undone")
    assert {Item.objects.get(pk=item.pk).state for item in made} == {State.VERIFIED}
