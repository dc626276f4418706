"""A release in a real browser, from the first click to its files: gates are mended, every action undone."""

from __future__ import annotations

import os
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Item, State
from parable.splits import SPLITS
from release.models import Release, ReleaseDraft, ReleaseState
from tests.browser.entering import sign_in
from tests.browser.looking import LOCALES, SCHEMES, SIZES, look_at
from tests.factories import Cast, make_project
from tests.release.made import bring, grant_rights, record

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

STORIES: Final = 30
GENRES: Final = ("news", "sport", "letters")
LONG: Final = " as everybody in the wood had long known and often said"
TALLEST: Final = 2500
"""No page of the workspace is higher, in pixels, on a screen of 1280."""


def furnished(language: str = "en", *, share: int = 0) -> Cast:
    """Items, three of them twice, of stories without rights; a share of the keys is long, in percent."""
    cast = make_project(language=language)
    made = [record(story, number) for story in range(STORIES) for number in range(4)]
    items = [_with_long_key(one) if 100 * at < share * len(made) else one for at, one in enumerate(made)]
    items += [record(story, 0, "moral") for story in range(STORIES)]
    items += [replace(items[4 * story], id=f"twin-{story}") for story in range(3)]
    if language == "zh":
        items = [_in_chinese(one) for one in items]
    bring(cast, items)
    return cast


def _with_long_key(one: Any) -> Any:
    place = one.answer
    choices = [choice + LONG if at == place else choice for at, choice in enumerate(one.choices)]
    return replace(one, choices=tuple(choices))


def _in_chinese(one: Any) -> Any:
    """The same with Chinese words around, so that pages look as they do in use."""
    return replace(
        one,
        language="zh",
        title=f"狐狸与乌鸦 {one.title[5:]}",
        story=f"狐狸遇见了乌鸦。{one.story}",
        question=f"狐狸为什么这样做？{one.question}",
        choices=tuple(f"因为{choice}" for choice in one.choices),
    )


@pytest.fixture
def cast() -> Cast:
    return furnished()


@pytest.fixture
def desk(page: Page, live_server: LiveServer, cast: Cast, _tasks_run_at_once: None) -> Page:
    """The manager on the list of releases; jobs are done at once, where they are ordered."""
    sign_in(page.context, live_server.url, cast.manager)
    page.set_viewport_size(SIZES["wide"])
    page.goto(f"{live_server.url}/p/{cast.project.slug}/releases")
    return page


def _begin(page: Page) -> None:
    """From the list of releases to the gates of a draft."""
    page.get_by_role("link", name="Create release").last.click()
    page.get_by_role("button", name="Check gates").click()
    expect(page.locator("#step-title")).to_have_text("Gates")


def _row(page: Page, gate: str) -> Any:
    return page.locator(f"#gate-{gate}")


@pytest.mark.drill
def test_a_release_with_failing_gates_is_mended_built_and_downloaded(desk: Page, cast: Cast) -> None:
    _begin(desk)
    expect(desk.locator(".gate .verdict.wrong")).to_have_count(2)
    expect(desk.locator("#live .big")).to_have_text("153 items")
    _row(desk, "duplicates").get_by_role("button", name="Exclude 3").click()
    expect(desk.locator("#live .big")).to_have_text("150 items")
    expect(_row(desk, "duplicates").locator(".verdict").first).to_have_text("Passes")
    _row(desk, "rights").get_by_role("link", name="Override with reason").click()
    desk.fill("#reason-form textarea", "In the public domain since long.")
    desk.get_by_role("button", name="Override gate").click()
    expect(_row(desk, "rights").locator(".verdict").first).to_have_text("Overridden")
    expect(_row(desk, "rights").locator("blockquote")).to_contain_text(str(cast.manager))
    desk.get_by_role("link", name="Continue to settings").last.click()
    desk.fill("#id_seed", "12")
    desk.keyboard.press("Control+Enter")
    expect(desk.locator("#step-title")).to_have_text("Build")
    desk.get_by_role("button", name="Build 1.0.0").click()
    expect(desk.locator(".tabs [aria-current]")).to_contain_text("Files")
    release = Release.objects.get()
    assert (release.state, release.seed, release.items.count()) == (ReleaseState.READY, "12", 150)
    with desk.expect_download() as coming:
        desk.get_by_role("link", name="Download 1.0.0").click()
    with zipfile.ZipFile(coming.value.path()) as packed:
        card = next(name for name in packed.namelist() if name.endswith("README.md"))
        assert f"In the public domain since long. ({cast.manager})" in packed.read(card).decode()
    for tab in ("Files", "Gates", "Card", "Reports"):
        desk.locator(".tabs").get_by_role("link", name=tab).click()
        expect(desk.locator(".tabs [aria-current]")).to_contain_text(tab)
        faults = [look_at(desk, f"built-{tab}", language, "wide") for language in LOCALES]
        assert faults == [[], []], tab
        _pictures(desk, f"built-{tab}")
        desk.set_viewport_size(SIZES["wide"])


