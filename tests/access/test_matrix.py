"""Every route x method x role x own, foreign and absent object: nothing leaks, nothing breaks.

The permission that a page names says who is let in, and `access.txt` where a page names none or its object
decides as well. After a change of rights that is meant, write it anew by the drill with WRITE_ACCESS=1 and
read the difference.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from django.db import transaction
from django.http.response import HttpResponseBase
from django.test import Client
from django.test.client import ClientHandler
from pytest_django import DjangoDbBlocker

from projects.permissions import roles_with
from tests.access.routes import Absent, Route, admin_addresses, routes, site_objects, unsaid
from tests.access.world import ROLES, Scene, World, make_scene
from tests.shared_rows import shared_rows

ACCESS: Final = Path(__file__).with_name("access.txt")
SHUT: Final = {401, 403, 404, 405}
STRANGERS: Final = ("anonymous", "outsider", "foreign manager")
BLIND: Final = ("reviewer", "verifier")
OTHER_METHODS: Final = ("HEAD", "OPTIONS", "PUT", "PATCH", "DELETE")
ABSENT: Final = Absent()
BY_OBJECT: Final = {
    *(f"jobs:{name} POST" for name in ("pause", "resume", "cancel", "retry")),  # somebody else's job
    *(f"api_job_{name} POST" for name in ("pause", "resume", "cancel", "retry")),
    "api_endpoint_restore POST",  # an endpoint in use
    "api_slots_submit POST",  # somebody else's draft
    "annotation:take_over POST",  # an item that has a writer
    "generation:restore POST",  # an endpoint in use
    # an item or assignment of somebody else, or no item that can be taken over
    *(f"api_item{name} GET" for name in ("", "_comments", "_revisions", "_transitions")),
    *(
        f"api_item_{name} POST"
        for name in ("check", "comments", "contest", "revisions", "take_over", "withdraw")
    ),
    *("api_assignment GET", "api_assignment_give_back POST", "api_assignment_restore POST"),
    # an upload of somebody else
    *(f"api_{of}_import {method}" for of in ("item", "story") for method in ("GET", "DELETE")),
    *(f"api_{of}_import_{name} POST" for of in ("item", "story") for name in ("confirm", "retry")),
    "evaluation:calibration_plot GET",  # not counted yet
    "evaluation:short_form_file GET",
    "api_own_practice GET",  # of reviewers, who an administrator is not
    "api_item_import_columns PUT",  # the upload of another
    "api_story_import_columns PUT",
    "evaluation:result_file GET",
    "evaluation:result_records GET",
    "evaluation:replication_file GET",
    "api_published_file GET",
    "api_results_records GET",
    "api_results_table GET",
    "api_results_table_file GET",
    "api_short_form GET",
}
"""Where not all are let in who have the permission, for what the scene holds."""
SENT_BY_OBSERVERS: Final = {
    "annotation:moral",  # what is shown is recorded, so these are sent
    "annotation:see_moral",
    "api_story_moral",
    "dashboard:export",
    "dashboard:export_published",
    "api_guideline_acknowledge",  # every member can confirm having read it
}
"""The only addresses of a project to which an observer sends anything."""
SHOW_OPTIONS: Final = {"api_claim"}
"""Where a reviewer gets an item to answer, and the text of the key is one of its options."""
HANDLER: Final = ClientHandler(enforce_csrf_checks=False)
"""Shared by all clients here, of which there is one a request: each would make the middleware anew."""


@contextmanager
def undone() -> Iterator[None]:
    """What happens inside has not happened afterwards."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def ask(scene: Scene, role: str, method: str, address: str) -> tuple[HttpResponseBase, str]:
    """The answer and all that it says: headers and body."""
    client = Client(raise_request_exception=False)
    client.handler = HANDLER
    for name, morsel in scene.browsers[role].cookies.items():
        client.cookies[name] = morsel.value
    sent: dict[str, Any] = {}
    if method not in ("GET", "HEAD") and address.startswith("/api/"):
        sent = {"data": {}, "content_type": "application/json"}
    with undone():
        answer = getattr(client, method.lower())(address, **sent)
        body = answer.getvalue()
    return answer, f"{dict(answer.headers)} {body.decode(errors='replace')}"


