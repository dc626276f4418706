"""Every form of the site, sent by a real browser: each arrives at a view that takes it.

It opens what a writer and a manager meet in use, and in a project with one of everything every page of every
person; a form is known by the route it goes to, its fields and its button, and is sent once. What comes of it
is looked at for more. Who adds a route that takes a form, and has it sent by none of these pages, says in
SENT_ELSEWHERE what sends it.
"""

from __future__ import annotations

import logging
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final
from typing import cast as taken_as

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, FilePayload
from pytest_django import DjangoDbBlocker
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from accounts.services import make_reset_link
from jobs.models import AllowedHost, KeyBinding
from jobs.services import bind_key
from parable.llm.stub import StubServer
from projects.models import Role
from projects.queries import current_guideline
from projects.services import acknowledge_guideline, invite_people
from tests.access.routes import routes, site_objects
from tests.access.test_matrix import ACCESS
from tests.access.world import make_world
from tests.browser.entering import sign_in
from tests.browser.forms import Form, Found, OpenForm, forms_here, forms_in, route_at, send
from tests.browser.whole_site import Site, furnish, standing_site
from tests.browser.writer_pages import PAGES
from tests.factories import PASSWORD, Cast, content, make_user, submit_item

pytestmark = [pytest.mark.drill, pytest.mark.browser]

ALIKE: Final = 2
"""So many pages of a route are opened of all that links lead to."""

TRIES: Final = 3
"""So many pages are opened in search of a form that was there before others were sent."""

FIRST: Final = ("review:postpone", "review:skip", "release:draft_settings")
"""Routes that need what the others use up or change."""

LAST: Final = (
    *("annotation:give_back", "annotation:withdraw", "annotation:end_pilot"),
    *("dashboard:handover", "dashboard:undo_handover", "dashboard:end_reservation"),
    *("jobs:cancel", "generation:discard_key", "generation:retire", "jobs:unbind_key", "jobs:withdraw_host"),
    *("projects:retire_type", "review:retire_practice", "events:delete"),
    *("release:revoke_team", "evaluation:withdraw_seat", "release:withdraw"),
    *("account_logout", "accounts:end_sessions", "account_login", "account_reauthenticate"),
    *("accounts:reset", "account_change_password", "projects:reset_link", "accounts:reset_link"),
    *("projects:invite_accept", "projects:revoke", "projects:remove_member"),
    *("dashboard:close_other_account", "dashboard:close_account"),
)
"""Routes that take something away, in the order in which the rest can bear it."""

PASSED_OVER: Final = frozenset(
    {
        *("dashboard:bulk", "review:create_practice", "corpus:decide_group", "dashboard:confirm_groups"),
        *("annotation:audit", "annotation:audited"),
    }
)
"""Routes whose buttons are there for selected rows alone, or until another decides what they are about;
and the check of a file, whose form sends itself.
"""

THROWS_AWAY: Final = ("forget=", "do=discard", "clear=")

VALUES: Final = {
    **dict.fromkeys(("password", "oldpassword", "password1", "password2", "again"), PASSWORD),
    "confirm": "yes",
}

STORIES: Final = (
    b"id,title,text,moral,source,rights\nnew-1,The Lion,A lion spared a mouse.,Be kind.,Aesop,CC BY 4.0\n"
)
FILES: Final[dict[str, FilePayload]] = {
    "corpus:import_stories": {"name": "stories.csv", "mimeType": "text/csv", "buffer": STORIES},
}
OTHER_FILE: Final[FilePayload] = {"name": "lines.jsonl", "mimeType": "text/plain", "buffer": b"{}\n"}

TWINS: Final = (
    {"generation:prompt", "generation:new_prompt"},
    {"release:build", "release:draft_contents"},
    {"release:exclude_items", "release:include_items", "release:remove_override"},
    {"events:webhooks", "events:webhook"},
    {"account_reauthenticate", "dashboard:close_account"},
)
"""Views that take the same form: of a new thing and of one that is there, of a gate and its way back, or of
a password that is asked for again.
"""

