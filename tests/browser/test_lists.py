"""The five long lists in a browser: every action on many rows, with its undoing, and saved views of each.

What is pressed comes from the lists themselves: a new action fails here until `SAID` has what it says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from annotation.models import Item, WritingAssignment
from annotation.services import hold_back_stories, record_exposure
from corpus.models import Story
from dashboard.views.list_page import ListPage
from dashboard.views.long_list import LISTS
from evaluation.models import Run
from generation.models import Purpose
from generation.services import create_template, paste_answer
from jobs.models import Call, CallState, EndpointKind
from jobs.services import create_endpoint, pause_job
from parable.llm.stub import StubServer
from projects.models import Membership, Role
from review.models import Priority, ReviewRequest
from review.services import set_priority
from tests.browser.entering import sign_in
from tests.dashboard.test_item_list import move
from tests.evaluation.measuring import Bench, make_bench
from tests.factories import Cast, content, make_story, submit_item
from web.downloads import CSV, JSON, XLSX
from web.long_list import Action

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SAID: Final[dict[str, dict[str, str]]] = {
    "items": {
        "return": "2 items sent for re-review.",
        "send_back": "2 items returned to their writers.",
        "export": "-items",
        "assign": "2 items assigned to Wu Writer.",
        "first": "1 item will be reviewed first.",
        "normal": "1 item will be reviewed in normal order.",
        "retire": "2 items retired.",
    },
    "stories": {
        "assign": "4 stories assigned to Wu Writer.",
        "export": "-stories",
        "hold_back": "3 stories held back",
        "release": "1 story available to writers.",
        "first": "The items of 1 story will be reviewed first.",
        "normal": "The items of 1 story will be reviewed in normal order.",
        "group": "4 stories grouped.",
        "rights": "Rights and genre of 4 stories saved.",
    },
    "candidates": {"export": "-candidates"},
    "runs": {
        "retry": "Failed calls of 1 run are sent again.",
        "export": "-runs",
        "pause": "2 runs paused.",
        "resume": "1 run resumed.",
        "cancel": "3 runs cancelled.",
    },
    "members": {
        "give_role": "3 members have the role reviewer now.",
        "take_role": "1 member no longer has the role reviewer.",
        "export": "-members",
    },
}
"""What each action of each list says when it is done to all rows that can take it; of an export, its file."""
QUERY: Final = {"items": "q=pebble", "stories": "q=%E7%9F%B3%E5%AD%90"}
"""What some lists are narrowed to first; they come back narrowed."""
PATHS: Final = ("", "", "in_verification verified", "in_verification verified", "returned", "returned")
OPEN_STATES: Final = ("pending", "running")


@dataclass(frozen=True, slots=True)
class Site:
    """A project in which every action of every list can be done to some rows."""

    server: LiveServer
    bench: Bench

    @property
    def cast(self) -> Cast:
        """Its people; the manager is signed in."""
        return self.bench.cast

    def address(self, shown: ListPage, query: str = "") -> str:
        """A list as it is asked for."""
        return f"{self.server.url}{reverse(shown.route, args=[self.cast.project.slug])}?{query}"


@pytest.fixture
def site(live_server: LiveServer, stub: StubServer, seen_as: Callable[[User], None]) -> Site:
    bench = make_bench(stub)
    _write(bench.cast)
    _paste_candidates(bench)
    _run(bench)
    Membership.objects.create(project=bench.cast.project, user=bench.cast.verifier, role=Role.REVIEWER)
    seen_as(bench.cast.manager)
    return Site(live_server, bench)


def _write(cast: Cast) -> None:
    """Four stories with items in every state; one story is held back, the item of one is reviewed first."""
    stories = [
        make_story(cast, title=f"The Crow {number}", text=f"A crow dropped pebble {number}. 石子沉到罐底。")
        for number in range(4)
    ]
    for number, path in enumerate(PATHS):
        words = content(f"Why did the crow drop pebble {number}?", "To raise it", "B", "C", "D", key=0)
        item = submit_item(cast, story=stories[min(number, 2)], words=words)
        for state in path.split():
            move(item, state, cast)
    first = Item.objects.filter(story=stories[1])
    set_priority(actor=cast.manager, project=cast.project, items=first, priority=Priority.FIRST)
    hold_back_stories(actor=cast.manager, project=cast.project, stories=[stories[3].pk], is_held_back=True)


def _paste_candidates(bench: Bench) -> None:
    cast, story = bench.cast, Story.objects.order_by("pk")[0]
    manual = create_endpoint(
        actor=cast.manager, project=cast.project, kind=EndpointKind.MANUAL, name="By hand", model="m"
    )
    template = create_template(
        actor=cast.writer,
        project=cast.project,
        name="Two",
        text="{story} {n}",
        purpose=Purpose.FREE,
        wanted=2,
    )
    paste_answer(
        actor=cast.writer, story=story, template=template, endpoint=manual, model="m", answer="1. A\n2. B"
    )
    record_exposure(actor=cast.manager, story=story)


def _run(bench: Bench) -> None:
    """A run that waits, one that is paused, and one of which a call has failed."""
    bench.order(bench.model("stub-waits"))
    paused = bench.order(bench.model("stub-pauses"))
    assert paused.job is not None
    pause_job(actor=bench.cast.manager, job=paused.job)
    broken = bench.ran(bench.model("stub-breaks"), sample_size=1)
    Call.objects.filter(job=broken.job).update(state=CallState.FAILED)


def _state(project: int) -> list[object]:
    """All that an action of a list can change."""
    open_requests = ReviewRequest.objects.filter(project=project, state="open").order_by(
        "item", "stage", "number"
    )
    runs = Run.objects.filter(release__project=project, job__isnull=False).order_by("pk")
    states = runs.values_list("pk", "job__state")
    return [
        list(Item.objects.filter(project=project).order_by("pk").values_list("pk", "state", "writer")),
        list(open_requests.values_list("item", "stage", "number", "priority")),
        list(Story.objects.order_by("pk").values_list("pk", "group", "rights", "places__is_held_back")),
        list(
            WritingAssignment.objects.filter(given_back_at=None).values_list("story", "writer").order_by("pk")
        ),
        [(run, "open" if state in OPEN_STATES else state) for run, state in states],
        Call.objects.filter(state=CallState.FAILED).count(),
        sorted(Membership.objects.filter(project=project).values_list("user", "role")),
    ]


def _export(page: Page, text: str) -> None:
    for kind in (CSV, XLSX, JSON):
        with page.expect_download() as file:
            page.get_by_role("button", name=kind.upper()).click()
        assert file.value.suggested_filename.endswith(f"{text}.{kind}")


def _begin(page: Page, action: Action) -> None:
    """Select all rows and press the action: by its key where it has one."""
    page.locator("[data-rows]").check()
    button = page.locator(f"button[name=verb][value={action.verb}]")
    expect(button).to_be_enabled()
    if action.key:
        page.keyboard.press(action.key)
    else:
        button.click()


def _confirm(page: Page, action: Action) -> None:
    """Give what the action's page asks for, and send it."""
    page.wait_for_url("**/bulk")
    if "reason" in action.asks:
        page.get_by_label("Reason").fill("Too easy.")
    if "receiver" in action.asks:
        page.get_by_label("Writer").select_option(label="Wu Writer")
    if "rights" in action.asks:
        page.get_by_label("Rights").fill("With leave of the heirs")
    if "role" in action.asks:
        page.get_by_label("Role").select_option(Role.REVIEWER)
    page.keyboard.press("Control+Enter")


