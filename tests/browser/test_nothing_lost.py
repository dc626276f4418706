"""Nothing typed is lost: other windows, no line, a killed server; all in a real browser."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from annotation.content import to_json
from annotation.models import Cause, Item, ItemDraft, State
from annotation.services import apply_verdict, save_draft, submit_draft
from corpus.models import Story
from tests.browser.killable import KillableSite
from tests.factories import Cast, content, make_project, make_story

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SOON_MS = 6000
AGAIN_MS = 15_000


@pytest.fixture
def cast() -> Cast:
    return make_project()


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


def sign_in(context: BrowserContext, address: str, user: User) -> None:
    client = Client()
    client.force_login(user)
    name = settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": address}])


@pytest.fixture
def open_sheet(page: Page, cast: Cast, story: Story) -> Callable[[str], str]:
    """Open an empty sheet before the writer, on the server at that address."""

    def open_on(url: str) -> str:
        sign_in(page.context, url, cast.writer)
        address = f"{url}/p/{cast.project.slug}/write/story/{story.pk}?new=1"
        page.goto(address)
        return address

    return open_on


def saved(page: Page) -> None:
    expect(page.locator("#saved")).to_contain_text("saved", timeout=SOON_MS)


def begin_and_hand_in_elsewhere(page: Page, cast: Cast, story: Story) -> ItemDraft:
    """A draft begun on this page and handed in, whole, while the page stays open."""
    page.fill("#stem", "Begun here")
    saved(page)
    draft = ItemDraft.objects.get()
    done = save_draft(
        actor=cast.writer, project=cast.project, story=story, task="commonsense",
        client_id=draft.client_id, sequence=draft.sequence + 5, content=to_json(content()),
    )  # fmt: skip
    submit_draft(actor=cast.writer, draft=done)
    return done


def test_it_keeps_words_whose_draft_was_handed_in_elsewhere(
    page: Page, live_server: LiveServer, cast: Cast, story: Story, open_sheet: Callable[[str], str]
) -> None:
    open_sheet(live_server.url)
    begin_and_hand_in_elsewhere(page, cast, story)
    page.fill("#stem", "My own other words")
    notice = page.locator("[data-from=notice-late]")
    expect(notice.locator("[data-mine]")).to_contain_text("My own other words", timeout=SOON_MS)
    expect(notice.locator("[data-other]")).to_contain_text("Why did the hare fall asleep?")
    page.fill("#stem", "My own other words, and more")
    notice.get_by_text("Keep my words as a new draft").click()
    expect(page.locator("[data-from=notice-late]")).to_have_count(0, timeout=SOON_MS)
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
    expect(page.locator("#saved")).to_contain_text("kept on this device", timeout=SOON_MS)
    page.close()
    back = page.context.new_page()
    back.context.set_offline(False)
    back.goto(f"{live_server.url}/p/{cast.project.slug}/write")
    notice = back.locator("[data-from=notice-late]")
    expect(notice.locator("[data-mine]")).to_contain_text("Typed on the train", timeout=SOON_MS)
    notice.get_by_text("Keep my words as a new draft").click()
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
        actor=cast.reviewer, item=item, revision=item.current, to_state=State.RETURNED, cause=Cause.ALL_RETURN
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
    expect(notice.locator("[data-other]")).to_contain_text("From the first window?", timeout=SOON_MS)
    notice.locator("[data-keep]").click()
    expect(notice).to_have_count(0)
    saved(other)
    living = ItemDraft.objects.get(submitted_as=None)
    assert (living.content["stem"], living.item) == ("From the second window?", item)
    expect(other).to_have_url(f"{live_server.url}/p/{cast.project.slug}/write/draft/{living.client_id}")