@pytest.mark.drill
def test_a_release_is_split_in_three_by_shares_within_each_genre(desk: Page, cast: Cast) -> None:
    grant_rights(cast)
    for index, genre in enumerate(GENRES):
        of_genre = [f"tale-{number}" for number in range(10 * index, 10 * index + 10)]
        cast.project.stories.filter(ref__in=of_genre).update(genre=genre)
    _begin(desk)
    _row(desk, "duplicates").get_by_role("button", name="Exclude 3").click()
    expect(desk.locator("#live .big")).to_have_text("150 items")
    desk.get_by_role("link", name="Continue to settings").last.click()
    desk.get_by_label("Train share").fill("0.8")
    desk.get_by_role("button", name="Save and continue").click()
    expect(desk.get_by_text("Train and dev come to 1. They must leave").first).to_be_visible()
    desk.get_by_label("Train share").fill("0.7")
    desk.get_by_label("Dev share").fill("0.1")
    desk.get_by_role("button", name="Save and continue").click()
    expect(desk.locator("#step-title")).to_have_text("Build")
    expect(desk.locator("#live")).to_contain_text("train 0.7 + dev 0.1 + test 0.2, together 1")
    for genre in GENRES:
        expect(desk.locator("#live tr", has_text=genre).locator("td")).to_have_text(["7", "1", "2", "10"])
    faults = [look_at(desk, "three-splits", "en", size) for size in SIZES]
    assert faults == [[]] * len(faults)
    desk.set_viewport_size(SIZES["wide"])
    desk.get_by_role("button", name="Build 1.0.0").click()
    expect(desk.locator(".tabs [aria-current]")).to_contain_text("Files")
    with desk.expect_download() as coming:
        desk.get_by_role("link", name="Download 1.0.0").click()
    with zipfile.ZipFile(coming.value.path()) as packed:
        names = {name.partition("/")[2] for name in packed.namelist()}
    assert {f"{split}/commonsense.jsonl" for split in SPLITS} <= names
    assert not [name for name in names if name.startswith("crmus/")]


@pytest.mark.drill
def test_every_action_on_a_gate_can_be_undone(desk: Page, cast: Cast) -> None:
    _begin(desk)
    twins = _row(desk, "duplicates")
    twins.get_by_role("button", name="Exclude 3").click()
    expect(desk.locator("#live .big")).to_have_text("150 items")
    _row(desk, "duplicates").get_by_role("button", name="Include 3 again").click()
    expect(desk.locator("#live .big")).to_have_text("153 items")
    expect(_row(desk, "duplicates").locator(".verdict").first).to_have_text("Fails")
    _row(desk, "rights").get_by_role("link", name="Override with reason").click()
    desk.get_by_role("button", name="Override gate").click()
    expect(desk.locator("#reason-form")).to_contain_text("Give a reason.")
    desk.fill("#reason-form textarea", "In the public domain since long.")
    desk.get_by_role("button", name="Override gate").click()
    expect(_row(desk, "rights").locator(".verdict").first).to_have_text("Overridden")
    _row(desk, "rights").get_by_role("button", name="Remove override").click()
    expect(_row(desk, "rights").locator(".verdict").first).to_have_text("Fails")


def test_the_reason_being_typed_is_what_ctrl_and_enter_send(desk: Page, cast: Cast) -> None:
    _begin(desk)
    _row(desk, "rights").get_by_role("link", name="Override with reason").click()
    expect(desk.locator("[data-primary]")).to_have_count(1)
    desk.locator("#reason-form textarea").click()
    desk.keyboard.type("In the public domain since long.")
    desk.keyboard.press("Control+Enter")
    expect(_row(desk, "rights").locator(".verdict").first).to_have_text("Overridden")
    expect(_row(desk, "rights").locator("blockquote")).to_contain_text("In the public domain since long.")


