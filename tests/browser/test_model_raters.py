"""A manager lets a language model assess what people have rated, and reads how far it agrees with them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from jobs.models import Call
from parable.llm.stub import StubServer
from review.queries.model_rater import JUDGE
from review.services import count_statistics, run_call
from tests.browser.entering import enter
from tests.factories import make_project
from tests.review.test_judges import add_endpoint, reviewed_item

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.drill
def test_a_model_is_chosen_estimated_started_and_compared_with_people(
    page: Page, live_server: Any, stub: StubServer
) -> None:
    cast = make_project(reviews_per_item=2)
    add_endpoint(cast, stub)
    reviewed_item(cast)
    complaints = enter(page, live_server.url, cast.manager)
    page.goto(live_server.url + reverse("review:model_raters", args=[cast.project.slug]))
    expect(page.get_by_text("No figures yet.")).to_be_visible()
    estimate = page.locator("#estimate")
    expect(estimate).to_have_text(re.compile("Select a model to estimate"))
    page.get_by_label("Items", exact=True).fill("5")
    page.locator("#id_budget").fill("2")
    page.locator("#id_budget").press("Tab")
    expect(estimate).to_contain_text("1 call,")
    expect(estimate).to_contain_text("at most")
    assert not Call.objects.filter(job__kind=JUDGE).exists(), "an estimate starts nothing"
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", name="judge assesses 1 item")).to_be_visible()
    call = Call.objects.get(job__kind=JUDGE)
    assert not stub.log
    run_call(call_id=call.pk)
    assert len(stub.log) == 1
    expect(page.locator("#progress")).to_contain_text("1 / 1")  # nobody asked for it
    count_statistics(project_id=cast.project.pk)
    page.goto(live_server.url + reverse("review:model_raters", args=[cast.project.slug]))
    expect(page.get_by_role("heading", name="judge (stub-judge)")).to_be_visible()
    expect(page.get_by_text("Too few ratings for the alternative-annotator test")).to_be_visible()
    page.get_by_text("By rule of item writing").click()
    expect(page.get_by_text("No absolute words in options")).to_be_visible()
    page.get_by_role("link", name="judge assesses 1 item").click()
    expect(page.locator("#progress strong")).to_have_text("Done")
    assert complaints == []