def is_let_in(answer: HttpResponseBase) -> bool:
    """Whether the door was open; what was sent may still be refused for what it says."""
    if answer.status_code in SHUT:
        return False
    to_sign_in = answer.status_code == 302 and answer.headers["Location"].startswith("/accounts/login/")
    return not to_sign_in


def leaks(text: str, words: list[str]) -> list[str]:
    return [word for word in words if word in text]


@pytest.fixture(scope="module")
def _scene(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Scene]:
    """One for all tests here: what they ask for is undone after each request."""
    with shared_rows(django_db_blocker, make_scene) as made:
        yield made


@pytest.fixture
def scene(_scene: Scene, db: None, caplog: pytest.LogCaptureFixture) -> Scene:
    caplog.set_level(logging.CRITICAL, "django.request")
    return _scene


def own(scene: Scene, route: Route, world: World) -> str:
    objects = site_objects(world, scene.site)
    return route.address(objects, objects)


@pytest.mark.parametrize(
    "roles",
    [
        pytest.param(("outsider", "reviewer"), id="who may see least"),
        pytest.param(ROLES, id="all", marks=pytest.mark.drill),
    ],
)
def test_every_route_admits_whom_the_table_names_and_shows_others_nothing(
    scene: Scene, roles: tuple[str, ...]
) -> None:
    found: dict[str, list[str]] = {}
    faults: list[str] = []
    for route in routes():
        address = own(scene, route, scene.ours)
        for method in ("GET", "POST", *route.changes):
            let_in = found.setdefault(f"{route.name} {method}", [])
            for role in roles if route.takes(method) else roles[-1:]:
                answer, text = ask(scene, role, method, address)
                if is_let_in(answer):
                    let_in.append(role.replace(" ", "_"))
                if answer.status_code >= 500:
                    faults.append(f"{answer.status_code}: {role} {method} {address}")
                faults += _own_leaks(scene, route, role, f"{method} {address}", text)
    assert faults == []
    if os.environ.get("WRITE_ACCESS") and roles == ROLES:
        by_table = {f"{route.name} {method}" for route in routes() for method in route.permissions}
        told = {what: let_in for what, let_in in found.items() if what not in by_table - BY_OBJECT}
        lines = sorted(f"{what} {' '.join(let_in) or '-'}" for what, let_in in told.items())
        ACCESS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert found == admitted(roles)


def admitted(roles: tuple[str, ...]) -> dict[str, list[str]]:
    """Who of these is let in where: by the permission that a page names, else as the file has it."""
    asked = [role.replace(" ", "_") for role in roles]
    lines = [line.split() for line in ACCESS.read_text(encoding="utf-8").splitlines()]
    named = {f"{name} {method}": let_in for name, method, *let_in in lines}
    for route in routes():
        for method, permission in route.permissions.items():
            what = f"{route.name} {method}"
            may = [*roles_with(permission), "administrator"] if route.takes(method) else []
            if what in BY_OBJECT:
                assert {*named[what]} - {"-"} < {*may}, what
            else:
                assert named.setdefault(what, may) is may, f"{what} is in the file, too"
    return {what: [one for one in asked if one in let_in] for what, let_in in named.items()}


def test_an_observer_sends_nothing_to_a_project_but_what_is_named(scene: Scene) -> None:
    sent = {
        route.name
        for route in routes()
        if "slug" in route.objects and route.takes("POST")
        if is_let_in(ask(scene, "observer", "POST", own(scene, route, scene.ours))[0])
    }
    assert sent == SENT_BY_OBSERVERS


def _own_leaks(scene: Scene, route: Route, role: str, what: str, text: str) -> list[str]:
    words: list[str] = []
    if route.has_token:
        words = scene.foreign.secrets
    elif role in STRANGERS:
        words = scene.ours.secrets
    elif role in BLIND:
        words = [one for one in scene.ours.blind if route.name not in SHOW_OPTIONS or "Moral" in one]
    return [f"{word}: {role} {what}" for word in leaks(text, words)]


