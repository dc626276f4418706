"""A manager starts from published settings, and lays published figures beside the results."""

from __future__ import annotations

import json

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, FilePayload, Page, expect
from pytest_django.live_server_helper import LiveServer

from evaluation import services
from parable.llm.conditions import CRMUS_PROMPT
from parable.llm.stub import StubServer
from parable.psychometrics.results.papers import CRMUS
from release.queries.release import frozen_items
from tests.browser.looking import LOCALES, SIZES, listened_to, look_at
from tests.evaluation.measuring import Bench, brought, make_bench

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
FIGURES = (
    "table,row,task,column,published,n\n"
    "accuracy,right,,accuracy:moral,100.00,9\n"
    "accuracy,first,,accuracy:moral,50.10,9\n"
    "accuracy,absent,,accuracy:moral,66.67,9\n"
    "repeats,absent,moral,first_two,32.87,9\n"
)


def counted(bench: Bench) -> int:
    """Tables of three models."""
    lines = [
        json.dumps({"model": model, "item_id": one.public_id, "repeat": 1, "choice": choice}) + "\n"
        for one in frozen_items(bench.release)
        for model, choice in (("right", one.record["answer"]), ("wrong", 2), ("first", 0))
    ]
    runs = brought(bench.release, bench.cast.manager, "".join(lines).encode())
    results = services.order_results(actor=bench.cast.manager, release=bench.release, runs=runs)
    services.count_results(results_id=results.pk)
    return results.pk


def signed_in(browser: Browser, server: LiveServer, bench: Bench, language: str) -> BrowserContext:
    client = Client()
    client.force_login(bench.cast.manager)
    context = browser.new_context(locale=LOCALES[language], reduced_motion="reduce")
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": server.url}])
    return context


def looks_well(page: Page, name: str, language: str) -> None:
    for screen in SIZES:
        assert look_at(page, name, language, screen) == [], (name, language, screen)
    page.set_viewport_size(SIZES["wide"])


@pytest.mark.drill
def test_a_manager_repeats_a_paper(browser: Browser, live_server: LiveServer, stub: StubServer) -> None:
    bench = make_bench(stub)
    results = counted(bench)
    start = f"{live_server.url}/p/{bench.cast.project.slug}/evaluation"
    for language in LOCALES:
        context = signed_in(browser, live_server, bench, language)
        page, complaints = listened_to(context.new_page())
        page.goto(f"{start}/new")
        page.get_by_role("link", name="CRMUS").nth(1).click()
        expect(page.locator("#id_prompt")).to_have_value(CRMUS_PROMPT)
        expect(page.locator("#id_repeats")).to_have_value("2")
        looks_well(page, "published-start", language)
        page.goto(f"{start}/results/{results}")
        looks_well(page, "published-result", language)
        page.goto(f"{start}/results/{results}/published")
        page.locator("button[name=paper]").click()
        expect(page.locator("tbody tr")).to_have_count(len(CRMUS.figures))
        file = FilePayload(name="paper.csv", mimeType="text/csv", buffer=FIGURES.encode())
        page.locator("#id_source").fill("Table 5")
        page.locator("#id_file").set_input_files(file)
        page.locator("[data-primary]").click()
        expect(page.locator("tbody tr")).to_have_count(4)
        expect(page.locator("svg.drawn circle")).to_have_count(2)
        looks_well(page, "published-figures", language)
        assert complaints == []
        context.close()
