"""The list of candidates in a browser: found by keys, hidden ones apart, on every screen."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from annotation.services import record_exposure
from generation.models import Purpose
from generation.services import create_template, paste_answer
from jobs.models import EndpointKind
from jobs.services import create_endpoint
from tests.browser.looking import LOCALES, SIZES, listened_to, look_at
from tests.factories import Cast, make_project, make_story

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
TEXTS = ("狐狸骗走了乌鸦的肉。", "A hare rests under oaks and loses.", "Slow is safe.")


@pytest.fixture
def cast(seen_as: Callable[[User], None]) -> Cast:
    """A manager who has seen the moral of one of two stories with candidates."""
    cast = make_project()
    details = {"kind": EndpointKind.MANUAL, "name": "By hand", "model": "hand-model"}
    endpoint = create_endpoint(actor=cast.manager, project=cast.project, **details)
    template = create_template(
        actor=cast.writer,
        project=cast.project,
        name="Three",
        text="{story} {n}",
        purpose=Purpose.FREE,
        wanted=3,
    )
    answer = "\n".join(f"{place}. {text}" for place, text in enumerate(TEXTS, 1))
    for title in ("The Crow", "The Tortoise and the Hare who slept under an oak"):
        story = make_story(cast, title=title)
        paste_answer(
            actor=cast.writer, story=story, template=template, endpoint=endpoint, model="m", answer=answer
        )
    record_exposure(actor=cast.manager, story=story)
    seen_as(cast.manager)
    return cast


@pytest.fixture
def address(live_server: LiveServer, cast: Cast) -> str:
    return f"{live_server.url}{reverse('dashboard:candidates', args=[cast.project.slug])}"


def test_candidates_are_found(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator("[data-row]")).to_have_count(6)
    expect(page.get_by_text("Hidden until you view the moral")).to_have_count(3)
    page.keyboard.press("/")
    page.keyboard.type("乌鸦")
    page.keyboard.press("Enter")
    expect(page.locator("[data-row]")).to_have_count(1)
    expect(page.locator("mark").first).to_have_text("乌鸦")


@pytest.mark.drill
@pytest.mark.parametrize("language", LOCALES)
def test_the_list_can_be_read_by_everybody(page: Page, address: str, language: str) -> None:
    page.set_extra_http_headers({"Accept-Language": LOCALES[language]})
    sheet, complaints = listened_to(page)
    sheet.goto(f"{address}?used=no&cols=story&cols=prompt&cols=model&cols=items&cols=added&cols=purpose")
    faults = [(screen, fault) for screen in SIZES for fault in look_at(sheet, "candidates", language, screen)]
    assert faults + complaints == []
