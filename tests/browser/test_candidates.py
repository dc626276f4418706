"""The page of candidates with its script: keys, counts, changes, and a draft that saves itself."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Error, Page, Route, expect

from annotation.content import OptionContent, from_json
from annotation.models import Item, ItemDraft
from generation.models import Adoption, Candidate, Purpose
from generation.queries.batch import open_draft
from generation.services import create_template
from jobs.models import Call, EndpointKind
from jobs.services import create_endpoint
from tests.browser.entering import enter
from tests.browser.waiting import until
from tests.factories import content
from tests.generation.bench import Bench, work_off
from tests.generation.conftest import bench
from tests.generation.solver import saved_draft

__all__ = ["bench"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def open_page(page: Page, live_server: Any, place: Bench) -> list[str]:
    """Sign the writer in and open the story's candidates; answers what the browser complains about."""
    complaints = enter(page, live_server.url, place.cast.writer)
    page.goto(live_server.url + reverse("generation:story", args=[place.cast.project.slug, place.story.pk]))
    page.get_by_role("button", name="Show moral").click()
    expect(page.locator("#slots")).to_be_attached()
    page.wait_for_load_state("load")
    return complaints


@pytest.fixture
def drafted(bench: Bench) -> Bench:
    """A bench whose story has its three candidates."""
    work_off(bench.start().waiting)
    return bench


def test_what_is_submitted_at_once_is_kept_no_longer_on_this_device(
    page: Page, live_server: Any, drafted: Bench
) -> None:
    open_page(page, live_server, drafted)
    page.route("**/slots/", lambda route: route.abort())  # the line is so slow that no save comes through
    page.get_by_role("button", name="Use moral").click()
    for _ in range(3):
        page.keyboard.press("j")
        page.keyboard.press("Enter")
    expect(page.locator("#text-3")).not_to_have_value("")
    assert kept_here(page) == 1
    page.unroute("**/slots/")
    page.get_by_role("button", name="Submit item").click()
    expect(page.get_by_text("Item submitted")).to_be_visible()
    page.wait_for_function("() => !Object.keys(localStorage).some((key) => key.startsWith('outbox:'))")
    page.goto(
        live_server.url + reverse("generation:story", args=[drafted.cast.project.slug, drafted.story.pk])
    )
    expect(page.locator("#text-0")).to_have_value("")
    expect(page.locator("[data-from=notice-untaken]")).to_have_count(0)
    assert ItemDraft.objects.filter(submitted_as=None).count() == 0


def kept_here(page: Page) -> int:
    """How many saves the device keeps that the server has not taken."""
    found = page.evaluate("() => Object.keys(localStorage).filter((key) => key.startsWith('outbox:')).length")
    return int(found)


def test_it_puts_an_item_together_from_the_keyboard(page: Page, live_server: Any, drafted: Bench) -> None:
    complaints = open_page(page, live_server, drafted)
    page.get_by_role("button", name="Use moral").click()
    for _ in range(3):
        page.keyboard.press("j")
        page.keyboard.press("Enter")
    first = page.locator("#text-1")
    expect(first).not_to_have_value("")
    expect(page.locator("#text-3")).not_to_have_value("")
    original = first.input_value()
    # brackets, which no candidate has: a word that began like the next would leave two ways to mark it
    reworded = original.replace(" ", " (also) ", 1)
    first.fill(reworded)
    expect(page.locator("[data-place='1'] ins")).to_have_text("(also) ")
    expect(page.locator("[data-place='1'] [data-count]")).to_have_text(str(len(original) + 7))
    expect(page.locator("[data-saved]")).to_contain_text("saved")
    page.reload()
    expect(page.locator("#text-1")).to_have_value(reworded)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#messages")).to_contain_text("Item submitted")
    item = Item.objects.get()
    assert item.style == "machine"
    assert Adoption.objects.filter(option__revision=item.current).count() == 3
    assert open_draft(drafted.cast.writer, drafted.story) is None
    assert complaints == []


