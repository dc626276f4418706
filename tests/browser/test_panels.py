"""A person without an account answers a whole panel on a phone, by the link they were given."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from evaluation import services
from evaluation.models import ReadingKind, Response
from parable.llm.stub import StubServer
from tests.browser.looking import SIZES
from tests.evaluation.measuring import make_bench

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_it_is_answered_to_the_end_by_thumb(
    browser: Browser, live_server: LiveServer, stub: StubServer
) -> None:
    bench = make_bench(stub)
    panel = services.open_panel(
        actor=bench.cast.manager, release=bench.release, split="both", sample_size=3, seed="7"
    )
    issued = services.invite_to_panel(actor=bench.cast.manager, run=panel, names=["Ann"], items_each=3)
    context = browser.new_context(viewport=SIZES["phone"], has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(f"{live_server.url}/solve/{issued[0].token}")
    expect(page.get_by_role("heading", name="What is kept")).to_be_visible()
    page.locator("[data-primary]").tap()
    for number, chosen in ((1, "0"), (2, "1"), (3, "none")):
        expect(page.get_by_text(f"{number} of 3")).to_be_visible()
        page.locator(f'label:has(input[name="position"][value="{chosen}"])').tap()
        with page.expect_response(lambda answer: answer.request.method == "POST") as sent:
            page.locator("[data-primary]").tap()
        assert sent.value.status == 302
    expect(page.get_by_text("All done. Thank you!")).to_be_visible()
    context.close()
    readings = sorted(Response.objects.filter(run=panel).values_list("reading", flat=True))
    assert readings == sorted([ReadingKind.CHOSEN, ReadingKind.CHOSEN, ReadingKind.UNPARSED])
