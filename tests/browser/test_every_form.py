"""Every form of the site is sent by a real browser: none is stopped by a header, a policy or a script.

Headers decide what a browser sends with a form (`Origin`, `Referer`, cookies), and a client without a browser
sends the same whatever they say. So each form that some page shows is filled in and sent once in Chromium.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from django.test import Client
from django.urls import get_resolver, resolve, reverse
from django.urls.converters import get_converters
from playwright.sync_api import Browser, BrowserContext
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError
from pytest_django import DjangoDbBlocker
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from tests.browser.entering import sign_in
from tests.browser.managers_site import PAGES as MEASURED_PAGES
from tests.browser.managers_site import PUBLIC, Measured, measured_site
from tests.browser.whole_site import Site, furnish, standing_site
from tests.browser.writer_pages import PAGES as WRITER_PAGES
from tests.browser.writer_pages import routes
from tests.factories import make_user

BASE: Final = Path(__file__).resolve().parents[2]
MANAGER_PAGES: Final = (
    "{project}", "{project}/settings", "{project}/members", "{project}/guideline", "{project}/guideline/new",
    "{project}/guideline/older", "{project}/stories", "{project}/stories/import", "{project}/stories/similar",
    "{project}/stories/{story}", "{project}/stories/{story}/edit", "{project}/stories/{story}/rights",
    "{project}/items/import", "{project}/items/{item}", "{project}/items/{returned}",
    "{project}/assignments", "{project}/assignments/name?story={story}", "{project}/pilots/new",
    "{project}/candidates/batch", "{project}/candidates/endpoints", "{project}/candidates/prompts/new",
    "{project}/candidates/prompts/{template}", "{project}/jobs/{job}", "{project}/overview",
    "{project}/statement", "{project}/tables", "{project}/hand-over", "{project}/review/statistics",
    "{project}/review/practice", "{project}/verify", "{project}/adjudicate",
)  # fmt: skip
ADMINISTRATOR_PAGES: Final = ("/people", "/hosts", "/me", "/accounts/password/change/", "/projects/new")
SENT_ELSEWHERE: Final[dict[str, str]] = {}
"""Forms that need more than one step to come to, by the test that sends them in a browser."""


@dataclass(frozen=True, slots=True)
class Form:
    """A form as one person sees it on one page; `path` is where it is sent."""

    who: str
    page: str
    path: str

    @property
    def route(self) -> str:
        """The name of the route that it is sent to."""
        return resolve(self.path.partition("?")[0]).view_name


@dataclass(frozen=True, slots=True)
class World:
    """A server, who opens pages there, and which."""

    server: LiveServer
    people: dict[str, User | None]
    pages: list[tuple[str, str]]


GONE: Final = 0
"""In place of a status, where what was sent before has taken the form away."""
NOT_SENT: Final = -1
"""In place of a status, where a script kept the browser from sending the form."""
ACCEPTED: Final = {GONE, 200, 204, 302, 303, 400, 409}
"""What a machine filled in may be refused for what stands in it, never for where it came from."""
LAST: Final = ("retire", "remove", "withdraw", "revoke", "cancel", "discard", "end_", "logout", "away")
"""What the routes are called after which other forms are gone; they are sent at the end."""
FORMS: Final = """
    [...document.querySelectorAll('form')].filter(form => form.method === 'post')
        .map(form => new URL(form.action, location).pathname)
"""
FILL_AND_SEND: Final = """
    path => {
        const form = [...document.querySelectorAll('form')].find(
            form => form.method === 'post' && new URL(form.action, location).pathname === path)
        document.querySelectorAll('details').forEach(each => { each.open = true })
        const words = {
            email: 'somebody@example.org', url: 'https://example.org', date: '2030-01-02', number: '1'
        }
        for (const field of form.elements) {
            if (field.disabled || field.readOnly || field.type === 'hidden' || field.type === 'file') continue
            if (field.type === 'radio' || field.type === 'checkbox') {
                const group = [...form.elements].filter(one => one.name === field.name)
                if (!group.some(one => one.checked)) field.checked = true
            } else if (field.tagName === 'SELECT') {
                const choices = [...field.options].filter(one => one.value && !one.disabled)
                if (!field.value && choices.length) field.value = choices[0].value
            } else if ('value' in field && !field.value && field.type !== 'submit') {
                field.value = field.min || words[field.type] || 'Some words'
            }
        }
        const button = [...document.querySelectorAll('button, input[type=submit]')]
            .find(each => each.form === form && each.type === 'submit' && !each.disabled)
        form.noValidate = true
        form.requestSubmit(button)
    }
