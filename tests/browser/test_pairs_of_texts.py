"""Scenes and narratives in a real browser: what is typed, marked, composed and graded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from annotation.kinds.narratives import overlap_rows
from annotation.models import Item, ItemDraft
from annotation.queries.item import revision_content
from review.models import Review, ReviewRequest, Stage
from review.services import claim_next, solve
from tests.browser.looking import SIZES, broken_rules, turn_to
from tests.browser.test_marking import ready
from tests.browser.waiting import saved, until
from tests.factories import Cast, wording
from tests.kinds.samples import NARRATIVE, PROVERB, SAMPLES, SECOND

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Open = Callable[[Cast], Page]

LONGER = (
    "document.querySelectorAll('.mark .set').forEach(each => { each.textContent = 'he went '.repeat(25) })"
)
"""Every fragment as long as one of a narrative may be."""


@pytest.fixture
def sheet(page: Page, live_server: LiveServer, seen_as: Callable[[User], None]) -> Callable[[str], Cast]:
    """Open an empty sheet of a kind before its writer."""

    def open_sheet(task: str) -> Cast:
        cast = SAMPLES[task].project()
        seen_as(cast.writer)
        story = SAMPLES[task].story(cast)
        page.goto(f"{live_server.url}/p/{cast.project.slug}/write/story/{story.pk}?new=1")
        return cast

    return open_sheet


@pytest.fixture
def to_review(
    page: Page, live_server: LiveServer, seen_as: Callable[[User], None]
) -> Callable[..., ReviewRequest]:
    """Open the sample of a kind before a reviewer."""

    def open_request(task: str, *, solved: bool = False) -> ReviewRequest:
        sample = SAMPLES[task]
        cast = sample.project()
        sample.submit(cast)
        request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
        assert request
        if solved:
            solve(actor=cast.reviewer, request=request, **sample.answer_to(request))
        seen_as(cast.reviewer)
        page.goto(f"{live_server.url}/p/{cast.project.slug}/review/{request.public_id}")
        return request

    return open_request


def own_of_item() -> Any:
    return revision_content(wording(Item.objects.get()))


def submit(page: Page) -> None:
    page.locator("[data-primary]").click()
    expect(page.locator("#messages")).to_contain_text("Submitted for review.")


def spot(page: Page, target: str, position: int) -> None:
    page.locator(f'[data-marked-text="{target}"] [data-p="{position}"]').click()


def test_a_phone_shows_two_texts_before_it_asks_about_them(
    page: Page, to_review: Callable[..., ReviewRequest]
) -> None:
    turn_to(page, "phone")
    to_review("scene_pairs")
    expect(page.locator(".left-page .sheet-close")).to_be_in_viewport()
    expect(page.locator(".left-page .set").first).to_be_in_viewport()


def test_a_narrative_is_typed_aligned_and_follows_what_is_typed(
    page: Page, sheet: Callable[[str], Cast]
) -> None:
    sheet("proverb_narratives")
    ready(page)
    page.fill("#narrative", NARRATIVE)
    for target, first, last in (("proverb", 0, 12), ("narrative", 0, 12)):
        spot(page, target, first)
        spot(page, target, last)
    expect(page.locator(".mark-card.open")).to_contain_text("Five managers")
    page.locator("#narrative").press("Control+Home")
    page.keyboard.type("Last year ")
    expect(page.locator(".mark-card.open")).to_contain_text("10–22")
    rows = page.locator("[data-overlap] tbody tr")
    page.fill("#narrative", f"Last year {NARRATIVE} Too many cooks, they said; don't spoil it.")
    typed = page.input_value("#narrative")
    for row, (_length, shared, jaccard) in zip(rows.all(), overlap_rows(PROVERB, typed), strict=True):
        expect(row.locator("[data-shared]")).to_have_text(str(shared))
        expect(row.locator("[data-jaccard]")).to_have_text(f"{jaccard:.4f}")
    expect(rows.nth(2).locator("[data-grams]")).to_have_text("too many cooks")
    saved(page)
    page.fill("#narrative", f"Last year {NARRATIVE}")
    page.reload()
    ready(page)
    submit(page)
    own = own_of_item().own
    assert own["narrative"] == f"Last year {NARRATIVE}"
    assert [(mark["text"], mark["positions"][0]) for mark in own["alignment"][0]] == [
        ("Too many cooks"[:13], 0),
        ("Five managers", 10),
    ]


def test_the_difference_is_found_and_the_reason_composed(page: Page, sheet: Callable[[str], Cast]) -> None:
    sheet("scene_pairs")
    page.fill("#second", SECOND)
    expect(page.locator("[data-difference] mark")).to_have_text(["上", "下"])
    page.get_by_label("Not the same scene").check()
    page.get_by_label("What differs").select_option("处所")
    page.get_by_text("Reason by template").click()
    expect(page.get_by_label("In the first text")).to_have_value("上")
    for label, words in (
        ("Entities that both texts have", "地图"),
        ("Aspect worded differently", "位置"),
        ("What the texts describe", "地图的处所"),
        ("How that comes", "墙上是墙面，墙下是地面"),
    ):
        page.get_by_label(label).fill(words)
    page.get_by_role("button", name="Write the explanation from these").click()
    saved(page)
    until(page, "document.getElementById('explanation').value.includes('不是同一场景')")
    page.reload()
    expect(page.locator("#second")).to_have_value(SECOND)
    expect(page.get_by_label("Not the same scene")).to_be_checked()
    submit(page)
    content = own_of_item()
    assert content.own["same"] is False
    assert content.own["manner"] == "墙上是墙面，墙下是地面"
    assert content.explanation.startswith("差异在于“上”与“下”。")


def test_a_rater_judges_blind_and_grades_the_reason(
    page: Page, to_review: Callable[..., ReviewRequest]
) -> None:
    to_review("scene_pairs")
    expect(page.locator(".left-page mark")).to_have_text(["上", "下"])
    page.get_by_label("Not the same scene").check()
    page.fill("#reason", "墙下不是墙上。")
    page.locator("[data-primary]").click()
    expect(page.locator("#work")).to_contain_text("Your judgement agrees with the writer's.")
    page.locator('[name="rating"][value="4"]').check()
    page.locator("[data-primary]").click()
    expect(page.locator("#verdict")).to_have_count(0)
    review = Review.objects.get()
    assert (review.rating, review.disposition, review.is_correct) == (4, "pass", True)
    assert review.answer_judgement.reason == "墙下不是墙上。"


def test_a_rater_rates_a_narrative_by_each_criterion_with_keys(
    page: Page, to_review: Callable[..., ReviewRequest]
) -> None:
    to_review("proverb_narratives", solved=True)
    for key in ("5", "2", "4", "4"):
        page.keyboard.press(key)
    page.locator('[name="rating_interesting"][value="2"]').focus()
    for key in ("3", "p", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("#verdict")).to_have_count(0)
    review = Review.objects.get()
    assert dict(review.ratings.values_list("criterion", "value")) == {
        "relatedness": 5,
        "interesting": 3,
        "fluency": 4,
        "overall": 4,
    }
    assert review.rating == 4


@pytest.mark.drill
@pytest.mark.parametrize("task", ["proverb_narratives", "scene_pairs"])
def test_its_pages_are_accessible_on_both_screens(
    page: Page, sheet: Callable[[str], Cast], to_review: Callable[..., ReviewRequest], task: str
) -> None:
    sheet(task)
    for size, screen in SIZES.items():
        page.set_viewport_size(screen)
        assert broken_rules(page) == [], size
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for solved in (False, True):
        to_review(task, solved=solved)
        page.evaluate(LONGER)
        for size, screen in SIZES.items():
            page.set_viewport_size(screen)
            assert broken_rules(page) == [], (solved, size)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not ItemDraft.objects.exists()