_FACTOR: Final = "where second factors are on: tests/accounts/test_second_factor"
_PROVIDER: Final = "where a provider signs people in: tests/accounts/test_provider"
SENT_ELSEWHERE: Final = {
    "accounts:reset_second_factor": _FACTOR,
    "accounts:stop_mail": "from a mail: tests/browser/test_inbox",
    "annotation:audit": "as soon as a file is chosen: test_file_audit",
    "annotation:audited": "of a file that is checked: test_file_audit",
    "annotation:changes": "what is changed on the sheet, asked for as it opens: test_conversation",
    "annotation:contest": "of a rejected item: test_conversation",
    "corpus:decide_group": "of stories that are similar: test_stories",
    "dashboard:bulk": "of rows that are selected: test_item_list",
    "dashboard:confirm_groups": "of stories that are similar: test_seldom",
    "dashboard:undo_bulk": "of what was done to selected rows: test_item_list",
    "evaluation:compare_probe": "of a run on partial inputs: tests/evaluation/test_partial_inputs",
    "evaluation:import_team_upload": "of what a team sent: tests/kinds/test_teams",
    "evaluation:retry_import": "of a file that nobody has read for long: tests/evaluation/test_importing",
    "generation:by_hand": "needs a model that is asked by hand: test_candidates",
    "generation:checks": "asked for by script: test_candidates",
    "generation:discard_key": "of a key that is stored on the site: test_seldom",
    "generation:stem_options": "needs the sheet of the desk around it: test_candidates",
    "jobs:retry": "of a job with failed calls: test_batches",
    "mfa_activate_totp": _FACTOR,
    "mfa_authenticate": _FACTOR,
    "mfa_deactivate_totp": _FACTOR,
    "mfa_download_recovery_codes": _FACTOR,
    "mfa_generate_recovery_codes": _FACTOR,
    "mfa_reauthenticate": _FACTOR,
    "openid_connect_callback": _PROVIDER,
    "openid_connect_login": _PROVIDER,
    "projects:restore_member": "just after somebody was removed: test_seldom",
    "release:draft_build": "of a draft whose gates pass: test_release_workspace",
    "release:override_gate": "of a gate that fails: test_release_workspace",
    "release:return_items": "of a gate that fails: test_release_workspace",
    "release:retry": "of a release that nobody works on: test_seldom",
    "review:claim_verify": "of items that passed review: tests/flows/test_browser_flow",
    "review:create_practice": "of items that are settled: tests/review/test_practice_items",
    "review:name_deputy": "of an item to rule on: tests/review/test_substitutes",
    "review:resume": "of a lease that has lapsed: tests/review/test_claim",
    "review:ruling": "of items that reviewers disagree on: tests/flows/test_browser_flow",
    "review:take_as_deputy": "of a deputy who was named: tests/review/test_substitutes",
    "review:undo": "of a verdict that was just sent: test_review",
    "set_language": "Django's own, to which accounts:switch_language hands on",
}
"""Pages that no form of this sweep is sent to, and what sends them one."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who opens these pages, and those that their links lead to if they follow them."""

    name: str
    user: User | None
    starts: tuple[str, ...]
    follows: bool = True


