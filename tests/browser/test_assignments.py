"""Handing stories out and work over, in a real browser: readable for everybody, at every width."""

from __future__ import annotations

from datetime import timedelta
from typing import Literal

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from annotation.models import Cause, State, WritingAssignment
from annotation.services import apply_verdict, hand_over_work, name_writers
from tests.browser.entering import sign_in
from tests.browser.looking import broken_rules
from tests.factories import Cast, make_project, make_story, submit_item, wording

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LOOKS: list[tuple[str, int, Literal["light", "dark"]]] = [
    ("en", 1280, "light"),
    ("zh-CN", 390, "dark"),
    ("zh-CN", 1280, "light"),
    ("en", 390, "dark"),
]


def _busy(cast: Cast) -> None:
    """Somebody is late, somebody has a returned item, one item was left to whoever takes it."""
    for writer in (cast.writer, cast.writer2):
        made = name_writers(actor=cast.manager, story=make_story(cast), writers=[writer])[0]
        made.due_on = timezone.localdate() - timedelta(days=1)
        made.save()
    item = submit_item(cast, story=make_story(cast))
    apply_verdict(
        actor=cast.reviewer, item=item, revision=wording(item), to_state=State.RETURNED,
        cause=Cause.ALL_RETURN,
    )  # fmt: skip


def test_it_hands_stories_out_and_work_over(page: Page, live_server: LiveServer) -> None:
    cast = make_project()
    story = make_story(cast, title="The Fox")
    sign_in(page.context, live_server.url, cast.manager)
    page.goto(f"{live_server.url}/p/{cast.project.slug}/assignments/name")
    page.get_by_label("The Fox").check()
    page.get_by_label("Wen Writer").check()
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")
    assert "Wen Writer: 0 of 4 written, 4 items to write" in page.inner_text("#behind-1")
    page.get_by_role("row", name="Wen Writer").get_by_role("link").click()
    page.get_by_label("To (optional)").select_option(label="Wu Writer")
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")
    assert WritingAssignment.objects.get(story=story, given_back_at=None).writer == cast.writer2
    with page.expect_navigation():
        page.get_by_role("button", name="Undo handover").click()
    assert WritingAssignment.objects.get(story=story, given_back_at=None).writer == cast.writer


@pytest.mark.parametrize(
    ("locale", "width", "scheme"),
    [*LOOKS[:2], *(pytest.param(*look, marks=pytest.mark.drill) for look in LOOKS[2:])],
)
def test_it_can_be_read_by_everybody_in_both_languages(
    browser: Browser,
    live_server: LiveServer,
    locale: str,
    width: int,
    scheme: Literal["light", "dark"],
) -> None:
    cast = make_project(language="zh" if locale.startswith("zh") else "en")
    _busy(cast)
    pages = {
        "assignments": (cast.manager, "/assignments"),
        "naming": (cast.manager, "/assignments/name"),
        "handover": (cast.manager, f"/handover?from={cast.writer.pk}"),
        "desk": (cast.writer, "/write"),
    }
    _look(browser, live_server, cast, pages, (locale, width, scheme))
    hand_over_work(actor=cast.manager, project=cast.project, leaver=cast.writer, receiver=None)
    after = {"handed-over": (cast.manager, "/handover"), "left": (cast.writer2, "/write/left")}
    _look(browser, live_server, cast, after, (locale, width, scheme))


def _look(
    browser: Browser,
    live_server: LiveServer,
    cast: Cast,
    pages: dict[str, tuple[User, str]],
    look: tuple[str, int, Literal["light", "dark"]],
) -> None:
    locale, width, scheme = look
    context = browser.new_context(
        locale=locale, viewport={"width": width, "height": 844}, color_scheme=scheme
    )
    page = context.new_page()
    for name, (person, address) in pages.items():
        sign_in(page.context, live_server.url, person)
        page.goto(f"{live_server.url}/p/{cast.project.slug}{address}")
        page.wait_for_load_state("networkidle")
        assert broken_rules(page) == [], name
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} is too wide"
    context.close()
