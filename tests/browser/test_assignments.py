"""Handing stories out and work over, in a real browser: readable for everybody, at every width."""

from __future__ import annotations

from datetime import timedelta
from typing import Literal

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Locator, Page
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from annotation.models import Cause, State, WritingAssignment
from annotation.plan import Target
from annotation.services import (
    apply_verdict,
    hand_over_work,
    name_writers,
    reserve_story,
    set_type_targets,
)
from corpus.models import Story
from tests.browser.entering import sign_in
from tests.browser.looking import broken_rules
from tests.factories import Cast, content, make_project, make_story, submit_item, wording

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EACH = ("social", "biological", "temporal", "spatial", "physical")
LOOKS: list[tuple[str, int, Literal["light", "dark"]]] = [
    ("en", 1280, "light"),
    ("zh-CN", 390, "dark"),
    ("zh-CN", 1280, "light"),
    ("en", 390, "dark"),
]


def _busy(cast: Cast) -> None:
    """Somebody is late, somebody has a returned item, one item was left to the next who takes it."""
    for writer in (cast.writer, cast.writer2):
        made = name_writers(actor=cast.manager, story=make_story(cast), writers=[writer])[0]
        made.due_on = timezone.localdate() - timedelta(days=1)
        made.save()
    targets = {code: Target(1, 20) for code in EACH}
    set_type_targets(actor=cast.manager, project=cast.project, targets=targets)
    reserve_story(actor=cast.manager, story=make_story(cast), writer=cast.writer2)
    item = submit_item(cast, story=make_story(cast))
    apply_verdict(
        actor=cast.reviewer, item=item, revision_id=wording(item).pk, to_state=State.RETURNED,
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


@pytest.mark.drill
@pytest.mark.parametrize(("locale", "width", "scheme"), LOOKS)
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
        "plan": (cast.manager, "/plan"),
        "handover": (cast.manager, f"/handover?from={cast.writer.pk}"),
        "desk": (cast.writer, "/write"),
    }
    _look(browser, live_server, cast, pages, (locale, width, scheme))
    hand_over_work(actor=cast.manager, project=cast.project, departing=cast.writer, receiver=None)
    after = {"handed-over": (cast.manager, "/handover"), "left": (cast.writer2, "/write/without-writer")}
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


@pytest.mark.drill
def test_a_manager_sets_targets_and_the_desk_says_what_to_write(page: Page, live_server: LiveServer) -> None:
    cast = make_project()
    fox, crow = make_story(cast, title="The Fox"), make_story(cast, title="The Crow")
    name_writers(actor=cast.manager, story=fox, writers=[cast.writer2])
    name_writers(actor=cast.manager, story=crow, writers=[cast.writer2])
    for story, codes in ((fox, EACH[:-1]), (crow, EACH[1:])):  # the fox lacks physical, the crow social
        for code in codes:
            submit_item(cast, story=story, writer=cast.writer2, words=content(types=(code,)))
    submit_item(cast, words=content(types=("physical",)))  # so the writer has written social least
    plan = f"{live_server.url}/p/{cast.project.slug}/plan"
    sign_in(page.context, live_server.url, cast.manager)
    page.goto(plan)
    page.get_by_label("Share in percent: Social").fill("40")
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")
    assert page.get_by_label("Items per story: Social").input_value() == "1"
    row = page.get_by_role("row", name="The Crow")
    assert row.get_by_role("cell").all_inner_texts()[:5] == ["0", "1", "1", "1", "1"]
    _reserve_and_free(page, row)
    name_writers(actor=cast.manager, story=Story.objects.latest("pk"), writers=[cast.manager, cast.writer])
    sign_in(page.context, live_server.url, cast.writer)
    page.goto(f"{live_server.url}/p/{cast.project.slug}/write")
    with page.expect_navigation(url="**/write/story/**"):
        page.get_by_role("button", name="Take next story").click()
    assert page.url.endswith(f"/write/story/{crow.pk}")
    assert page.get_by_text("Write next: Social (the only type missing here)").is_visible()


def _reserve_and_free(page: Page, row: Locator) -> None:
    row.get_by_role("link", name="Reserve").click()
    assert page.get_by_label("Story", exact=True).input_value()
    page.get_by_label("Writer (optional)").select_option(label="Wu Writer")
    with page.expect_navigation():
        page.get_by_role("button", name="Reserve story").click()
    assert "The Crow → Wu Writer" in page.inner_text("#reservations")
    with page.expect_navigation():
        page.locator("#reservations").get_by_role("button", name="Remove").click()
    assert "→" not in page.inner_text("#reservations")
