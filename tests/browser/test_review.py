"""A reviewer at work in a real browser: by keyboard alone, and by thumb on a phone."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

import pytest
from django.conf import settings
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from annotation.models import Revision
from review.models import OF_OPTIONS, Answer, Disposition, Review, ReviewRequest, Stage
from review.queries.request import my_claim
from review.services import claim_next, send_verdict, solve
from tests.browser.waiting import arrive, until
from tests.factories import PASSWORD, Cast, content, make_project, make_story, submit_item, wording
from tests.review.test_verification import passed

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PHONE = {"width": 390, "height": 844}
KEY = "It felt sure of winning"
MORE = " In the middle of the race?"
STEM = "#edit-stem"

UNCOVERED = """all => all.every((one) => {
  const { x, y, width, height } = one.getBoundingClientRect();
  return one.contains(document.elementFromPoint(x + width / 2, y + height / 2));
})"""


@pytest.fixture
def cast() -> Cast:
    cast = make_project()
    story = make_story(cast)
    for stem in ("Why did the hare fall asleep?", "Why did it laugh?", "Why was it sure?"):
        submit_item(cast, story=story, words=content(stem))
    return cast


def claim_first(page: Page, live_server: LiveServer, cast: Cast) -> None:
    """From the queue to the first item, by its key."""
    page.goto(f"{live_server.url}/p/{cast.project.slug}/review")
    page.keyboard.press("Control+Enter")
    arrive(page, "#answer")


def key_of(page: Page) -> str:
    """The number that stands before the key."""
    return page.locator("label.answer", has_text=KEY).locator(".key-cap").inner_text()


def test_it_takes_four_keys_beyond_the_words_to_solve_score_edit_and_take_the_next(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None]
) -> None:
    seen_as(cast.reviewer)
    claim_first(page, live_server, cast)
    pressed = [f"Shift+Digit{key_of(page)}", "2", "e"]
    page.keyboard.press(pressed[0])
    arrive(page, "#verdict")
    page.keyboard.press(pressed[1])
    expect(page.locator('label:has([value="pass"]:checked)')).to_be_in_viewport(ratio=1)
    page.keyboard.press(pressed[2])
    expect(page.locator(STEM)).to_be_focused()
    page.keyboard.type(MORE)
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight"), (
        "each page scrolls by itself"
    )
    page.keyboard.press("Escape")
    expect(page.locator(STEM)).not_to_be_focused()
    page.keyboard.press("Control+Enter")
    pressed.append("Control+Enter")
    arrive(page, "#answer")
    expect(page.locator("h2.stem")).not_to_contain_text(MORE)
    assert len(pressed) < 5
    review = Review.objects.get()
    assert (review.rating, review.disposition, review.is_correct) == (2, Disposition.EDIT, True)
    assert my_claim(cast.reviewer, cast.project, Stage.CROSS_CHECK) != review.request
    expect(page.get_by_role("button", name="Undo sent verdict: edit")).to_be_visible()
    page.keyboard.press("z")
    arrive(page, "#verdict")
    expect(page.locator(STEM)).to_have_value(re.compile(f"{re.escape(MORE)}$"))
    page.keyboard.press("Control+Enter")
    arrive(page, "#answer")
    page.keyboard.press(f"Shift+Digit{key_of(page)}")
    arrive(page, "#verdict")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    arrive(page, "#answer")
    assert Revision.objects.filter(stem__endswith=MORE, author=cast.reviewer).exists(), "it is final now"


def test_a_clean_item_takes_three_keys(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None]
) -> None:
    seen_as(cast.reviewer)
    claim_first(page, live_server, cast)
    stem = page.locator("h2.stem").inner_text()
    page.keyboard.press(f"Shift+Digit{key_of(page)}")
    arrive(page, "#verdict")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    arrive(page, "#answer")
    expect(page.locator("h2.stem")).not_to_have_text(stem)
    review = Review.objects.get()
    assert (review.rating, review.disposition, review.is_correct) == (2, Disposition.PASS, True)


def test_a_verifier_marks_each_option_by_a_few_keys(
    page: Page, live_server: LiveServer, seen_as: Callable[[User], None]
) -> None:
    cast = make_project()
    item = passed(cast)
    seen_as(cast.verifier)
    page.goto(f"{live_server.url}/p/{cast.project.slug}/verify")
    page.keyboard.press("Control+Enter")
    arrive(page, "#answer")
    key = page.locator("label.answer", has_text=KEY).locator(".key-cap").inner_text()
    page.keyboard.press(f"Shift+Digit{key}")
    arrive(page, "#verdict")
    other = "2" if key == "1" else "1"
    for pressed, said in ((other, "right"), (other, "wrong")):
        page.keyboard.press(pressed)
        expect(page.locator(f"[data-mark='{other}'] :checked")).to_have_value(said)
    page.keyboard.press("?")
    expect(page.locator("#key-list")).to_contain_text("mark the other options as wrong")
    page.keyboard.press("Escape")
    for pressed in (key, "0", "p", "Enter"):
        page.keyboard.press(pressed)
    expect(page.locator("#verdict")).to_have_count(0)
    marks = Review.objects.get(stage=Stage.VERIFICATION).option_marks
    assert marks == list(wording(item).options.order_by("position").values_list("is_key", flat=True))


@pytest.mark.parametrize(("rating", "verdict"), [("0", "return"), ("1", "pass"), ("2", "pass")])
def test_a_rating_chooses_its_usual_verdict_until_one_is_chosen_by_hand(
    page: Page,
    live_server: LiveServer,
    cast: Cast,
    seen_as: Callable[[User], None],
    rating: str,
    verdict: str,
) -> None:
    seen_as(cast.reviewer)
    claim_first(page, live_server, cast)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    arrive(page, "#verdict")
    page.keyboard.press("2" if rating == "0" else "0")
    page.keyboard.press(rating)
    chosen = page.locator("[name=disposition]:checked")
    expect(chosen).to_have_value(verdict)
    page.keyboard.press("x")
    page.keyboard.press("2" if rating == "0" else "0")
    expect(chosen).to_have_value("reject")


def test_every_flaw_has_a_key_of_its_own(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None]
) -> None:
    seen_as(cast.reviewer)
    claim_first(page, live_server, cast)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    arrive(page, "#verdict")
    caps = page.locator("label.chip:has([name=flaws]) .key-cap").all_inner_texts()
    assert len(set(caps)) == len(OF_OPTIONS)
    for cap in caps:
        page.keyboard.press(cap)
    expect(page.locator("[name=flaws]:checked")).to_have_count(len(OF_OPTIONS))


def test_it_stays_with_a_verdict_that_can_be_undone(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None]
) -> None:
    seen_as(cast.reviewer)
    claim_first(page, live_server, cast)
    page.keyboard.press(f"Shift+Digit{key_of(page)}")
    arrive(page, "#verdict")
    for _again in range(2):
        page.keyboard.press("2")
        page.keyboard.press("p")
        page.get_by_role("button", name="Send and stay here").click()
        expect(page.get_by_role("heading", name="You have reviewed this item")).to_have_count(1)
        expect(page.locator("#verdict")).to_have_count(0)
        page.get_by_role("button", name="Undo verdict").click()
        arrive(page, "#verdict")
    assert Review.objects.get().sent_at is None


def solve_by_thumb(page: Page, queue: str) -> None:
    """Claim the first item on a phone and choose its key."""
    page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
    page.goto(queue)
    page.locator("[data-primary]").click()
    page.locator("[data-pick]", has_text=KEY).click()  # the story is new to this person, and open
    page.locator("[data-primary]").click()
    arrive(page, "#verdict")


def test_it_is_done_by_thumb_on_a_phone(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None]
) -> None:
    seen_as(cast.reviewer)
    solve_by_thumb(page, f"{live_server.url}/p/{cast.project.slug}/review")
    page.locator('label:has(input[name="rating"][value="2"])').click()
    page.locator('label:has(input[name="disposition"][value="pass"])').click()
    page.locator("[data-primary]:visible").click()
    arrive(page, "#answer")
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= PHONE["width"], "nothing hangs over the edge"
    for target in page.locator("label.answer").all():
        box = target.bounding_box()
        assert box
        assert box["height"] >= 44
    assert Review.objects.get().disposition == Disposition.PASS


def test_a_clean_item_takes_three_taps_and_its_story_opens_while_it_is_new(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None]
) -> None:
    seen_as(cast.reviewer)
    page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
    page.goto(f"{live_server.url}/p/{cast.project.slug}/review")
    page.locator("[data-primary]").click()
    expect(page.locator("#story .story")).to_be_in_viewport()
    page.evaluate("window.taps = 0; addEventListener('pointerdown', () => { taps += 1; }, true)")
    page.locator("[data-pick]", has_text=KEY).click()
    expect(page.locator("label.answer", has_text=KEY)).to_be_in_viewport()
    page.get_by_role("button", name="Submit answer").click()
    arrive(page, "#verdict")
    for target in page.locator(".over-foot .segment label").all():
        expect(target).to_be_in_viewport(ratio=1)
    assert page.locator(".over-foot .segment label").evaluate_all(UNCOVERED), "nothing lies over them"
    page.get_by_role("button", name="Excellent, pass, next").click()
    arrive(page, "#answer")
    assert page.evaluate("window.taps") == 3
    expect(page.locator("#story .story")).not_to_be_visible()
    review = Review.objects.get()
    assert (review.rating, review.disposition) == (2, Disposition.PASS)


def test_one_tap_says_nothing_where_the_answer_was_wrong_or_something_is_chosen(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None]
) -> None:
    seen_as(cast.reviewer)
    solve_by_thumb(page, f"{live_server.url}/p/{cast.project.slug}/review")
    at_once = page.get_by_role("button", name="Excellent, pass, next")
    whole = page.get_by_role("button", name="Send verdict and next")
    expect(at_once).to_be_visible()
    expect(whole).to_be_hidden()
    page.locator("label.chip:has([name=flaws])").first.click()
    expect(at_once).to_be_hidden()
    expect(whole).to_be_visible()
    page.locator("label.chip:has([name=flaws])").first.click()
    page.locator('label:has(input[name="rating"][value="2"])').click()
    page.locator("[data-primary]:visible").click()
    arrive(page, "#answer")
    page.locator("label.answer").filter(has_not_text=KEY).first.click()
    page.locator("[data-primary]").click()
    arrive(page, "#verdict")
    expect(whole).to_be_visible()
    expect(at_once).to_have_count(0)


def test_it_shows_on_a_phone_why_a_verdict_was_refused(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None]
) -> None:
    seen_as(cast.reviewer)
    solve_by_thumb(page, f"{live_server.url}/p/{cast.project.slug}/review")
    page.locator('label:has(input[name="rating"][value="0"])').click()
    page.locator('label:has(input[name="disposition"][value="reject"])').click()
    page.locator("[data-primary]:visible").click()
    complaint = page.get_by_text("A rating of 0 requires at least one flaw.")
    expect(complaint).to_be_in_viewport()
    box = complaint.bounding_box()
    assert box
    assert box["y"] + box["height"] < PHONE["height"] - 160, "not under the story and the foot"
    page.locator('label:has(input[name="flaws"][value="language"])').click()
    expect(complaint).to_have_count(0)


def test_it_asks_for_a_reason_before_an_item_is_sent_away(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None]
) -> None:
    seen_as(cast.reviewer)
    solve_by_thumb(page, f"{live_server.url}/p/{cast.project.slug}/review")
    page.set_viewport_size({"width": 1280, "height": 700})
    asked = page.locator(".needs-reason")
    for key, is_asked in (("p", False), ("r", True), ("o", True), ("l", False), ("l", True), ("x", True)):
        page.keyboard.press(key)
        expect(asked).to_be_visible(visible=is_asked)
    page.locator("#comment").fill("It says so twice.")
    expect(asked).to_be_hidden()
    assert page.locator("#comment").evaluate_all(UNCOVERED)


def test_it_stays_on_the_page_with_all_that_was_typed_while_away(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None]
) -> None:
    seen_as(cast.reviewer)
    claim_first(page, live_server, cast)
    page.keyboard.press(f"Shift+Digit{key_of(page)}")
    arrive(page, "#verdict")
    page.keyboard.press("2")
    page.keyboard.press("e")
    expect(page.locator(STEM)).to_be_focused()
    page.keyboard.type(MORE)
    page.context.set_offline(True)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("The server could not be reached.", exact=True)).to_be_in_viewport()
    page.context.set_offline(False)
    page.keyboard.press("Control+Enter")
    arrive(page, "#answer")
    edit = Review.objects.get().proposed_edit
    assert edit is not None
    assert edit["stem"].endswith(MORE)


def test_it_shows_the_lease_and_extends_it_by_work(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None]
) -> None:
    seen_as(cast.reviewer)
    page.clock.install()
    page.goto(f"{live_server.url}/p/{cast.project.slug}/review")
    page.locator("[data-primary]").click()
    line = page.locator("progress[data-lease]")
    expect(line).to_be_visible()
    full = float(line.evaluate("line => line.value"))
    page.clock.fast_forward("10:00")
    page.clock.run_for(2000)
    assert float(line.evaluate("line => line.value")) < full - 500
    before = ReviewRequest.objects.get(claimed_by=cast.reviewer).lease_expires_at
    with page.expect_response("**/lease/"):
        page.keyboard.press("1")
    until(page, "document.querySelector('progress[data-lease]').value > 1700")
    after = ReviewRequest.objects.get(claimed_by=cast.reviewer).lease_expires_at
    assert before
    assert after
    assert after > before


def test_it_goes_from_item_to_item_within_one_page_and_back_by_the_browser(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None]
) -> None:
    seen_as(cast.reviewer)
    claim_first(page, live_server, cast)
    first, stem = page.url, page.locator("h2.stem").inner_text()
    page.evaluate("window.sameDocument = true")
    page.keyboard.press(f"Shift+Digit{key_of(page)}")
    arrive(page, "#verdict")
    expect(page.locator("#work")).to_be_focused()
    expect(page.locator("#more")).to_have_text("2 more in the queue")
    assert page.url == first
    page.keyboard.press("2")
    page.keyboard.press("p")
    page.keyboard.press("Control+Enter")
    arrive(page, "#answer")
    expect(page.locator("h2.stem")).not_to_have_text(stem)
    expect(page.locator("#work")).to_be_focused()
    expect(page.locator("#more")).to_have_text("1 more in the queue")
    assert page.url != first
    assert page.evaluate("window.sameDocument"), "no page was loaded"
    page.go_back()
    expect(page.get_by_role("heading", name="You have reviewed this item")).to_have_count(1)
    expect(page.locator("h2.stem")).to_have_text(stem)
    page.go_forward()
    arrive(page, "#answer")
    expect(page.locator("h2.stem")).not_to_have_text(stem)


def test_it_keeps_what_was_typed_while_the_story_is_looked_at_on_a_phone(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None]
) -> None:
    seen_as(cast.reviewer)
    solve_by_thumb(page, f"{live_server.url}/p/{cast.project.slug}/review")
    page.locator('label:has(input[name="rating"][value="2"])').click()
    page.locator('label:has(input[name="disposition"][value="pass"])').click()
    page.locator("[data-primary]:visible").click()
    arrive(page, "#answer")
    page.locator("label.answer", has_text=KEY).click()
    page.locator("[data-primary]").click()
    arrive(page, "#verdict")
    page.locator("#comment").fill("Half a thought")
    page.locator(".sheet-tab").click()
    expect(page.locator("#story")).to_be_in_viewport()
    page.locator(".sheet-close").click()
    expect(page.locator("#comment")).to_have_value("Half a thought")
    assert "#story" not in page.url


def test_a_second_verdict_is_refused_in_the_form_and_nothing_typed_is_lost(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None]
) -> None:
    seen_as(cast.reviewer)
    claim_first(page, live_server, cast)
    page.keyboard.press(f"Shift+Digit{key_of(page)}")
    arrive(page, "#verdict")
    second = page.context.new_page()
    second.goto(page.url)
    arrive(second, "#verdict")
    page.keyboard.press("2")
    page.keyboard.press("p")
    page.keyboard.press("Control+Enter")
    arrive(page, "#answer")
    second.keyboard.press("x")
    second.locator("#comment").fill("Two options are correct.")
    for _again in range(2):
        second.keyboard.press("Control+Enter")
        expect(second.locator("#verdict [role=alert]")).to_have_text("You have already reviewed this item.")
    expect(second.locator("#comment")).to_have_value("Two options are correct.")
    expect(second.locator("[name=disposition]:checked")).to_have_value("reject")
    review = Review.objects.get(sent_at__isnull=False)
    assert (review.disposition, review.comment) == (Disposition.PASS, "")


def test_who_is_signed_out_signs_in_over_the_page_and_the_verdict_is_sent(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None]
) -> None:
    seen_as(cast.reviewer)
    claim_first(page, live_server, cast)
    stem = page.locator("h2.stem").inner_text()
    page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    page.keyboard.press(f"Shift+Digit{key_of(page)}")
    sign_in_over(page)
    arrive(page, "#verdict")
    page.keyboard.press("2")
    page.keyboard.press("r")
    page.locator("#comment").fill("Two options are correct.")
    page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    page.get_by_role("button", name="Send verdict and next").click()
    expect(page.locator("#comment")).to_have_value("Two options are correct.")
    sign_in_over(page)
    arrive(page, "#answer")
    expect(page.locator("h2.stem")).not_to_have_text(stem)
    review = Review.objects.get(sent_at__isnull=False)
    assert (review.disposition, review.comment) == (Disposition.RETURN, "Two options are correct.")


def sign_in_over(page: Page) -> None:
    """Fill in the dialog that lies over the page of somebody signed out."""
    expect(page.locator("#sign-in")).to_be_visible()
    page.fill("#sign-in-password", PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("#sign-in")).to_be_hidden()


def test_who_signed_in_again_elsewhere_sends_without_another_sign_in(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None]
) -> None:
    seen_as(cast.reviewer)
    claim_first(page, live_server, cast)
    page.context.clear_cookies()
    seen_as(cast.reviewer)
    page.keyboard.press(f"Shift+Digit{key_of(page)}")
    arrive(page, "#verdict")
    expect(page.locator("#sign-in")).to_be_hidden()


def test_a_reason_of_spaces_is_refused_in_the_dialog_that_asks_for_it(
    page: Page, live_server: LiveServer, cast: Cast, seen_as: Callable[[User], None]
) -> None:
    seen_as(cast.reviewer)
    claim_first(page, live_server, cast)
    first = page.url
    page.keyboard.press("s")
    page.fill("#skip-reason", "   ")
    page.get_by_role("button", name="Skip and next").click()
    expect(page.locator("#skip [role=alert]")).to_be_in_viewport()
    page.fill("#skip-reason", "I know its writer.")
    page.get_by_role("button", name="Skip and next").click()
    page.wait_for_url(lambda url: url != first)
    arrive(page, "#answer")
    expect(page.get_by_text("It will not be offered to you again.").first).to_be_visible()


@pytest.mark.parametrize("language", ["en", "zh-CN"])
@pytest.mark.parametrize("width", [1280, 390])
def test_each_ruling_has_room_for_its_word_and_says_what_comes_of_it(
    page: Page,
    live_server: LiveServer,
    cast: Cast,
    seen_as: Callable[[User], None],
    language: str,
    width: int,
) -> None:
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request is not None
    review = solve(actor=cast.reviewer, request=request, answer=Answer.NONE_FITS)
    send_verdict(actor=cast.reviewer, review=review, rating=1, disposition=Disposition.PASS)
    claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)  # makes the verdict final
    seen_as(cast.verifier)
    page.set_extra_http_headers({"Accept-Language": language})
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{live_server.url}/p/{cast.project.slug}/adjudicate")
    page.keyboard.press("Control+Enter")
    arrive(page, "#ruling")
    rulings = page.locator("#ruling .segment label")
    assert rulings.count() == 4
    for ruling in rulings.all():
        assert ruling.evaluate("label => label.scrollWidth <= label.clientWidth"), ruling.inner_text()
        expect(ruling.locator("small")).not_to_be_empty()
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=f"{folder}/adjudicate-{language}-{width}.png")