def test_what_is_typed_while_the_server_judges_is_judged_after_it(
    page: Page, live_server: Any, drafted: Bench
) -> None:
    open_page(page, live_server, drafted)
    page.get_by_role("button", name="Use moral").click()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.locator("#source-1")).to_contain_text("Only the ending")
    asked: list[Route] = []

    def hold_the_first(route: Route) -> None:
        asked.append(route)
        if len(asked) > 1:
            route.continue_()

    page.route("**/checks", hold_the_first)
    first = page.locator("#text-1")
    original = first.input_value()
    with page.expect_request("**/checks"):
        first.fill(original.replace(" ", " (also) ", 1))
    first.fill(original.replace(" ", " (once) ", 1))
    page.wait_for_timeout(1_000)  # more than the page waits before it asks
    with suppress(Error):  # the page has taken it back
        asked[0].continue_()
    expect(page.locator("[data-place='1'] ins")).to_have_text("(once) ")


def test_it_drags_a_candidate_into_the_slot_one_likes(page: Page, live_server: Any, drafted: Bench) -> None:
    open_page(page, live_server, drafted)
    wanted = Candidate.objects.order_by("pk").first()
    assert wanted is not None
    page.drag_and_drop(f"[data-candidate='{wanted.pk}']", "[data-place='3']")
    expect(page.locator("#text-3")).to_have_value(wanted.text)
    expect(page.locator(f"[data-candidate='{wanted.pk}'] [data-used]")).to_have_text("Option 4 · distractor")
    expect(page.locator("[data-saved]")).to_contain_text("saved")
    with page.expect_response("**/slots/"):
        page.locator("[data-place='3'] [data-clear]").click()
    expect(page.locator("#text-3")).to_have_value("")


def test_it_fits_a_phone(page: Page, live_server: Any, drafted: Bench) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, live_server, drafted)
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390
    if folder := os.environ.get("PARABLE_SHOTS"):
        page.screenshot(path=str(Path(folder) / "candidates-phone.png"), full_page=True)


def test_it_checks_live_and_takes_a_reason(page: Page, live_server: Any, drafted: Bench) -> None:
    complaints = open_page(page, live_server, drafted)
    for _ in range(3):
        page.keyboard.press("j")
        page.keyboard.press("Enter")
    page.locator("#text-0").fill(
        "Slow and steady wins, as every patient walker finds out sooner or later on the long road."
    )
    expect(page.locator("#checks")).to_contain_text("the longest distractor")
    reason = page.locator("#checks [data-answer]")
    # not the answer to the save before, or this one may reach the server after the submission
    with page.expect_response(lambda answer: "second half" in (answer.request.post_data or "")):
        reason.fill("Its second half matters.")
    page.reload()
    expect(reason).to_have_value("Its second half matters.")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#messages")).to_contain_text("Item submitted")
    current = Item.objects.get().current
    assert current is not None
    assert current.answered_warnings == {"longest_key": "Its second half matters."}
    assert complaints == []


def test_it_keeps_what_is_typed_while_a_save_is_under_way(
    page: Page, live_server: Any, drafted: Bench
) -> None:
    open_page(page, live_server, drafted)
    page.evaluate(
        "() => { const real = window.fetch; window.fetch = async (...asked) => {"
        " const answer = await real(...asked); await new Promise(done => { window.deliver = done; });"
        " return answer; }; }"
    )
    page.locator("#text-0").fill("Before the save")
    until(page, "'deliver' in window")
    page.locator("#text-1").fill("While it was under way")
    page.route("**/slots/", lambda route: route.abort())  # and the next one does not come through
    page.evaluate("deliver()")
    page.reload()
    expect(page.locator("#text-0")).to_have_value("Before the save")
    expect(page.locator("#text-1")).to_have_value("While it was under way")


