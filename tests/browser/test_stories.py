"""Stories in a real browser: columns, similar stories and wordings, for everybody, in both schemes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from corpus.services import find_similar, reword_story
from tests.browser.looking import broken_rules
from tests.factories import make_project, make_story

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TABLE = "Nr;Fabel;Lehre\n1;一只乌鸦口渴了。;有志者事竟成。\n2;狐狸看见葡萄。;\n"
CROW = "从前有一只乌鸦口渴了，它把石子一颗颗投进瓶子里，水就升上来了，它喝饱了水飞走了。"


@pytest.mark.drill
@pytest.mark.usefixtures("_tasks_run_at_once")
@pytest.mark.parametrize(("language", "scheme", "width"), [("zh-hans", "light", 1280), ("en", "dark", 390)])
def test_it_can_be_read_by_everybody(
    page: Page, live_server: LiveServer, tmp_path: Path, language: str, scheme: str, width: int
) -> None:
    cast = make_project("zh")
    story = make_story(cast, title="乌鸦喝水", text=CROW)
    make_story(cast, title="乌鸦与瓶子", text=CROW.replace("飞走了", "飞回家去"))
    find_similar(project_id=cast.project.pk)
    reword_story(actor=cast.manager, story=story, title="乌鸦喝水", text=f"{CROW}完。", reason="依原书")
    client = Client()
    client.force_login(cast.manager)
    session, chosen = settings.SESSION_COOKIE_NAME, settings.LANGUAGE_COOKIE_NAME
    for name, value in ((session, client.cookies[session].value), (chosen, language)):
        page.context.add_cookies([{"name": name, "value": value, "url": live_server.url}])
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.set_viewport_size({"width": width, "height": 844})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    stories = f"{live_server.url}/p/{cast.project.slug}/stories"
    table = tmp_path / "table.csv"
    table.write_text(TABLE, encoding="utf-8")

    def judge(name: str) -> None:
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        assert broken_rules(page) == [], name

    page.goto(f"{stories}/import", wait_until="networkidle")
    page.set_input_files("input[type=file]", table)
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")
    judge("columns")
    page.select_option("#id_file0-0", "id")
    page.select_option("#id_file0-1", "text")
    page.select_option("#id_file0-2", "moral")
    with page.expect_navigation():
        page.click("button[name=columns]")
    judge("preview")
    _decide(page, stories, story.pk, judge)
    page.goto(f"{stories}/{story.pk}", wait_until="networkidle")
    page.click("ol.lines details summary >> nth=0")
    judge("story")
    assert complaints == []


def _decide(page: Page, stories: str, story: int, judge: Callable[[str], None]) -> None:
    """Confirm all groups, take it back, confirm the one there is, and split it."""
    page.goto(f"{stories}/similar", wait_until="networkidle")
    page.click("details summary >> nth=-1")
    judge("similar")
    with page.expect_navigation():
        page.eval_on_selector("button[form=groups]", "all => all.click()")  # under "More" on a phone
    judge("all confirmed")
    with page.expect_navigation():
        page.keyboard.press("u")
    with page.expect_navigation():
        page.click("main button[value^=confirm-]")
    page.goto(f"{stories}/{story}", wait_until="networkidle")
    judge("story of a group")
    page.goto(f"{stories}/similar", wait_until="networkidle")
    page.click("nav.tabs a >> nth=1")
    page.wait_for_url("**show=confirmed")
    judge("confirmed group")
    with page.expect_navigation():
        page.click("main button[value^=split-]")
    page.click("nav.tabs a >> nth=2")
    page.wait_for_url("**show=rejected")
    judge("rejected group")
    assert page.locator("button[value^=reopen-]").count() == 1
