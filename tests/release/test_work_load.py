"""What a card says of work and pay: people, hours, medians and rates, and no name."""

from __future__ import annotations

from decimal import Decimal
from uuid import uuid4

import pytest
from django.utils import timezone

from accounts.models import User
from annotation.models import Item, ItemDraft
from parable.sentences import LANGUAGES
from projects.models import Project
from release.card.blocks import as_markdown
from release.card.card import card
from release.queries.provenance import work_load
from review.models import Review, ReviewRequest, Stage
from tests.factories import Cast, make_project, submit_item, wording
from tests.filling import lift_rules
from tests.release.folders import frozen

LOAD = {
    "people": 5,
    "hours": 0.5,
    "busiest": 0.667,
    "item_minutes": 10.0,
    "review_minutes": 2.5,
    "rates": {"rate_item": "5.00", "rate_hour": "30.00"},
    "currency": "CNY",
}


@pytest.fixture
def cast(db: None) -> Cast:
    made = make_project()
    lift_rules(["review_review", "review_reviewrequest"])
    return made


def typed(cast: Cast, item: Item, seconds: int, writer: User | None = None) -> None:
    ItemDraft.objects.create(
        project=cast.project,
        story=item.story,
        writer=writer or cast.writer,
        task=item.task,
        client_id=uuid4(),
        active_seconds=seconds,
        submitted_as=wording(item) if writer is None else None,
    )


def judged(request: ReviewRequest, reviewer: User, seconds: int) -> None:
    Review.objects.create(
        request=request,
        project=request.project,
        item=request.item,
        revision=request.revision,
        stage=Stage.CROSS_CHECK,
        reviewer=reviewer,
        judged_at=timezone.now(),
        active_seconds=seconds,
    )


def test_it_counts_people_hours_medians_and_rates(cast: Cast) -> None:
    assert work_load(cast.project) == {}
    Project.objects.filter(pk=cast.project.pk).update(
        rate_item=Decimal(5), rate_hour=Decimal(30), currency="CNY"
    )
    cast.project.refresh_from_db()
    first, second = submit_item(cast), submit_item(cast)
    typed(cast, first, 200)
    typed(cast, first, 100)  # revised: both count for the one item
    typed(cast, second, 900)
    typed(cast, second, 240, writer=cast.writer2)  # never submitted: hours, no item
    requests = ReviewRequest.objects.filter(item__in=[first, second]).order_by("pk")
    for request, seconds in zip(requests, (60, 240), strict=True):
        judged(request, cast.reviewer, seconds)
    typed(cast, second, 30, writer=cast.reviewer2)
    assert work_load(cast.project) == {"people": 4}, "hours of so few could be worked out"
    typed(cast, second, 30, writer=cast.manager)
    assert work_load(cast.project) == LOAD


def test_a_card_of_few_people_says_only_how_many() -> None:
    text = as_markdown(card(frozen(load={"people": 4})))
    assert "Work and pay" in text
    assert "| 4 |" in text
    assert "Hours" not in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_card_reports_work_and_pay(language: str) -> None:
    text = as_markdown(card(frozen(load=LOAD, language=language)))
    assert "| 5 | 0.5 | 10.0 | 2.5 | 66.7 % |" in text
    data = {"en": "Pay in CNY: 5.00 per submitted item, 30.00 per hour.", "zh": "CNY"}
    assert data[language] in text
    assert ("Work and pay" in text) == (language == "en")


def test_a_card_is_silent_where_no_time_was_recorded() -> None:
    assert "Work and pay" not in as_markdown(card(frozen()))
