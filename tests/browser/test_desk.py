"""The sheet in a real browser: it saves itself, and never while an input method composes."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    generate_totp_secret,
    hotp_value,
    yield_hotp_counters_from_time,
)
from playwright.sync_api import Page, Request, Route, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User, UserSession
from annotation.models import Item, ItemDraft, State
from annotation.services import record_exposure, take_next_story
from corpus.models import Story
from parable.formats.limits import MAX_EXPLANATION_CHARS, MAX_OPTION_CHARS, MAX_STEM_CHARS
from tests.browser.looking import broken_rules
from tests.browser.waiting import saved, until_saved
from tests.factories import PASSWORD, Cast, make_story, submit_item

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

FIRST_LOAD = 200_000  # bytes, the test server sends everything uncompressed
MORAL = "Slow and steady wins."


@pytest.fixture
def story(cast: Cast) -> Story:
    return make_story(cast, title="The Tortoise", moral=MORAL)


@pytest.fixture
def at_the_desk(
    page: Page, live_server: LiveServer, cast: Cast, story: Story, seen_as: Callable[[User], None]
) -> str:
    """The address of an empty sheet, open before the writer."""
    seen_as(cast.writer)
    address = f"{live_server.url}/p/{cast.project.slug}/write/story/{story.pk}?new=1"
    page.goto(address)
    return address


def test_it_saves_itself_and_says_what_is_still_to_do(page: Page, at_the_desk: str) -> None:
    page.fill("#stem", "Why did the hare sleep?")
    until_saved(page, stem="Why did the hare sleep?")
    draft = ItemDraft.objects.get()
    expect(page).to_have_url(re.compile(f"/write/draft/{draft.client_id}$"))
    expect(page.locator("#lacks")).to_contain_text("Mark the key.")
    page.reload()
    assert page.input_value("#stem") == "Why did the hare sleep?"
    assert ItemDraft.objects.count() == 1


def test_it_is_written_and_submitted_by_the_keyboard_alone(page: Page, at_the_desk: str) -> None:
    page.keyboard.press("q")
    page.keyboard.press("s")
    page.keyboard.type("Why did the hare sleep?")
    for words in ("It was late", "It felt far too sure of itself", "It was ill", "It was night"):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.type") == "radio":
            page.keyboard.press("Tab")
        page.keyboard.type(words)
    page.keyboard.press("Escape")
    page.evaluate("document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '２', bubbles: true}))")
    expect(page.locator(".option.desk").nth(1)).to_contain_text("longest, is the key")
    expect(page.locator(".option.desk").nth(1)).to_contain_text("30 characters")
    page.keyboard.press("Escape")
    page.keyboard.press("x")
    page.keyboard.type("It was far ahead.")
    warning = page.locator("#lacks [data-answer]")
    expect(warning).to_have_count(1)
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    expect(warning).to_be_focused()
    page.keyboard.type("The hare's own words in the story.")
    page.keyboard.press("Control+Enter")  # while the last save may still be waiting
    expect(page.locator("#messages")).to_contain_text("Submitted for review.")
    item = Item.objects.get()
    assert item.state == State.IN_REVIEW
    assert item.current is not None
    assert item.current.explanation == "It was far ahead."
    assert item.current.answered_warnings == {"longest_key": "The hare's own words in the story."}
    assert ItemDraft.objects.filter(submitted_as=None).count() == 0


def test_it_saves_nothing_while_an_input_method_composes(page: Page, at_the_desk: str) -> None:
    keyboard = page.context.new_cdp_session(page)
    page.focus("#stem")
    page.keyboard.type("a")
    keyboard.send("Input.imeSetComposition", {"text": "wugui", "selectionStart": 5, "selectionEnd": 5})
    page.wait_for_timeout(2500)
    assert not ItemDraft.objects.exists()
    keyboard.send("Input.insertText", {"text": "乌龟"})
    until_saved(page, stem="a乌龟")


@pytest.mark.drill
def test_it_warns_the_slower_of_two_windows_and_lets_it_choose(page: Page, at_the_desk: str) -> None:
    page.fill("#stem", "First")
    saved(page)  # it has its address by then
    other = page.context.new_page()
    other.goto(page.url)
    other.fill("#stem", "From the other window")
    until_saved(other, stem="From the other window")
    page.fill("#stem", "From this window")
    notice = page.locator("[data-from=notice-stale]")
    expect(notice).to_contain_text("From the other window")
    assert page.input_value("#stem") == "From this window"
    notice.locator("[data-keep]").click()
    expect(notice).to_have_count(0)
    until_saved(page, stem="From this window")


@pytest.mark.drill
def test_it_says_that_it_could_not_save_and_tries_again(page: Page, at_the_desk: str) -> None:
    page.route("**/api/v1/drafts/**", lambda route: route.abort())
    page.fill("#stem", "Written while the server was away")
    expect(page.locator("#saved")).to_contain_text("saved on this device")
    page.unroute("**/api/v1/drafts/**")
    until_saved(page, stem="Written while the server was away")
    saved(page)


@pytest.mark.drill
def test_it_fires_nothing_while_candidates_are_chosen_by_digit_or_enter(page: Page, at_the_desk: str) -> None:
    page.fill("#stem", "为什么")
    saved(page)
    keyboard = page.context.new_cdp_session(page)
    page.focus("#stem")
    page.keyboard.press("End")
    keyboard.send("Input.imeSetComposition", {"text": "wugui", "selectionStart": 5, "selectionEnd": 5})
    for key, code in (("2", 50), ("Enter", 13)):
        modifiers = 2 if key == "Enter" else 0
        # the browser hands such keys on with code 229: they belong to the input method
        keyboard.send(
            "Input.dispatchKeyEvent",
            {"type": "rawKeyDown", "key": key, "windowsVirtualKeyCode": 229, "modifiers": modifiers},
        )
        keyboard.send("Input.dispatchKeyEvent", {"type": "keyUp", "key": key, "windowsVirtualKeyCode": code})
    page.wait_for_timeout(2000)
    assert page.locator("[name=key]:checked").count() == 0
    assert not Item.objects.exists()
    assert ItemDraft.objects.get().content["stem"] == "为什么"
    keyboard.send("Input.insertText", {"text": "乌龟赢了？"})
    expect(page.locator("#stem")).to_have_value("为什么乌龟赢了？")
    until_saved(page, stem="为什么乌龟赢了？")


def test_it_keeps_what_a_killed_server_did_not_take_and_sends_it_once(page: Page, at_the_desk: str) -> None:
    page.fill("#stem", "Before")
    saved(page)
    address = page.url
    page.route("**/api/v1/drafts/**", lambda route: route.abort())
    page.keyboard.type(" and while it was dead")
    expect(page.locator("#saved")).to_contain_text("saved on this device")
    page.keyboard.type(", to the last key")
    assert ItemDraft.objects.get().content["stem"] == "Before"
    page.goto("about:blank")  # the window goes before the server is back, and may send once more as it goes
    page.unroute("**/api/v1/drafts/**")
    page.goto(address)
    assert page.input_value("#stem") == "Before and while it was dead, to the last key"
    until_saved(page, stem="Before and while it was dead, to the last key")


@pytest.mark.drill
def test_it_knows_its_own_save_whose_answer_was_lost(page: Page, at_the_desk: str) -> None:
    page.fill("#stem", "One")
    saved(page)

    def answer_is_lost(route: Route) -> None:
        route.fetch()
        route.abort()

    page.route("**/api/v1/drafts/*/", answer_is_lost, times=1)
    page.keyboard.type(" two")
    expect(page.locator("#saved")).to_contain_text("saved on this device")
    page.keyboard.type(" three")
    until_saved(page, stem="One two three")
    expect(page.locator("[data-from=notice-stale]")).to_have_count(0)


def test_it_asks_who_was_signed_out_to_sign_in_over_the_page(page: Page, at_the_desk: str) -> None:
    page.fill("#stem", "Typed before")
    saved(page)
    UserSession.objects.all().delete()
    page.keyboard.type(" and after the session ended")
    dialog = page.locator("#sign-in")
    expect(dialog).to_be_visible()
    page.keyboard.type("wrong")
    page.keyboard.press("Enter")
    expect(dialog).to_contain_text("Wrong password.")
    page.fill("#sign-in-password", PASSWORD)
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    until_saved(page, stem="Typed before and after the session ended")
    assert page.input_value("#stem") == "Typed before and after the session ended"


def test_it_asks_for_the_second_factor_over_the_page(page: Page, at_the_desk: str) -> None:
    secret = generate_totp_secret()
    TOTP.activate(User.objects.get(username=page.input_value("#sign-in-name")), secret)
    page.fill("#stem", "Typed before")
    saved(page)
    UserSession.objects.all().delete()
    page.keyboard.type(" and after")
    page.locator("#sign-in-password").fill(PASSWORD)
    page.keyboard.press("Enter")
    code = page.locator("#sign-in-code")
    expect(code).to_be_focused()
    page.keyboard.type("000000")
    page.keyboard.press("Enter")
    expect(page.locator("#sign-in")).to_contain_text("Wrong code.")
    now = next(iter(yield_hotp_counters_from_time()))
    code.fill(str(format_hotp_value(hotp_value(secret, now))))
    page.keyboard.press("Enter")
    expect(page.locator("#sign-in")).to_be_hidden()
    until_saved(page, stem="Typed before and after")


def test_it_lays_pasted_options_out_and_leaves_out_what_cannot_be_seen(page: Page, at_the_desk: str) -> None:
    paste = """([selector, text]) => {
        const area = document.querySelector(selector);
        area.focus();
        const data = new DataTransfer();
        data.setData("text/plain", text);
        data.setData("text/html", "<b>" + text + "</b>");
        const how = { clipboardData: data, bubbles: true, cancelable: true };
        area.dispatchEvent(new ClipboardEvent("paste", how));
    }"""
    page.evaluate(
        paste, ["#stem", "乌鸦为什么投\u200b石子？Ａ．水会升高B．它很\ufeff无聊\nC、石子很重（D）天黑了"]
    )
    assert page.input_value("#stem") == "乌鸦为什么投石子？"
    texts = [area.input_value() for area in page.locator(".option.desk textarea").all()]
    assert texts == ["水会升高", "它很无聊", "石子很重", "天黑了"]
    expect(page.locator("[data-from=notice-cleaned]")).to_be_visible()
    page.evaluate(paste, ["#explanation", "A. one B. two"])
    assert page.input_value("#explanation") == "A. one B. two"


def test_it_takes_of_a_book_in_the_clipboard_what_fits_and_says_so(page: Page, at_the_desk: str) -> None:
    page.evaluate("""() => {
        const area = document.getElementById("stem");
        area.focus();
        const data = new DataTransfer();
        data.setData("text/plain", "乌龟赢了\u200b。".repeat(100000));
        const how = { clipboardData: data, bubbles: true, cancelable: true };
        area.dispatchEvent(new ClipboardEvent("paste", how));
    }""")
    expect(page.locator("[data-from=notice-cut]")).to_be_visible()
    assert len(page.input_value("#stem")) == MAX_STEM_CHARS
    saved(page)
    assert len(ItemDraft.objects.get().content["stem"]) == MAX_STEM_CHARS
    limits = page.locator("#sheet textarea").evaluate_all("all => all.map((one) => one.maxLength)")
    assert limits == [MAX_STEM_CHARS, *[MAX_OPTION_CHARS] * 4, MAX_EXPLANATION_CHARS]


PLACES = """() => ["#stem", "[name=option-0]", "[name=option-3]", "#explanation", "#foot"].map((each) => {
    const box = document.querySelector(each).getBoundingClientRect();
    const scrolled = each === "#foot" ? 0 : window.scrollY;  // which stays where it is on the screen
    return [Math.round(box.top + scrolled), Math.round(box.height)];
})"""
"""Where the parts of the desk are on the page: a small screen scrolls to what is filled in."""


@pytest.mark.parametrize("screen", [{"width": 1280, "height": 900}, {"width": 390, "height": 844}])
def test_it_compares_lengths_while_somebody_types_and_moves_nothing(
    page: Page, at_the_desk: str, screen: dict[str, int]
) -> None:
    page.set_viewport_size(screen)  # type: ignore[arg-type]  # the shape its documentation gives
    page.context.set_offline(True)  # what is counted here asks the server nothing
    before = page.evaluate(PLACES)
    page.get_by_role("radio", name="Make option 1 the key").check()
    for index, words in enumerate(["Far too sure", "It was ill", "Night", ""]):
        page.fill(f"[name=option-{index}]", words)
    expect(page.locator("#lengths")).to_have_text("Key length 12, distractors 8 on average")
    expect(page.locator(".option.desk").first).to_contain_text("longest, is the key")
    page.fill("[name=option-1]", "It was very ill")
    expect(page.locator(".option.desk .chip")).to_have_count(0)
    expect(page.locator("#saved")).to_contain_text("saved on this device")
    assert page.evaluate(PLACES) == before
    page.context.set_offline(False)
    until_saved(page, stem="")
    expect(page.locator("#saved")).to_have_text(re.compile(r"^saved \d"))
    expect(page.locator("#saved")).to_be_in_viewport()
    assert page.evaluate(PLACES) == before


@pytest.mark.drill
@pytest.mark.parametrize("screen", [{"width": 1280, "height": 900}, {"width": 390, "height": 844}])
def test_it_goes_to_the_first_thing_that_blocks_a_submission_and_names_it(
    page: Page, at_the_desk: str, screen: dict[str, int]
) -> None:
    page.set_viewport_size(screen)  # type: ignore[arg-type]  # the shape its documentation gives
    page.keyboard.press("q")
    page.fill("#stem", "Why did the hare sleep?")
    for index, words in enumerate(["Far too sure", "It was ill", "Night", "Rain"]):
        page.fill(f"[name=option-{index}]", words)
    page.get_by_role("radio", name="Make option 2 the key").check()
    saved(page)
    height = page.evaluate("document.getElementById('foot').offsetHeight")
    page.evaluate("document.getElementById('work').scrollTo(0, 0)")
    page.keyboard.press("Control+Enter")
    blocked = page.get_by_role("alert").get_by_text("Not submitted. Explanation: Explain why")
    expect(blocked).to_be_in_viewport()
    expect(page.locator("#explanation")).to_be_focused()
    expect(page.locator("#explanation")).to_be_in_viewport()
    assert page.evaluate("document.getElementById('foot').offsetHeight") == height
    assert broken_rules(page) == []
    page.locator("#stem").focus()
    blocked.click()
    expect(page.locator("#explanation")).to_be_focused()
    page.keyboard.type("It was far ahead.")
    expect(blocked).to_have_count(0)
    until_saved(page, explanation="It was far ahead.")


def test_it_takes_each_message_away_once_its_field_is_right(page: Page, at_the_desk: str) -> None:
    page.fill("#stem", "Why did the hare sleep?")
    page.fill("[name=option-0]", "It was ill")
    page.fill("[name=option-1]", "It was ill")
    saved(page)
    page.keyboard.press("Control+Enter")
    messages = page.locator("[data-error]")
    expect(page.locator("#key_error")).to_have_text("Mark the key.")
    assert messages.evaluate_all("found => found.map((one) => one.dataset.error)") == [
        "types", "options", "key", "option-2", "explanation",
    ]  # fmt: skip
    page.get_by_role("radio", name="Make option 2 the key").check()
    expect(page.locator("#key_error")).to_have_count(0, timeout=500)  # at once; the others as it is saved
    page.fill("[name=option-0]", "It was late")
    expect(page.locator("#option-1_error")).to_have_count(0)
    expect(page.locator("[name=option-1]")).not_to_have_attribute("aria-invalid", "true")
    expect(page.locator("#options_error")).to_be_visible()
    page.fill("[name=option-2]", "It was night")
    page.fill("[name=option-3]", "It was raining")
    page.keyboard.press("Escape")
    page.keyboard.press("q")
    page.fill("#explanation", "It was far ahead.")
    expect(messages).to_have_count(0)


@pytest.mark.drill
def test_it_lays_what_is_said_over_the_page_until_it_is_read(
    page: Page, live_server: LiveServer, cast: Cast, story: Story, seen_as: Callable[[User], None]
) -> None:
    seen_as(cast.writer)
    page.goto(f"{live_server.url}/p/{cast.project.slug}/write/story/{story.pk}?new=1")
    before = page.evaluate(PLACES)
    page.evaluate("window.parable.showPrepared('notice-cleaned')")
    page.evaluate("window.parable.showPrepared('notice-cut')")
    expect(page.locator("[data-from=notice-cleaned]")).to_be_in_viewport()
    assert page.evaluate(PLACES) == before
    expect(page.locator("[data-from=notice-cleaned]")).to_have_count(0)
    expect(page.locator("[data-from=notice-cut]")).to_have_count(1)


def test_it_is_light(page: Page, at_the_desk: str) -> None:
    sizes: list[int] = []

    def weigh(request: Request) -> None:
        sizes.append(sum(int(size) for size in request.sizes().values()))  # type: ignore[call-overload] # all are numbers

    page.on("requestfinished", weigh)
    page.context.clear_cookies(name="nothing")
    network = page.context.new_cdp_session(page)
    network.send("Network.setCacheDisabled", {"cacheDisabled": True})
    page.goto(at_the_desk, wait_until="networkidle")
    assert 10_000 < sum(sizes) < FIRST_LOAD


def test_it_shows_counts_and_the_moral_where_they_are_asked_for(
    page: Page, live_server: LiveServer, cast: Cast, story: Story, seen_as: Callable[[User], None]
) -> None:
    submit_item(cast, story=story)
    seen_as(cast.manager)
    page.goto(f"{live_server.url}/p/{cast.project.slug}/stories")
    expect(page.locator("td[data-label=Items]")).to_have_text("1")
    page.goto(f"{live_server.url}/p/{cast.project.slug}/stories/{story.pk}")
    expect(page.get_by_text("Why did the hare fall asleep?")).to_be_visible()
    assert MORAL not in page.content()
    page.get_by_text("Show moral").click()
    expect(page.locator("#moral")).to_contain_text(MORAL)
    page.get_by_text("Edit moral").click()
    page.fill("[name=moral]", "Haste makes waste.")
    page.select_option("[name=origin]", "ours")
    page.fill("[name=reason]", "clearer")
    page.get_by_text("Save moral").click()
    expect(page.locator("#moral")).to_contain_text("Moral updated.")
    story.refresh_from_db()
    assert story.current is not None
    assert story.current.moral == "Haste makes waste."


@pytest.mark.drill
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read_by_everybody(
    page: Page,
    live_server: LiveServer,
    cast: Cast,
    story: Story,
    seen_as: Callable[[User], None],
    scheme: str,
) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    submit_item(cast, story=story)
    take_next_story(actor=cast.writer, project=cast.project)
    seen_as(cast.writer)
    slug = cast.project.slug
    other = make_story(cast, moral=MORAL)
    record_exposure(actor=cast.writer, story=story)
    for rest in (
        "write",
        f"write/story/{story.pk}",
        f"write/story/{story.pk}?task=moral",
        f"write/story/{other.pk}?task=moral",  # asks first
        "items",
        "stories",
    ):
        page.goto(f"{live_server.url}/p/{slug}/{rest}")
        assert broken_rules(page) == [], rest
    seen_as(cast.manager)
    for rest in (f"stories/{story.pk}", "stories/import", "items/import", f"stories/{story.pk}/edit"):
        page.goto(f"{live_server.url}/p/{slug}/{rest}")
        assert broken_rules(page) == [], rest


@pytest.mark.parametrize("rest", ["write", "write/story/{story}", "items", "stories", "stories/{story}"])
def test_it_fits_a_phone(
    page: Page, live_server: LiveServer, cast: Cast, story: Story, seen_as: Callable[[User], None], rest: str
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    submit_item(cast, story=story)
    seen_as(cast.writer)
    page.goto(f"{live_server.url}/p/{cast.project.slug}/{rest.format(story=story.pk)}")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(page.locator("[data-primary]")).to_be_in_viewport()
