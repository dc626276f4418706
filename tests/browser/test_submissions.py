"""A team submits a prompt in a browser; a manager reads what it costs, and runs the test with it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from evaluation.models import Run
from parable.llm.stub import StubServer
from release.models import Submission
from release.services import invite_team
from tests.browser.entering import enter
from tests.browser.looking import SIZES
from tests.evaluation.measuring import make_bench
from tests.release.made import ALLOWED, built

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_prompt_is_submitted_by_thumb_and_run_by_the_manager(
    browser: Browser, live_server: LiveServer, stub: StubServer
) -> None:
    bench = make_bench(stub)
    secret = built(bench.cast, version="2.0.0", seed=None, recipe=replace(ALLOWED, withhold_test=True))
    team = invite_team(actor=bench.cast.manager, release=secret, name="Laboratory", per_week=2)
    phone = browser.new_context(viewport=SIZES["phone"], has_touch=True, is_mobile=True)
    page = phone.new_page()
    page.goto(f"{live_server.url}/score/{team.token}")
    page.get_by_role("link", name="Submit a prompt").tap()
    page.get_by_label("Name").fill("Plain words")
    prompt = page.get_by_label("Prompt: Questions with one correct option")
    prompt.fill("{question}")
    page.get_by_role("button", name="Submit").tap()
    expect(page.get_by_text("A prompt must contain {question}, {options}.")).to_be_visible()
    prompt.fill("{story} {question} {options} Answer:")
    page.get_by_role("button", name="Submit").tap()
    expect(page.get_by_text("“Plain words” was submitted.")).to_be_visible()
    expect(page.get_by_text("not run yet")).to_be_visible()
    submission = Submission.objects.get()

    desk = browser.new_context(viewport=SIZES["wide"])
    manager = desk.new_page()
    enter(manager, live_server.url, bench.cast.manager)
    manager.goto(f"{live_server.url}/p/{bench.cast.project.slug}/releases/2.0.0/teams")
    manager.get_by_role("link", name="Plain words").click()
    expect(manager.get_by_text("The project pays for this run.")).to_be_visible()
    manager.get_by_label("stub-letter").check()
    manager.get_by_label("Repeats").fill("2")
    manager.get_by_label("Repeats").press("Tab")  # the estimate is asked for when a field is left
    n = secret.items.filter(split="test").count()
    expect(manager.locator("#estimates").get_by_role("cell", name=str(2 * n), exact=True)).to_be_visible()
    manager.get_by_role("button", name="Start run").click()
    expect(manager.get_by_role("heading", name="Laboratory: Plain words (stub-letter)")).to_be_visible()
    run = Run.objects.get(release=secret)
    assert (run.prompt, run.repeats, run.split) == (submission.prompt, 2, "test")

    page.reload()
    expect(page.get_by_text("run on")).to_be_visible()
    page.get_by_role("button", name="Withdraw").tap()
    expect(page.get_by_text("“Plain words” was withdrawn.")).to_be_visible()
    phone.close()
    desk.close()