@dataclass(slots=True)
class Sweep:
    """What was found and sent: for each form who sees it where, and what was wrong when it was sent."""

    address: str
    browser: Browser
    takers: set[str]
    seen: dict[Form, list[tuple[Person, str]]] = field(default_factory=dict)
    faults: dict[Form, list[str]] = field(default_factory=dict)
    before: dict[Form, Form] = field(default_factory=dict)
    sheets: dict[str, OpenForm] = field(default_factory=dict)

    def look(self, people: list[Person]) -> None:
        """Find the forms of all pages that these people can open."""
        reader = self.browser.new_page()
        for person in people:
            pages = _pages(person)
            for address, forms in zip(pages, forms_in(reader, pages.items()), strict=True):
                self._note(person, address, forms)
        reader.close()

    def send_all(self) -> None:
        """Send each form that was found, and those on the pages that come of it."""
        while waiting := [form for form in self.seen if form not in self.faults]:
            form = min(waiting, key=_turn)
            if at := self._reach(form):
                self._send_on(*at)
            else:
                self.faults[form] = [f"it is gone from {self.seen[form][0][1]}"]

    def _note(self, person: Person, address: str, forms: list[Found], after: Form | None = None) -> None:
        """Keep where these forms are, and what was sent before they came."""
        for one in forms:
            if one.form.route in PASSED_OVER:
                continue
            self.seen.setdefault(one.form, []).append((person, address))
            if after and one.form != after:
                self.before.setdefault(one.form, after)

    def _reach(self, form: Form, *, deep: int = 2) -> tuple[Person, Found] | None:
        """Open a page with this form; if all have lost it, send once more what it came of."""
        for person, address in self.seen[form][:TRIES]:
            sheet = self._sheet(person, anew=form.route in LAST)
            sheet.page.goto(f"{self.address}{address}")
            if found := next((one for one in forms_here(sheet) if one.form == form), None):
                return person, found
        parent = self.before.get(form)
        if not parent or not deep or not (at := self._reach(parent, deep=deep - 1)):
            return None
        self._send(*at)
        here = forms_here(self.sheets[at[0].name])
        return next(((at[0], one) for one in here if one.form == form), None)

    def _send_on(self, person: Person, found: Found) -> None:
        """Send a form of the open page, then another of the page that follows, and so on."""
        sheet = self.sheets[person.name]
        todo: Found | None = found
        while todo:
            if todo.form.route == "account_login":
                sheet.page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
            self.faults[todo.form] = self._send(person, todo)
            here = forms_here(sheet)
            rest = sheet.page.url.removeprefix(self.address)
            if rest.startswith("/"):
                self._note(person, rest, here, todo.form)
            unsent = [one for one in here if one.form not in self.faults]
            waiting = [one for one in unsent if _turn(one.form) <= 0 and one.form.route not in PASSED_OVER]
            todo = min(waiting, key=lambda one: _turn(one.form), default=None)

    def _send(self, person: Person, found: Found) -> list[str]:
        file = FILES.get(found.form.route, OTHER_FILE)
        return send(self.sheets[person.name], found, VALUES, file)

    def _sheet(self, person: Person, *, anew: bool) -> OpenForm:
        """This person's page; if wished with a session that stands whatever was sent before."""
        is_new = person.name not in self.sheets
        if is_new:
            self.sheets[person.name] = OpenForm.of(self.browser.new_context().new_page())
        sheet = self.sheets[person.name]
        if anew:
            sheet.page.context.clear_cookies()
        if person.user and (is_new or anew):
            sign_in(sheet.page.context, self.address, User.objects.get(pk=person.user.pk))
        return sheet


def _turn(form: Form) -> int:
    """When a form is sent: first what gives, then what throws away what was begun, then the rest."""
    if form.route in LAST:
        return LAST.index(form.route) + 2
    if form.route in FIRST:
        return -1
    return int(form.said.startswith(THROWS_AWAY))


def _pages(person: Person) -> dict[str, str]:
    """By address the text of every page that this person can open."""
    client = Client(raise_request_exception=False)
    if person.user:
        client.force_login(person.user)
    waiting = deque(person.starts)
    counted: Counter[str] = Counter(map(route_at, person.starts))
    pages: dict[str, str] = {}
    asked: set[str] = set()
    while waiting:
        address = waiting.popleft()
        if address in asked:
            continue
        asked.add(address)
        text = _page(client, address)
        if text is None:
            continue
        pages[address] = text
        for link in re.findall(r'<a [^>]*href="(/[^"#]*)', text) if person.follows else []:
            route = route_at(link)
            if counted[route] < ALIKE and link not in asked and not route.startswith("admin:"):
                counted[route] += 1
                waiting.append(link.replace("&amp;", "&"))
    return pages


def _page(client: Client, address: str) -> str | None:
    """The page at this address, if it is one."""
    answer = client.get(address)
    body = b"".join(taken_as("Iterable[bytes]", answer)) if answer.streaming else answer.content
    is_page = answer.status_code == 200 and b"<html" in body[:2000]
    return body.decode() if is_page else None


@pytest.fixture(scope="module")
def sweep(django_db_setup: None, django_db_blocker: DjangoDbBlocker, browser: Browser) -> Iterator[Sweep]:
    """All forms, found and sent."""
    logging.disable(logging.CRITICAL)
    with django_db_blocker.unblock(), standing_site() as (server, model):
        people, takers = _people(server, model)
        swept = Sweep(server.url, browser, takers)
        swept.look(people)
        swept.send_all()
        for sheet in swept.sheets.values():
            sheet.page.context.close()
        yield swept
    logging.disable(logging.NOTSET)