def answers(scene: Scene, route: Route, role: str, method: str) -> list[str]:
    """Where the answer about a foreign object differs from that about an absent one, or reveals it."""
    ours, foreign = (site_objects(world, scene.site) for world in (scene.ours, scene.foreign))
    pairs: list[Any] = [((foreign, foreign), (ABSENT, ABSENT))] if "slug" in route.objects.values() else []
    if route.names_objects:
        pairs.append(((ours, foreign), (ours, ABSENT)))
    faults = []
    for there, nowhere in pairs:
        address = route.address(*there)
        answer, text = ask(scene, role, method, address)
        with unsaid():
            absent, _text = ask(scene, role, method, route.address(*nowhere))
        what = f"{role} {method} {address}"
        if answer.status_code != absent.status_code:
            faults.append(f"{answer.status_code} != {absent.status_code}: {what}")
        if max(answer.status_code, absent.status_code) >= 500:
            faults.append(f"{answer.status_code}, {absent.status_code}: {what}")
        faults += [f"{word}: {what}" for word in leaks(text, scene.foreign.secrets)]
    return faults


OF_THE_SITE: Final = {
    "accounts:allow_projects",  # people belong to the site
    "accounts:reset_link",
    "accounts:reset_second_factor",
    "dashboard:close_other_account",
    "jobs:withdraw_host",
    "jobs:unbind_key",
}


def foreign_faults(scene: Scene, roles: tuple[str, ...], methods: tuple[str, ...]) -> list[str]:
    return [
        fault
        for route in routes()
        if not route.has_token and route.name not in OF_THE_SITE
        for method in methods
        if is_taken(scene, route, method)
        for role in roles
        for fault in answers(scene, route, role, method)
    ]


def is_taken(scene: Scene, route: Route, method: str) -> bool:
    """Whether a route has this method: 405 on a manager's own object is 405 on everybody's."""
    if route.methods is not None or method not in OTHER_METHODS:
        return route.takes(method)
    answer, _text = ask(scene, "manager", method, own(scene, route, scene.ours))
    return answer.status_code != 405


@pytest.mark.drill
def test_what_belongs_to_another_project_is_as_if_it_were_not_there(scene: Scene) -> None:
    """For the strongest role of another project; the drill asks as every role."""
    assert foreign_faults(scene, ("manager",), ("GET", "POST")) == []


@pytest.mark.drill
def test_what_belongs_to_another_project_is_not_there_for_any_role(scene: Scene) -> None:
    assert foreign_faults(scene, ROLES[:5], ("GET", "POST", *OTHER_METHODS)) == []


@pytest.mark.drill
def test_no_other_method_breaks_or_shows_anything(scene: Scene) -> None:
    faults = []
    for route in routes():
        address = own(scene, route, scene.ours)
        for method in OTHER_METHODS:
            for role in ROLES if is_taken(scene, route, method) else ("anonymous", "reviewer"):
                answer, text = ask(scene, role, method, address)
                if answer.status_code >= 500:
                    faults.append(f"{answer.status_code}: {role} {method} {address}")
                faults += _own_leaks(scene, route, role, f"{method} {address}", text)
    assert faults == []


@pytest.mark.django_db
def test_the_admin_is_for_administrators(scene: Scene) -> None:
    faults = []
    for address in admin_addresses():
        for role in ("anonymous", "manager"):
            answer, text = ask(scene, role, "GET", address)
            if answer.status_code not in (301, 302, 403, 404) and not address.startswith(OPEN_ADMIN):
                faults.append(f"{answer.status_code}: {role} {address}")
            faults += [f"{word}: {role} {address}" for word in leaks(text, scene.ours.secrets)]
    assert faults == []


OPEN_ADMIN: Final = ("/admin/login/", "/admin/jsi18n/", "/admin/logout/")
