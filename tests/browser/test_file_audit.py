"""From a file of one's own, without stories, to findings: one choice of a file in the browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from annotation.models import FileAudit
from projects.models import Project
from tests.annotation.test_file_audit import table
from tests.factories import make_user
from tests.work import work_off

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PASTE = """text => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
}"""
DROP = """([selector, text]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], "dropped.csv", { type: "text/csv" }));
  const drop = new DragEvent("drop", { dataTransfer: data, bubbles: true });
  document.querySelector(selector).dispatchEvent(drop);
}"""


def test_a_newcomer_gets_findings_and_a_project(
    page: Page, live_server: LiveServer, seen_as: Callable[[User], None], tmp_path: Path
) -> None:
    own = tmp_path / "our_items.csv"
    own.write_bytes(table())
    creator = make_user("Nia Newcomer", may_create_projects=True)
    seen_as(creator)
    page.goto(live_server.url)
    page.set_input_files("#drop-file", own)  # the file is sent at once
    page.wait_for_url("**/audit/*/")
    expect(page.get_by_text("Checking the file")).to_be_visible()
    work_off()
    expect(page.get_by_role("heading", name=re.compile("^Not ready: there"))).to_be_visible()
    expect(page.get_by_role("heading", name="Length of the key serious")).to_be_visible()
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.set_viewport_size({"width": 1280, "height": 800})
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/items/import?upload=*")
    assert Project.objects.get().name == "our items"


def test_rows_are_pasted_and_files_are_dropped(
    page: Page, live_server: LiveServer, seen_as: Callable[[User], None]
) -> None:
    seen_as(make_user("Pam Paster"))
    page.goto(f"{live_server.url}/audit/")
    page.evaluate(PASTE, table(8).decode().replace(",", "\t"))
    page.wait_for_url("**/audit/*/")
    page.goto(f"{live_server.url}/audit/")
    page.evaluate(DROP, ["[data-drop]", table(8).decode()])
    page.wait_for_url("**/audit/*/")
    assert [audit.names for audit in FileAudit.objects.order_by("pk")] == [["pasted.tsv"], ["dropped.csv"]]