@pytest.mark.drill
def test_items_are_chosen_from_a_list_and_taken_in_again(desk: Page, cast: Cast) -> None:
    _begin(desk)
    _row(desk, "duplicates").get_by_role("link", name="Show 6 items").click()
    expect(desk.locator("tbody tr")).to_have_count(6)
    desk.locator("tbody input").nth(1).check()
    desk.get_by_role("button", name="Exclude selected").click()
    expect(desk.locator("#live .big")).to_have_text("152 items")
    desk.locator("#live").get_by_role("link", name="1", exact=True).click()
    desk.locator("tbody input").first.check()
    desk.keyboard.press("Control+Enter")
    expect(desk.locator(".empty")).to_contain_text("No items here.")
    desk.get_by_role("link", name="Back to gates").first.click()
    expect(desk.locator("#live .big")).to_have_text("153 items")


@pytest.mark.drill
def test_what_was_excluded_is_said_where_one_is(desk: Page, cast: Cast) -> None:
    _begin(desk)
    _row(desk, "duplicates").get_by_role("link", name="Show 6 items").click()
    desk.get_by_label("Select all on this page").check()
    expect(desk.locator("tbody input:checked")).to_have_count(6)
    desk.get_by_role("button", name="Exclude selected").click()
    expect(desk.get_by_text("6 items excluded.", exact=True)).to_be_in_viewport()
    desk.mouse.wheel(0, 2000)
    expect(desk.get_by_text("6 items excluded.", exact=True)).to_be_in_viewport()


@pytest.mark.drill
def test_single_items_are_excluded_though_no_gate_names_them(desk: Page, cast: Cast) -> None:
    _begin(desk)
    desk.locator("#live").get_by_role("link", name="153 items").click()
    expect(desk.locator("tbody tr")).to_have_count(50)
    desk.locator("tbody input").nth(1).check()
    desk.get_by_role("button", name="Exclude selected").click()
    expect(desk.get_by_text("1 item excluded.", exact=True)).to_be_in_viewport()
    desk.get_by_role("link", name="Back to gates").first.click()
    expect(desk.locator("#live .big")).to_have_text("152 items")


@pytest.mark.drill
def test_items_are_returned_for_review_with_a_reason(desk: Page, cast: Cast) -> None:
    _begin(desk)
    _row(desk, "duplicates").get_by_role("link", name="Return for review").click()
    desk.fill("#reason-form textarea", "It repeats another item.")
    desk.get_by_role("button", name="Return 3 items").click()
    expect(desk.locator("#live .big")).to_have_text("150 items")
    assert Item.objects.filter(state=State.IN_REVIEW).count() == 3
    expect(_row(desk, "duplicates").locator(".verdict").first).to_have_text("Passes")


@pytest.mark.drill
def test_selected_items_are_returned_and_an_idle_override_is_removed(desk: Page, cast: Cast) -> None:
    _begin(desk)
    _row(desk, "duplicates").get_by_role("link", name="Show 6 items").click()
    desk.locator("tbody input").nth(1).check()
    desk.get_by_role("button", name="Return selected for review").click()
    expect(desk.get_by_text("Enter what to revise")).to_be_visible()
    desk.get_by_label("Reason").fill("It repeats another item.")
    desk.get_by_role("button", name="Return selected for review").click()
    expect(desk.locator("#live .big")).to_have_text("152 items")
    expect(desk.get_by_text("Enter what to revise")).to_have_count(0)
    assert Item.objects.filter(state=State.IN_REVIEW).count() == 1
    _row(desk, "rights").get_by_role("link", name="Override with reason").click()
    desk.fill("#reason-form textarea", "In the public domain since long.")
    desk.get_by_role("button", name="Override gate").click()
    expect(_row(desk, "rights").locator(".verdict").first).to_have_text("Overridden")
    gates = desk.url
    desk.locator(".steps").get_by_role("link", name="Contents").click()
    grant_rights(cast)
    desk.goto(gates)
    desk.get_by_role("button", name="Check again").click()
    expect(_row(desk, "rights").locator(".verdict").first).to_have_text("Passes")
    desk.get_by_role("button", name="Remove override").click()
    expect(desk.get_by_role("button", name="Remove override")).to_have_count(0)


def test_the_stories_behind_a_gate_are_shown(desk: Page, cast: Cast) -> None:
    _begin(desk)
    _row(desk, "rights").get_by_role("link", name="Show stories").click()
    expect(desk.get_by_text("Rights: unknown")).to_be_visible()
    expect(desk.locator("[data-row]")).to_have_count(25)


