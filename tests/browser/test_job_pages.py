"""Pages that wait for a job say all that it found when it has ended, beside the main part, too."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from release.queries.gate import GATE_CHECK
from release.services import order_gate_check
from review.queries.statistics import STATISTICS
from review.services import order_statistics
from tests.factories import Cast, make_project
from tests.work import do_work

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def cast() -> Cast:
    return make_project()


@pytest.mark.parametrize(
    ("order", "kind", "view", "before", "after"),
    [
        (order_gate_check, GATE_CHECK, "release:gates", "Check now", "Check again"),
        (order_statistics, STATISTICS, "review:statistics", "Calculate", "Recalculate"),
    ],
    ids=["gates", "statistics"],
)
def test_the_foot_of_a_page_follows_its_job(
    page: Page,
    live_server: LiveServer,
    seen_as: Callable[[User], None],
    cast: Cast,
    order: Callable[..., object],
    kind: str,
    view: str,
    before: str,
    after: str,
) -> None:
    order(actor=cast.manager, project=cast.project)
    seen_as(cast.manager)
    page.goto(f"{live_server.url}{reverse(view, args=[cast.project.slug])}")
    expect(page.locator("#foot").get_by_role("button", name=before)).to_be_visible()
    do_work(kind, cast.project.pk)
    expect(page.locator("#foot").get_by_role("button", name=after)).to_be_visible()
    expect(page.locator("#foot .how-far")).not_to_be_empty()