def _people(server: LiveServer, model: StubServer) -> tuple[list[Person], set[str]]:
    """Who is in a project in use and in one that has one of everything, and the routes that take a form."""
    site, world = furnish(server, model, "en"), make_world("Ours")
    keeper = make_user("Ada Administrator", administrator=True)
    bind_key(actor=keeper, variable="PARABLE_LLM_KEY_A", address="1.1.1.1")
    of_site = {"host": AllowedHost.objects.get().pk, "binding": KeyBinding.objects.get().pk}
    objects = site_objects(world, of_site)
    every = [(one, one.address(objects, objects)) for one in routes() if "api" not in one.name]
    of_project = tuple(address for _one, address in every)
    of_all = tuple(address for one, address in every if "slug" not in one.objects)
    of_reviewers = tuple(address for one, address in every if one.name.startswith("review:"))
    pages = tuple(site.path(rest) for rest in PAGES.values())
    ours = world.cast
    _wait_for_review(ours)
    doors = _doors(site)
    # a panel's first page has no form: its link leads to the first item
    first_item = tuple(f"{address}?start=1" for one, address in every if one.name == "evaluation:solve")
    departing_members = tuple(
        f"{address}?from={one.pk}"
        for route, address in every
        if route.name == "dashboard:handover"
        for one in (ours.writer, ours.writer2)
    )
    people = [
        Person("writer in use", site.cast.writer, pages),
        Person("manager in use", site.cast.manager, pages),
        Person("manager", ours.manager, (*of_project, *departing_members)),
        Person("writer", ours.writer2, of_project),
        Person("reviewer", ours.reviewer2, of_reviewers, follows=False),
        Person("other reviewer", ours.reviewer, of_reviewers, follows=False),
        Person("reviewer in use", site.cast.reviewer, (site.path("{project}/review"),), follows=False),
        Person("verifier", ours.verifier, of_reviewers, follows=False),
        Person("outsider", ours.outsider, (*of_all, *first_item, doors[0]), follows=False),
        Person("keeper", keeper, of_all, follows=False),
        Person("nobody", None, (*of_all, *doors[1:]), follows=False),
    ]
    return people, _takers(ours.manager, objects)


def _wait_for_review(cast: Cast) -> None:
    """Items enough for each thing that reviewers can do with one."""
    guideline = current_guideline(cast.project)
    assert guideline is not None
    acknowledge_guideline(actor=cast.writer, guideline=guideline)
    for number in range(4):
        submit_item(cast, words=content(f"Why did hare number {number} fall asleep?"))


def _doors(site: Site) -> list[str]:
    """Where two people are invited to join, and where somebody chooses a new password."""
    invited = invite_people(
        actor=site.cast.manager, project=site.cast.project, names=["Ann", "Bo"], roles=[Role.WRITER]
    )
    link = make_reset_link(actor=site.cast.manager, user=site.cast.writer2)
    return [
        *(reverse("projects:invite_accept", args=[one.token]) for one in invited),
        reverse("accounts:reset", args=[link.uid, link.token]),
    ]


def _takers(manager: User, objects: dict[str, Any]) -> set[str]:
    """The routes that take what is posted: a permission or the table lets somebody in, or none is refused."""
    table = [
        line.split(" POST ") for line in ACCESS.read_text(encoding="utf-8").splitlines() if " POST " in line
    ]
    let_in = {name for name, roles in table if roles != "-"}
    let_in |= {one.name for one in routes() if "POST" in one.permissions and one.takes("POST")}
    client = Client(raise_request_exception=False)
    client.force_login(manager)
    return let_in | {
        one.name
        for one in routes()
        if one.name not in let_in and client.post(one.address(objects, objects)).status_code != 405
    }


def test_every_form_is_sent_and_taken_by_one_view(sweep: Sweep) -> None:
    """One test, since the sweep takes minutes, and each process that has a part of this file makes its own.

    A page that shows what is wrong with a form has its address: other forms there must name their own.
    """
    assert [f"{form}: {found}" for form, found in sweep.faults.items() if found] == []
    sent = {form.route for form in sweep.faults}
    pages = {name for name in sweep.takers if not name.startswith("api_")}
    assert sorted(pages - sent) == sorted(SENT_ELSEWHERE)
    goes: dict[frozenset[str], set[str]] = {}
    for form in sweep.faults:
        if len(form.fields) > 2:
            goes.setdefault(form.fields, set()).add(form.route)
    twins = [where for where in goes.values() if len(where) > 1]
    assert [sorted(where) for where in twins if not any(where <= known for known in TWINS)] == []