def test_wrong_settings_stay_as_typed_and_say_where(desk: Page, cast: Cast) -> None:
    _begin(desk)
    desk.locator(".steps").get_by_role("link", name="Settings").click()
    desk.fill("#id_dev_share", "1.5")
    desk.fill("#id_contact", "errors@example.org")
    desk.keyboard.press("Control+Enter")
    expect(desk.locator("#wishes")).to_contain_text("between 0 and 1")
    expect(desk.locator("#id_dev_share")).to_have_value("1.5")
    desk.locator(".steps").get_by_role("link", name="Build").click()
    expect(desk.get_by_role("button", name="Build 1.0.0")).to_be_disabled()
    desk.locator(".steps").get_by_role("link", name="Settings").click()
    expect(desk.locator("#id_dev_share")).to_have_value("1.5")
    expect(desk.locator("#id_contact")).to_have_value("errors@example.org")
    expect(desk.locator("#wishes")).to_contain_text("between 0 and 1")


@pytest.mark.drill
def test_a_mixed_split_asks_how_many_stories_are_wholly_in_dev(desk: Page, cast: Cast) -> None:
    _begin(desk)
    desk.locator(".steps").get_by_role("link", name="Settings").click()
    expect(desk.locator("#id_out_stories")).to_be_hidden()
    desk.get_by_label("whole and shared stories").check()
    desk.fill("#id_out_stories", "20")
    desk.fill("#id_dev_moral", "7")
    desk.keyboard.press("Control+Enter")
    expect(desk.locator("#wishes")).to_contain_text("room for at most")
    faults = [look_at(desk, "mixed", "en", screen) for screen in SIZES]
    assert faults == [[]] * len(SIZES)
    _pictures(desk, "mixed")
    desk.set_viewport_size(SIZES["wide"])
    desk.fill("#id_out_stories", "3")
    desk.keyboard.press("Control+Enter")
    expect(desk.locator("#step-title")).to_have_text("Build")
    expect(desk.locator(".figures").first).to_contain_text("whole and shared stories")
    expect(desk.locator("#live tbody tr").filter(has_text="moral").locator("td")).to_have_text(
        ["7", "23", "30"]
    )


def test_a_discarded_draft_is_restored(desk: Page, cast: Cast) -> None:
    _begin(desk)
    desk.get_by_role("button", name="Discard draft").click()
    expect(desk.locator("h1 + .chip")).to_contain_text("Discarded")
    desk.get_by_role("button", name="Restore draft").click()
    expect(desk.locator("h1 + .chip")).to_contain_text("Draft")


@pytest.mark.drill
@pytest.mark.usefixtures("_tasks_run_at_once")
@pytest.mark.parametrize("language", LOCALES)
def test_it_can_be_read_by_everybody_and_no_page_is_long(
    browser: Browser, live_server: LiveServer, language: str
) -> None:
    cast = furnished(language, share=40)
    client = Client()
    client.force_login(cast.manager)
    client.post(f"/p/{cast.project.slug}/releases/new", {"version": "1.0.0", "min_rating": "0"})
    draft = ReleaseDraft.objects.get()
    context = browser.new_context(locale=LOCALES[language], reduced_motion="reduce")
    name = settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": live_server.url}])
    page = context.new_page()
    base = f"{live_server.url}/p/{cast.project.slug}/releases"
    here = f"{base}/drafts/{draft.pk}"
    found = {}
    for name, address in {
        "new": f"{base}/new",
        "contents": f"{here}/contents",
        "gates": f"{here}/gates",
        "override": f"{here}/gates?form=override&gate=rights&task=",
        "return": f"{here}/gates?form=return&gate=duplicates&task=",
        "settings": f"{here}/settings",
        "build": f"{here}/build",
        "items": f"{here}/items?gate=duplicates&task=",
    }.items():
        page.goto(address)
        for screen in SIZES:
            found[name, screen] = look_at(page, f"workspace-{name}", language, screen)
            if screen == "wide" and page.evaluate("document.documentElement.scrollHeight") > TALLEST:
                found[name, screen].append("too high")
        _pictures(page, f"{name}-{language}")
    context.close()
    assert {key: faults for key, faults in found.items() if faults} == {}


def _pictures(page: Page, name: str) -> None:
    """Pictures in both schemes, where PICTURES_FOLDER names a folder for them."""
    folder = os.environ.get("PICTURES_FOLDER")
    for screen in SIZES if folder else ():
        for scheme in SCHEMES:
            page.set_viewport_size(SIZES[screen])
            page.emulate_media(color_scheme=scheme)
            page.screenshot(path=Path(folder or "") / f"{name}-{screen}-{scheme}.png", full_page=True)