def _carry_out(page: Page, project: int, action: Action, text: str) -> None:
    """Do it to all rows that can take it, and undo it by the key; what cannot be undone offers no undoing."""
    before = _state(project)
    _begin(page, action)
    if not action.at_once:
        _confirm(page, action)
    expect(page.get_by_role("status")).to_contain_text(text)
    assert _state(project) != before, action.verb
    if action.is_final:
        expect(page.get_by_role("button", name="Undo")).to_have_count(0)
        return
    page.keyboard.press("u")
    expect(page.get_by_role("status")).to_contain_text("Undone for")
    assert _state(project) == before, action.verb


@pytest.mark.drill
def test_every_action_of_every_list_is_done_and_undone(page: Page, site: Site) -> None:
    pressed = {name: {action.verb for action in shown.actions} for name, shown in LISTS.items()}
    assert pressed == {name: set(said) for name, said in SAID.items()}
    for name, shown in LISTS.items():
        address = site.address(shown, QUERY.get(name, ""))
        for action in shown.actions:
            page.goto(address)
            if action.for_all and not action.done:
                _begin(page, action)
                _export(page, SAID[name][action.verb])
            else:
                _carry_out(page, site.cast.project.pk, action, SAID[name][action.verb])
                assert page.url.rstrip("?") == address.rstrip("?")


@pytest.mark.drill
def test_views_of_every_list_are_saved_shared_and_deleted(page: Page, site: Site, browser: Browser) -> None:
    Membership.objects.create(project=site.cast.project, user=site.cast.verifier, role=Role.MANAGER)
    context = browser.new_context(locale="en")
    sign_in(context, site.server.url, site.cast.verifier)
    colleague = context.new_page()
    for shown in LISTS.values():
        column = next(one for one in shown.listing(site.cast.manager, site.cast.project).columns if one.sort)
        wanted = site.address(shown, f"sort=-{column.name}")
        for name, is_shared in (("Mine", False), ("Ours", True)):
            page.goto(wanted if is_shared else site.address(shown, "q=crow"))
            page.get_by_role("button", name="Save view").click()
            page.get_by_label("Name", exact=True).fill(name)
            page.get_by_label("Share with the project").set_checked(is_shared)
            page.get_by_role("button", name="Save", exact=True).click()
            expect(page.get_by_text(f"View “{name}” saved.")).to_be_visible()
        colleague.goto(site.address(shown))
        views = colleague.get_by_role("navigation", name="Saved views")
        expect(views.get_by_role("link", name="Mine")).to_have_count(0)
        views.get_by_role("link", name="Ours").click()
        expect(colleague.locator("th[aria-sort=descending]")).to_have_count(1)
        assert colleague.url == wanted
        colleague.get_by_role("button", name="Delete view").click()
        expect(views.get_by_role("link", name="Ours")).to_have_count(0)
        page.goto(site.address(shown))
        page.get_by_role("link", name="Mine", exact=True).click()
        expect(page.locator("#find [name=q]")).to_have_value("crow")
    context.close()