"""


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    """A project in the middle of writing, one that is released and measured, and an administrator."""
    with django_db_blocker.unblock(), standing_site() as (server, model):
        yield _world(server, furnish(server, model, "en"), measured_site(server, model, "en"))


def _world(server: LiveServer, site: Site, measured: Measured) -> World:
    people: dict[str, User | None] = {
        "writer": site.cast.writer,
        "manager": site.cast.manager,
        "reviewer": site.cast.reviewer,
        "measuring manager": measured.cast.manager,
        "administrator": make_user("Ada Administrator", administrator=True),
        "nobody": None,
    }
    pages = [("writer", site.path(rest)) for rest in WRITER_PAGES.values()]
    pages += [("manager", site.path(rest)) for rest in MANAGER_PAGES]
    pages += [("measuring manager", measured.path(rest)) for rest in MEASURED_PAGES.values()]
    pages += [("administrator", page) for page in ADMINISTRATOR_PAGES]
    pages += [("nobody", page) for page in ("/accounts/login/", *map(measured.path, PUBLIC.values()))]
    return World(server, people, pages)


@pytest.fixture(scope="module")
def contexts(world: World, browser: Browser) -> Iterator[dict[str, BrowserContext]]:
    """A browser for each person."""
    opened = {}
    for who, user in world.people.items():
        opened[who] = browser.new_context(reduced_motion="reduce")
        if user is not None:
            sign_in(opened[who], world.server.url, user)
    yield opened
    for context in opened.values():
        context.close()


@pytest.mark.drill
@pytest.mark.browser
@pytest.mark.django_db
def test_every_form_can_be_sent(world: World, contexts: dict[str, BrowserContext]) -> None:
    forms = _forms(world, contexts)
    answers = {route: _sent(world, contexts, form) for route, form in forms.items()}
    pathlib_debug(answers, forms, world)
    stopped = {route: status for route, status in answers.items() if status not in ACCEPTED}
    assert stopped == {}
    assert _routes_that_take_forms(world) - set(answers) - set(SENT_ELSEWHERE) == set()


def test_what_is_sent_elsewhere_is_sent_by_a_test_that_is_there() -> None:
    for place in set(SENT_ELSEWHERE.values()):
        path, _, name = place.partition("::")
        assert f"def {name}(" in (BASE / path).read_text(encoding="utf-8"), place


def _forms(world: World, contexts: dict[str, BrowserContext]) -> dict[str, Form]:
    """One form for each route that any page shows a form for; those that take something away come last."""
    found: dict[str, Form] = {}
    for who, page in world.pages:
        sheet = contexts[who].new_page()
        sheet.goto(f"{world.server.url}{page}")
        for path in sheet.evaluate(FORMS):
            form = Form(who, page, path)
            found.setdefault(form.route, form)
        sheet.close()
    return dict(sorted(found.items(), key=lambda pair: any(word in pair[0] for word in LAST)))


def _sent(world: World, contexts: dict[str, BrowserContext], form: Form) -> int:
    """The status that the server answered with when this form was filled in and sent."""
    sheet = contexts[form.who].new_page()
    sheet.on("dialog", lambda dialog: dialog.accept())
    sheet.goto(f"{world.server.url}{form.page}")
    if form.path not in sheet.evaluate(FORMS):
        sheet.close()
        return GONE
    try:
        with sheet.expect_response(lambda answer: answer.request.method == "POST", timeout=10_000) as sent:
            sheet.evaluate(FILL_AND_SEND, form.path)
        status = sent.value.status
    except PlaywrightTimeoutError:
        status = NOT_SENT
    sheet.close()
    return status


def _routes_that_take_forms(world: World) -> set[str]:
    """The names of the routes that answer something else than 405 to a form for what does not exist."""
    client = Client()
    administrator = world.people["administrator"]
    assert administrator is not None
    client.force_login(administrator)
    nothing = {"slug": "no-such-project", "int": "0", "place": "1", "uuid": "0" * 32, "str": "x", "path": "x"}
    names = {type(converter): name for name, converter in get_converters().items()}
    found = set()
    for name, pattern in routes(get_resolver()):
        values = [nothing[names[type(each)]] for each in pattern.pattern.converters.values()]
        address = reverse(name, args=values)
        if not address.startswith("/api/") and client.post(address).status_code != 405:
            found.add(name)
    return found

def pathlib_debug(answers, forms, world):
    with open("/tmp/rec/answers.txt","w") as f:
        for r,a in answers.items(): print(a, r, forms[r], file=f)
        print("MISSING", sorted(_routes_that_take_forms(world) - set(answers)), file=f)
