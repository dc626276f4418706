"""A nested JSON file of others, from the upload to the items, as a manager does it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from annotation.models import ItemDraft
from tests.browser.looking import broken_rules
from tests.factories import make_project
from tests.foreign_layouts import FOUR, letter
from tests.work import work_off


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("width", [1280, 390])
def test_a_nested_file_is_mapped_looked_at_and_imported(
    page: Page, live_server: LiveServer, tmp_path: Path, width: int
) -> None:
    cast = make_project()
    client = Client()
    client.force_login(cast.manager)
    cookie = settings.SESSION_COOKIE_NAME
    page.context.add_cookies(
        [{"name": cookie, "value": client.cookies[cookie].value, "url": live_server.url}]
    )
    page.set_viewport_size({"width": width, "height": 844})
    file = tmp_path / "bank.json"
    told = {
        story: [one for one in FOUR if one[0] == story] for story in dict.fromkeys(one[0] for one in FOUR)
    }
    bank = [
        {
            "fable": story,
            "items": [{"wording": one[1], "options": [*one[2]], "sign": letter(one)} for one in items],
        }
        for story, items in told.items()
    ]
    file.write_text(json.dumps({"bank": bank}), encoding="utf-8")

    page.goto(f"{live_server.url}/p/{cast.project.slug}/items/import", wait_until="networkidle")
    page.set_input_files("input[type=file]", file)
    page.select_option("select[name=state]", "draft")
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")
    work_off()
    page.reload(wait_until="networkidle")
    assert page.locator(".errorlist").first.inner_text().startswith("No column is chosen for")
    assert "Who was thirsty? · Why did it drop pebbles? · Who came first?" in page.inner_text("main")
    for label, field in (("wording", "question"), ("sign", "answer"), ("fable", "story")):
        page.get_by_label(label, exact=True).select_option(field)
    assert page.get_by_label("options", exact=True).input_value() == "choices"
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert broken_rules(page) == []
    with page.expect_navigation():
        page.click("button[name=columns]")
    work_off()
    page.reload(wait_until="networkidle")
    assert "This is a preview." in page.inner_text("main")
    assert broken_rules(page) == []
    with page.expect_navigation():
        page.get_by_role("button", name="Import items").click()
    work_off()
    drafts = ItemDraft.objects.filter(story__project=cast.project).order_by("pk")
    keys = [next(one["text"] for one in draft.content["options"] if one["is_key"]) for draft in drafts]
    assert keys == [one[2][one[3] or 0] for one in FOUR]
