"""A batch is watched and steered in a browser: its page keeps itself up to date and lets one type."""

from __future__ import annotations

import os
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from jobs.models import Call, CallState, Job
from jobs.services import wake_calls
from parable.llm.stub import StubServer
from tests.browser.entering import enter
from tests.factories import make_story
from tests.generation.bench import Bench, work_off
from tests.generation.conftest import bench

__all__ = ["bench"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PICTURES = os.environ.get("PICTURES_FOLDER")


def dear_batch(place: Bench) -> Job:
    """Eight calls, of which the budget pays for some; one is refused, one fails with a schema and without."""
    with StubServer(programme=["refusal", "400", "400"]) as server:
        endpoint = place.add_endpoint(
            "dear",
            "any",
            base_url=server.base_url,
            price_out=Decimal(10_000),
            parameters={"max_tokens": 100},
            parallel_calls=1,
        )
        stories = [make_story(place.cast) for _ in range(8)]
        started = place.start(endpoints=[endpoint], stories=stories, budget=Decimal("1.5"))
        work_off(started.waiting)
        endpoint.base_url = place.stub.base_url
        endpoint.save(update_fields=["base_url"])
    return started.batch.job


def picture(page: Page, name: str) -> None:
    """Pictures to look at, where PICTURES_FOLDER names a folder for them."""
    if not PICTURES:
        return
    for width in (1280, 390):
        for scheme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            page.screenshot(path=Path(PICTURES) / f"{name}-{width}-{scheme}.png", full_page=True)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.emulate_media(color_scheme="light")


@pytest.mark.drill
def test_it_says_that_money_is_missing_and_goes_on_with_more(
    page: Page, live_server: Any, bench: Bench
) -> None:
    job = dear_batch(bench)
    complaints = enter(page, live_server.url, bench.cast.writer)
    page.goto(live_server.url + reverse("dashboard:inbox", args=[bench.cast.project.slug]))
    page.get_by_role("link", name=job.title).click()
    expect(page.locator("#progress")).to_contain_text("Paused: the budget is used up.")
    expect(page.locator("#progress")).to_contain_text("Blocked by a content filter")
    picture(page, "paused")
    page.fill("#limit", "50")
    page.wait_for_timeout(2500)
    expect(page.locator("#limit")).to_have_value("50")  # the page has not asked anew under one's hands
    page.get_by_role("button", name="Resume").click()
    expect(page.locator("#progress")).not_to_contain_text("Paused")
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("#progress strong")).to_have_text("Paused")
    page.get_by_role("button", name="Resume").click()
    waits = Call.objects.filter(state=CallState.PENDING)
    work_off([*waits.values_list("pk", flat=True)])
    expect(page.locator("#progress")).to_contain_text("8 / 8")  # nobody asked for it
    page.get_by_role("button", name="Retry this call").click()
    expect(page.locator("#progress")).to_contain_text("7 / 8")
    work_off([*waits.values_list("pk", flat=True), *wake_calls(job_id=job.pk)])
    expect(page.locator("#progress strong")).to_have_text("Done")
    picture(page, "done")
    assert complaints == []


def test_it_can_be_cancelled_and_is_there_in_chinese(page: Page, live_server: Any, bench: Bench) -> None:
    job = bench.start(stories=[make_story(bench.cast) for _ in range(3)]).batch.job
    enter(page, live_server.url, bench.cast.writer)
    page.goto(live_server.url + reverse("jobs:job", args=[bench.cast.project.slug, job.pk]))
    picture(page, "running")
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#progress strong")).to_have_text("Cancelled")
    page.context.set_extra_http_headers({"Accept-Language": "zh-CN"})
    page.context.clear_cookies(name="django_language")
    page.reload()
    picture(page, "cancelled-zh")