def test_it_sends_nothing_while_an_input_method_composes(
    page: Page, live_server: Any, drafted: Bench
) -> None:
    open_page(page, live_server, drafted)
    sent: list[str] = []
    page.on("request", lambda asked: sent.append(asked.url) if asked.method != "GET" else None)
    area = page.locator("#text-0")
    area.focus()
    for kind in ("compositionstart", "input"):
        area.evaluate(
            "(field, kind) => { field.value += '慢'; field.dispatchEvent(new InputEvent(kind,"
            " { bubbles: true, isComposing: true })); }",
            kind,
        )
    page.wait_for_timeout(1500)
    assert sent == []
    with page.expect_response("**/slots/"):
        area.evaluate(
            "field => field.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true }))"
        )


def test_it_moves_candidates_by_number_and_takes_them_out(
    page: Page, live_server: Any, drafted: Bench
) -> None:
    complaints = open_page(page, live_server, drafted)
    page.keyboard.press("j")
    page.keyboard.press("3")
    first = page.locator("[data-candidate]").first
    words = first.locator("[data-text]").inner_text()
    expect(page.locator("#text-2")).to_have_value(words)
    page.keyboard.press("4")
    expect(page.locator("#text-2")).to_have_value("")
    expect(page.locator("#text-3")).to_have_value(words)
    page.keyboard.press("Backspace")
    expect(page.locator("#text-3")).to_have_value("")
    page.keyboard.press("Enter")
    expect(page.locator("#text-1")).to_have_value(words)
    first.locator("[data-used]").click()
    expect(page.locator("#text-1")).to_have_value("")
    assert complaints == []


def test_it_keeps_on_the_device_what_the_server_did_not_get(
    page: Page, live_server: Any, drafted: Bench
) -> None:
    open_page(page, live_server, drafted)
    page.route("**/slots/", lambda route: route.abort())
    page.locator("#text-0").fill("Words typed on a train.")
    expect(page.locator("[data-saved]")).to_contain_text("saved on this device")
    page.unroute("**/slots/")
    page.reload()
    draft = page.locator("#text-0")
    expect(page.locator("[data-saved]")).to_contain_text("saved")
    page.reload()
    expect(draft).to_have_value("Words typed on a train.")


def begin_item(bench: Bench) -> ItemDraft:
    """A draft of a commonsense item with its stem and key, and a prompt that asks about stems."""
    create_template(
        actor=bench.cast.writer,
        project=bench.cast.project,
        name="Wrong answers",
        text="{story} {stem} {key} Give {n} wrong answers.",
        purpose=Purpose.WRONG_OPTIONS,
    )
    words = content()
    options = tuple(one if one.is_key else OptionContent("") for one in words.options)
    return saved_draft(bench, replace(words, options=options))


@pytest.mark.drill
def test_it_takes_wrong_options_for_a_stem_on_the_desk(page: Page, live_server: Any, bench: Bench) -> None:
    draft = begin_item(bench)
    page.set_viewport_size({"width": 390, "height": 844})
    complaints = open_page(page, live_server, bench)
    page.goto(live_server.url + reverse("annotation:draft", args=[bench.cast.project.slug, draft.client_id]))
    page.wait_for_load_state("load")
    page.locator("summary", has_text="Distractors from models").click()
    page.get_by_role("button", name="Ask for distractors").click()
    expect(page.locator("#offers")).to_contain_text("Waiting for the answer.")
    work_off(Call.objects.values_list("pk", flat=True))
    offers = page.locator("[data-offer]")
    expect(offers).to_have_count(3)
    first, second = offers.nth(0), offers.nth(1)
    words = first.locator("[data-text]").inner_text()
    first.get_by_role("button", name="Use").click()
    expect(page.locator("[name=option-0]")).to_have_value(words)
    expect(first.locator("[data-used]")).to_have_text("Option 1")
    second.focus()
    page.keyboard.press("4")
    expect(page.locator("[name=option-3]")).to_have_value(second.locator("[data-text]").inner_text())
    expect(page.locator("[name=key][value='1']")).to_be_checked()
    offers.nth(2).focus()
    page.keyboard.press("Enter")
    expect(page.locator("[name=option-2]")).not_to_have_value("")
    page.locator("[name=option-2]").fill("")
    expect(page.locator("[name=candidate-2]")).to_have_count(0)
    with page.expect_response("**/drafts/**"):
        page.locator("[name=option-2]").fill("The mill was on fire")
    expect(page.locator("#saved")).to_contain_text("saved")
    page.wait_for_timeout(1500)
    kept = from_json(ItemDraft.objects.get(pk=draft.pk).content).options
    assert [one.candidate is not None for one in kept] == [True, False, False, True]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    if folder := os.environ.get("PARABLE_SHOTS"):
        page.screenshot(path=str(Path(folder) / "desk-offers-phone.png"), full_page=True)
    page.locator("[name=option-1]").fill("No")
    expect(first.locator("[data-length]")).to_contain_text("longer")
    assert complaints == []


