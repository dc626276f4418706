"""Nothing typed is lost: other windows, no line, a killed server; all in a real browser."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Error, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.content import to_json
from annotation.models import Cause, Item, ItemDraft, State
from annotation.services import apply_verdict, save_draft, submit_draft
from corpus.models import Story
from tests.browser.entering import sign_in
from tests.browser.killable import KillableSite
from tests.browser.waiting import saved, until, until_saved
from tests.factories import Cast, content, make_story, wording

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def story(cast: Cast) -> Story:
    return make_story(cast, title="The Tortoise")


@pytest.fixture
def site(tmp_path: Path, cast: Cast) -> Iterator[KillableSite]:
    made = KillableSite(tmp_path)
    try:
        made.start()
        yield made
    finally:
        made.kill()


@pytest.fixture(autouse=True)
def _no_request_on_its_way(page: Page, transactional_db: None) -> Iterator[None]:
    """Let the last check of a sheet be answered before the tables are emptied under it."""
    yield
    if not page.is_closed():
        page.goto("about:blank")
        page.wait_for_timeout(500)


@pytest.fixture
def open_sheet(page: Page, cast: Cast, story: Story) -> Callable[[str], str]:
    """Open an empty sheet before the writer, on the server at that address."""

    def open_on(url: str) -> str:
        sign_in(page.context, url, cast.writer)
        address = f"{url}/p/{cast.project.slug}/write/story/{story.pk}?new=1"
        page.goto(address)
        return address

    return open_on


def begin_and_hand_in_elsewhere(page: Page, cast: Cast, story: Story) -> ItemDraft:
    """A draft begun on this page and submitted, whole, while the page stays open."""
    page.fill("#stem", "Begun here")
    saved(page)
    draft = ItemDraft.objects.get()
    done = save_draft(
        actor=cast.writer, project=cast.project, story=story, task="commonsense",
        client_id=draft.client_id, sequence=draft.sequence + 5, content=to_json(content()),
    )  # fmt: skip
    submit_draft(actor=cast.writer, draft=done)
    return done


def test_it_says_in_sight_that_a_submission_did_not_leave_the_device(
    page: Page, live_server: LiveServer, cast: Cast, open_sheet: Callable[[str], str]
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_sheet(live_server.url)
    page.fill("#stem", "Why did the hare nap?")
    saved(page)
    page.context.set_offline(True)
    page.locator("#explanation").press_sequentially("It was sure")
    page.locator("[data-primary]").click()
    expect(page.get_by_text("The server could not be reached.", exact=True)).to_be_in_viewport()
    expect(page.locator("#explanation")).to_have_value("It was sure")
    page.context.set_offline(False)
    until_saved(page, explanation="It was sure")
    assert not Item.objects.exists()


def test_it_keeps_words_whose_draft_was_handed_in_elsewhere(
    page: Page, live_server: LiveServer, cast: Cast, story: Story, open_sheet: Callable[[str], str]
) -> None:
    open_sheet(live_server.url)
    begin_and_hand_in_elsewhere(page, cast, story)
    page.fill("#stem", "My own other words")
    notice = page.locator("[data-from=notice-late]")
    expect(notice.locator("[data-mine]")).to_contain_text("My own other words")
    expect(notice.locator("[data-other]")).to_contain_text("Why did the hare fall asleep?")
    page.fill("#stem", "My own other words, and more")
    notice.get_by_text("Keep mine as a new draft").click()
    expect(page.locator("[data-from=notice-late]")).to_have_count(0)
    expect(page.locator("#stem")).to_have_value("My own other words, and more")
    kept = ItemDraft.objects.get(submitted_as=None)
    assert (kept.content["stem"], kept.item) == ("My own other words, and more", None)
    assert page.url.endswith(str(kept.client_id))
    assert Item.objects.get().state == State.IN_REVIEW
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('outbox:'))") == []


def test_it_keeps_them_when_the_window_has_gone_too(
    page: Page, live_server: LiveServer, cast: Cast, story: Story, open_sheet: Callable[[str], str]
) -> None:
    open_sheet(live_server.url)
    begin_and_hand_in_elsewhere(page, cast, story)
    page.context.set_offline(True)
    page.fill("#stem", "Typed on the train")
    expect(page.locator("#saved")).to_contain_text("saved on this device")
    page.close()
    back = page.context.new_page()
    back.context.set_offline(False)
    back.goto(f"{live_server.url}/p/{cast.project.slug}/write")
    notice = back.locator("[data-from=notice-late]")
    expect(notice.locator("[data-mine]")).to_contain_text("Typed on the train")
    notice.get_by_text("Keep mine as a new draft").click()
    expect(back.locator("#stem")).to_have_value("Typed on the train")
    assert ItemDraft.objects.get(submitted_as=None).content["stem"] == "Typed on the train"


def test_it_lets_two_windows_of_one_returned_item_choose(
    page: Page, live_server: LiveServer, cast: Cast, story: Story
) -> None:
    item = submit_draft(
        actor=cast.writer,
        draft=save_draft(
            actor=cast.writer, project=cast.project, story=story, task="commonsense",
            client_id=uuid.uuid4(), sequence=1, content=to_json(content()),
        ),
    )  # fmt: skip
    assert item.current is not None
    apply_verdict(
        actor=cast.reviewer,
        item=item,
        revision_id=wording(item).pk,
        to_state=State.RETURNED,
        cause=Cause.ALL_RETURN,
    )
    sign_in(page.context, live_server.url, cast.writer)
    address = f"{live_server.url}/p/{cast.project.slug}/write/item/{item.pk}"
    other = page.context.new_page()
    page.goto(address)
    other.goto(address)  # neither has saved: two ids, one item
    page.fill("#stem", "From the first window?")
    saved(page)
    other.fill("#stem", "From the second window?")
    notice = other.locator("[data-from=notice-stale]")
    expect(notice.locator("[data-other]")).to_contain_text("From the first window?")
    notice.locator("[data-keep]").click()
    expect(notice).to_have_count(0)
    until_saved(other, stem="From the second window?")
    living = ItemDraft.objects.get(submitted_as=None)
    assert living.item == item
    expect(other).to_have_url(f"{live_server.url}/p/{cast.project.slug}/write/draft/{living.client_id}")


def type_slowly(page: Page, words: str) -> None:
    page.keyboard.type(words, delay=20)


def kept_here(page: Page) -> None:
    expect(page.locator("#saved")).to_contain_text("saved on this device")


@pytest.mark.drill
def test_it_keeps_every_character_through_a_reload_without_a_line(
    page: Page, live_server: LiveServer, open_sheet: Callable[[str], str]
) -> None:
    open_sheet(live_server.url)
    page.focus("#stem")
    type_slowly(page, "Before the tunnel,")
    saved(page)
    address = page.url
    page.context.set_offline(True)
    type_slowly(page, " in the tunnel,")
    kept_here(page)
    type_slowly(page, " to the very last key ")
    with pytest.raises(Error, match="ERR_INTERNET_DISCONNECTED"):
        page.reload()
    page.context.set_offline(False)
    page.goto(address)
    words = "Before the tunnel, in the tunnel, to the very last key "
    assert page.input_value("#stem") == words
    until_saved(page, stem=words)


def test_it_goes_on_with_a_sheet_that_the_server_had_never_seen(
    page: Page, live_server: LiveServer, open_sheet: Callable[[str], str]
) -> None:
    address = open_sheet(live_server.url)
    # Chromium forgets `set_offline` while it shows that a page cannot be reached: the sheet would be sent.
    page.context.route("**/*", lambda route: route.abort("internetdisconnected"))
    page.focus("#stem")
    type_slowly(page, "Never sent")
    kept_here(page)
    with pytest.raises(Error, match="ERR_INTERNET_DISCONNECTED"):
        page.reload()
    page.context.unroute_all()
    page.goto(address)
    page.wait_for_url("**/write/draft/*")
    expect(page.locator("#stem")).to_have_value("Never sent")
    assert ItemDraft.objects.get().content["stem"] == "Never sent"


@pytest.mark.drill
def test_it_sends_what_other_sheets_left_once_from_the_desk(
    page: Page, site: KillableSite, cast: Cast, story: Story, open_sheet: Callable[[str], str]
) -> None:
    open_sheet(site.url)
    second = page.context.new_page()
    second.goto(f"{site.url}/p/{cast.project.slug}/write/story/{make_story(cast).pk}?new=1")
    site.kill()
    for window, words in ((page, "First sheet"), (second, "Second sheet")):
        window.focus("#stem")
        type_slowly(window, words)
        kept_here(window)
        type_slowly(window, " to the end")
    desk = page.context.new_page()
    page.close()
    second.close()
    assert not ItemDraft.objects.exists()
    site.start()
    for _visit in range(2):
        desk.goto(f"{site.url}/p/{cast.project.slug}/write")
        until(desk, "!Object.keys(localStorage).some((key) => key.startsWith('outbox:'))")
    stems = sorted(draft.content["stem"] for draft in ItemDraft.objects.all())
    assert stems == ["First sheet to the end", "Second sheet to the end"]


@pytest.mark.parametrize("keeps", [True, False])
def test_it_asks_before_leaving_only_where_words_would_be_lost(
    page: Page, live_server: LiveServer, open_sheet: Callable[[str], str], keeps: bool
) -> None:
    if not keeps:  # a browser that keeps nothing
        page.add_init_script("Storage.prototype.setItem = () => { throw new Error('full'); };")
    open_sheet(live_server.url)
    asked: list[str] = []

    def leave(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", leave)
    page.context.set_offline(True)
    page.focus("#stem")
    type_slowly(page, "Words")
    expect(page.locator("#saved")).to_contain_text("saved on" if keeps else "not saved yet")
    page.close(run_before_unload=True)
    page.wait_for_event("close")
    assert asked == ([] if keeps else ["beforeunload"])


@pytest.mark.drill
def test_it_loses_not_one_character_when_the_server_is_killed_while_somebody_types(
    page: Page, site: KillableSite, open_sheet: Callable[[str], str]
) -> None:
    open_sheet(site.url)
    page.focus("#stem")
    type_slowly(page, "While the server lives,")
    saved(page)
    type_slowly(page, " with a save on its way,")
    page.wait_for_timeout(1150)  # the next save leaves about now
    site.kill()
    type_slowly(page, " while it is dead,")
    kept_here(page)
    site.start()
    type_slowly(page, " and when it is back.")
    words = "While the server lives, with a save on its way, while it is dead, and when it is back."
    until_saved(page, stem=words)
    assert page.input_value("#stem") == words
    expect(page.locator("[data-from=notice-stale]")).to_have_count(0)
    page.reload()
    assert page.input_value("#stem") == words
    assert ItemDraft.objects.count() == 1


MOST_BYTES = 200_000
"""Of a page, and of all that it needs before it can be used, uncompressed: four seconds of 400 kbit/s."""


@pytest.mark.drill
def test_it_needs_little_before_it_can_be_used_on_a_slow_line(
    page: Page, live_server: LiveServer, cast: Cast, story: Story
) -> None:
    sign_in(page.context, live_server.url, cast.writer)
    line = page.context.new_cdp_session(page)
    line.send("Network.enable")
    line.send("Network.setCacheDisabled", {"cacheDisabled": True})
    bytes_a_second = 400_000 / 8
    line.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 400, "downloadThroughput": bytes_a_second,
         "uploadThroughput": bytes_a_second},
    )  # fmt: skip
    received: list[float] = []
    line.on("Network.loadingFinished", lambda event: received.append(event["encodedDataLength"]))
    page.goto(f"{live_server.url}/p/{cast.project.slug}/write/story/{story.pk}?new=1", wait_until="commit")
    page.locator("#stem").press_sequentially("W")
    until(page, "Object.keys(localStorage).some((key) => key.startsWith('outbox:'))", 30)
    assert sum(received) < MOST_BYTES
    until_saved(page, stem="W")
