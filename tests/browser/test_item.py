"""From a figure to the items behind it, and to an item's page with its whole life, in a real browser."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import State
from annotation.services import add_comment, revise_item
from evaluation import services as measuring
from parable.llm.stub import StubServer
from release.models import ReleaseItem
from review.services import count_statistics
from tests.browser.looking import LOCALES, SIZES, listened_to, look_at
from tests.dashboard.test_item import returned
from tests.evaluation.measuring import Bench, make_bench
from tests.evaluation.test_items import answering
from tests.factories import content

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def bench(live_server: LiveServer, stub: StubServer) -> Bench:
    """A release with answers, a calibration and results, and an item that was reviewed and reworded."""
    found = make_bench(stub)
    actor, runs = found.cast.manager, answering(found, 4)
    calibration = measuring.order_calibration(actor=actor, release=found.release, runs=runs, model="2pl")
    measuring.run_calibration(calibration_id=calibration.pk)
    results = measuring.order_results(actor=actor, release=found.release, runs=runs)
    measuring.count_results(results_id=results.pk)
    item = returned(found.cast, right=True)
    add_comment(actor=found.cast.writer, item=item, text="The long one.")
    revise_item(actor=found.cast.writer, item=item, content=content("Why did the hare lose the race?"))
    count_statistics(project_id=found.cast.project.pk)
    return found


def entered(browser: Browser, server: LiveServer, bench: Bench, language: str) -> BrowserContext:
    client = Client()
    client.force_login(bench.cast.manager)
    name = settings.SESSION_COOKIE_NAME
    context = browser.new_context(locale=LOCALES[language], reduced_motion="reduce")
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": server.url}])
    return context


def test_a_suspect_item_is_found_from_the_results_and_retired(
    browser: Browser, live_server: LiveServer, bench: Bench
) -> None:
    context = entered(browser, live_server, bench, "en")
    page = context.new_page()
    page.goto(live_server.url + reverse("evaluation:results", args=[bench.cast.project.slug]))
    page.keyboard.press("g")
    page.keyboard.press("n")
    page.wait_for_url("**/evaluation/item-analysis")
    page.get_by_role("link", name="1.0.0").first.click()
    analysis = page.url
    suspect = page.locator("tbody tr").first
    expect(suspect).to_contain_text("able examinees choose a distractor")
    public_id = suspect.locator("th a").first.inner_text()
    suspect.get_by_role("button", name="Retire").click()
    page.wait_for_url("**/bulk")
    page.get_by_label("Reason").fill("Two options fit.")
    page.keyboard.press("Control+Enter")
    released = ReleaseItem.objects.select_related("item").get(public_id=public_id)
    page.wait_for_url(f"**/items/{released.item_id}")
    expect(page.get_by_role("status")).to_contain_text("1 item retired.")
    expect(page.locator("main")).to_contain_text("Two options fit.")
    released.item.refresh_from_db()
    assert released.item.state == State.RETIRED
    page.goto(analysis)
    row = page.locator("tbody tr", has_text=public_id).first
    expect(row).to_contain_text("retired")
    expect(row.get_by_role("button", name="Retire")).to_have_count(0)
    context.close()


def test_a_cell_leads_to_its_items_and_an_item_to_its_life(
    browser: Browser, live_server: LiveServer, bench: Bench
) -> None:
    context = entered(browser, live_server, bench, "en")
    page, complaints = listened_to(context.new_page())
    slug = bench.cast.project.slug
    page.goto(live_server.url + reverse("evaluation:results", args=[slug]))
    page.get_by_role("navigation", name="Tables").get_by_role("link", name="Responses").click()
    page.wait_for_url(re.compile(r"view="))
    page.locator("section summary").evaluate_all("found => found.forEach(one => one.click())")
    page.locator("section[id] tbody tr").first.locator("td.n a").first.click()
    page.wait_for_url(re.compile(r"/items\?run="))
    page.locator("tbody th a").first.click()
    expect(page.get_by_role("heading", name="Item statistics")).to_be_visible()
    page.get_by_role("link", name="Evaluated on 1.0.0").click()
    expect(page.get_by_role("link", name="model-3")).to_be_visible()
    page.get_by_role("link", name="Releases 1").click()
    expect(page.locator(".timeline > li")).to_have_count(1)
    assert complaints == []
    context.close()


@pytest.mark.drill
@pytest.mark.parametrize("language", LOCALES)
def test_its_pages_can_be_read_by_everybody(
    browser: Browser, live_server: LiveServer, bench: Bench, language: str
) -> None:
    slug = bench.cast.project.slug
    released, reworded = (
        reverse("dashboard:item", args=[slug, pk])
        for pk in (bench.release.items.order_by("number")[0].item_id, bench.cast.project.items.last().pk)  # type: ignore[union-attr]  # it has items
    )
    counted = reverse("review:counted_items", args=[slug])
    statistics = reverse("review:statistics", args=[slug])
    context = entered(browser, live_server, bench, language)
    faults: dict[str, list[Any]] = {}
    for name, where in {
        "item-released": released,
        "item-reworded": reworded,
        "items-counted": f"{counted}?figure=rated",
        "agreement": statistics,
    }.items():
        page, complaints = listened_to(context.new_page())
        page.goto(live_server.url + where)
        page.evaluate("document.querySelectorAll('main details').forEach(each => { each.open = true })")
        found = [one for screen in SIZES for one in look_at(page, name, language, screen)] + complaints
        if found:
            faults[name] = found
        page.close()
    context.close()
    assert faults == {}