@pytest.mark.parametrize("way", ["clipboard", "plain HTTP"])
def test_it_brings_an_answer_by_hand(page: Page, live_server: Any, bench: Bench, way: str) -> None:
    create_endpoint(
        actor=bench.cast.manager,
        project=bench.cast.project,
        name="Chat site",
        model="a chat site",
        kind=EndpointKind.MANUAL,
    )
    if way == "clipboard":
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    else:  # what a browser does not offer on plain HTTP
        page.add_init_script("Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined })")
        page.add_init_script("Object.defineProperty(window, 'isSecureContext', { value: false })")
    complaints = open_page(page, live_server, bench)
    page.get_by_role("link", name="Enter an answer").click()
    page.get_by_role("button", name="Copy").click()
    expect(page.locator("[data-copy]")).to_have_text("Copied")
    answer = page.locator("[name=answer]")
    answer.focus()
    page.keyboard.press("Control+V")
    expect(answer).to_have_value(page.locator("#prompt").inner_text())
    page.locator("[name=model]").fill("kimi-k2")
    answer.fill("<think>Let me see.</think>")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#paste")).to_contain_text("No proposals found.")
    expect(page.locator("[name=model]")).to_have_value("kimi-k2")
    answer.fill("Sure!\n\n1. Speed is all that counts.\n2. Never run at noon.\n3. Hares are proud.")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#messages")).to_contain_text("3 candidates found.")
    cards = page.locator("[data-candidate]")
    expect(cards).to_have_count(3)
    cards.nth(0).get_by_role("button", name="Use").click()
    expect(page.locator("[data-place='1'] [data-source]")).to_have_text("kimi-k2 · Only the ending 1")
    assert set(Candidate.objects.values_list("generator", flat=True)) == {"kimi-k2"}
    # a page of 400 because nothing could be read is what was asked for
    assert [said for said in complaints if "400" not in said] == []


def test_it_lets_lengths_follow_the_key(page: Page, live_server: Any, drafted: Bench) -> None:
    open_page(page, live_server, drafted)
    words = page.locator("[data-candidate] [data-text]").first.inner_text()
    chip = page.locator("[data-candidate] [data-length]").first
    key = page.locator("#text-0")
    key.fill("x")
    expect(chip).to_have_text(f"{len(words) - 1} characters longer")
    key.fill("x" * len(words))
    expect(chip).to_be_hidden()
    key.fill("x" * (2 * len(words)))
    expect(chip).to_have_text(f"{len(words)} characters shorter")
    with page.expect_response("**/slots/"):
        key.fill("x" * (2 * len(words) + 1))
    page.reload()
    expect(chip).to_have_text(f"{len(words) + 1} characters shorter")


def test_it_keeps_the_slots_within_reach_on_a_phone(page: Page, live_server: Any, drafted: Bench) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, live_server, drafted)
    card = page.locator("[data-candidate]").first
    words = card.locator("[data-text]").inner_text()
    links = page.locator(".slots-bar a")
    expect(links).to_have_count(4)
    expect(links.nth(1)).to_have_text("2–")
    with page.expect_response("**/slots/"):
        card.get_by_role("button", name="Use").click()
    expect(links.nth(1)).to_have_text(f"2{len(words)}")
    page.evaluate("scrollTo(0, 0)")
    links.nth(3).click()
    expect(page.locator("#text-3")).to_be_in_viewport()
    page.get_by_role("link", name="Candidates", exact=True).last.click()
    expect(card).to_be_in_viewport()
