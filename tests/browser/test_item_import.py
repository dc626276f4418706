"""An import of items in the browser: rows about another story than their item replace nothing unasked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from annotation.models import Item
from tests.factories import make_project
from tests.work import work_off

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CASES = Path(__file__).resolve().parents[1] / "cases"


def test_items_about_another_story_are_replaced_only_where_the_box_is_ticked(
    page: Page, live_server: LiveServer, seen_as: Callable[[User], None]
) -> None:
    cast = make_project()
    seen_as(cast.manager)

    def preview(name: str, *, replaces: bool = False) -> None:
        page.goto(f"{live_server.url}/p/{cast.project.slug}/items/import")
        page.set_input_files("input[type=file]", CASES / name)
        if replaces:
            page.get_by_label("Replace items of the same ID that are about another story").check()
        page.keyboard.press("Control+Enter")
        page.wait_for_url("**upload=**")
        work_off()
        page.reload()

    def stories() -> set[str]:
        found = Item.objects.filter(project=cast.project).select_related("story__current")
        return {item.story.current.text.split()[1] for item in found if item.story.current}

    button = page.locator("[data-primary]")
    preview("r26_subject_one.jsonl")
    with page.expect_navigation():
        button.click()
    work_off()
    assert stories() == {"fox"}
    preview("r26_subject_two.jsonl")
    expect(page.get_by_text("The item with this ID is about another story.").first).to_be_visible()
    expect(button).to_have_count(0)
    preview("r26_subject_two.jsonl", replaces=True)
    expect(page.get_by_text("4 changed").first).to_be_visible()
    with page.expect_navigation():
        button.click()
    work_off()
    assert stories() == {"ant"}
