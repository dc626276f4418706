"""Every endpoint x method x role x scope x own, foreign and absent object: no token opens too much.

Who may is taken from what the person's browser is answered, so that this file names no endpoint: a new one is
asked as soon as it is in the URL table.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any, Final

import pytest
from django.http.response import HttpResponseBase
from django.test import Client
from pytest_django import DjangoDbBlocker

from accounts.models import Scope, User
from projects.models import Project
from projects.permissions import MEMBER, SCOPES
from projects.services import create_token, set_roles
from tests.access.routes import METHODS, Absent, Route, routes, site_objects
from tests.access.test_matrix import (
    BLIND,
    HANDLER,
    OF_THE_SITE,
    SHOW_OPTIONS,
    STRANGERS,
    ask,
    is_let_in,
    leaks,
    own,
    undone,
)
from tests.access.world import Scene, make_scene
from tests.factories import make_user
from tests.shared_rows import shared_rows

PEOPLE: Final = (
    "outsider",
    "writer",
    "reviewer",
    "verifier",
    "manager",
    "observer",
    "foreign manager",
    "administrator",
)
IN_BOTH: Final = ("writer", "reviewer", "verifier", "manager", "observer")
"""The roles that a person has in our project and in the foreign one, with a token for ours alone."""
ALL: Final = tuple(Scope.values)
SINGLE: Final = tuple((scope,) for scope in Scope.values)
BOUND: Final = (*ALL, "bound")
"""All scopes, for our project alone."""
ABSENT: Final = Absent()


@dataclass(slots=True)
class Programs:
    """The scene, and the access tokens of its people by role and scopes."""

    scene: Scene
    tokens: Mapping[tuple[str, tuple[str, ...]], str]
    in_both: Mapping[str, str]
    """By role, the token for our project of a person who has this role in both projects."""


DESCRIBED: Final = {"api-schema", "api-docs"}
"""Any valid token reads the description of the interface, which has nothing of a project."""
IN_BROWSERS: Final = {"api_tokens POST"}
"""What a person does in a browser only: no token makes a token."""


def make_programs() -> Programs:
    """Return the scene with a token of each person for each scope, for all scopes, and for our project."""
    scene = make_scene()
    ours, foreign = scene.ours.cast, scene.foreign.cast
    people: dict[str, User] = {
        "outsider": ours.outsider,
        "writer": ours.writer,
        "reviewer": ours.reviewer,
        "verifier": ours.verifier,
        "manager": ours.manager,
        "observer": User.objects.get(name="Olga Observer"),
        "foreign manager": foreign.manager,
        "administrator": User.objects.get(name="Ada Administrator"),
    }
    tokens = {}
    for role, person in people.items():
        for scopes in (*SINGLE, ALL):
            tokens[role, scopes] = _token(person, scopes)
        if role not in STRANGERS:
            tokens[role, BOUND] = _token(person, ALL, ours.project)
    both = {}
    for role in IN_BOTH:
        person = make_user(f"Bo Both {role}")
        for cast in (ours, foreign):
            set_roles(actor=cast.manager, project=cast.project, user=person, roles=[role])
        both[role] = _token(person, ALL, ours.project)
    both["administrator"] = tokens["administrator", BOUND]
    return Programs(scene, tokens, both)


def _token(person: User, scopes: Iterable[str], project: Project | None = None) -> str:
    return create_token(actor=person, name="a script", scopes=list(scopes), days=1, project=project).text


@pytest.fixture(scope="module")
def _programs(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Programs]:
    """One for all tests here: what they ask for is undone after each request."""
    with shared_rows(django_db_blocker, make_programs) as made:
        yield made


@pytest.fixture
def programs(
    _programs: Programs, db: None, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> Programs:
    """No limit on the requests a minute: a token sends thousands here."""
    caplog.set_level(logging.CRITICAL, "django.request")
    monkeypatch.setattr("projects.authentication.TokenThrottle.allow_request", lambda *_asked: True)
    return _programs


def endpoints() -> list[tuple[Route, str]]:
    """Return every route of the programming interface with each method that it has."""
    return [
        (route, method) for route in routes() if route.is_api for method in METHODS if route.takes(method)
    ]


def send(token: str, method: str, address: str) -> tuple[HttpResponseBase, str]:
    """Return the response to a program, and all that it says: headers and body."""
    client = Client(raise_request_exception=False, headers={"Authorization": f"Bearer {token}"})
    client.handler = HANDLER
    sent: dict[str, Any] = {} if method == "GET" else {"data": {}, "content_type": "application/json"}
    with undone():
        answer = getattr(client, method.lower())(address, **sent)
        body = answer.getvalue()
    return answer, f"{dict(answer.headers)} {body.decode(errors='replace')}"


def lets_through(route: Route, method: str, scopes: tuple[str, ...]) -> bool:
    """Return whether a token with these scopes may call it, if its person may."""
    if scopes == BOUND and not route.takes_bound_tokens:
        return False
    if f"{route.name} {method}" in IN_BROWSERS or route.scopes.get(method) not in scopes:
        return False
    held = reduce(or_, (SCOPES[scope] for scope in scopes if scope in SCOPES), MEMBER)
    return route.permissions.get(method, MEMBER) in held


def faults_of(programs: Programs, role: str, all_scopes: Iterable[tuple[str, ...]]) -> list[str]:
    """Return where a person's tokens are answered otherwise than their browser and their scopes say."""
    scene, faults = programs.scene, []
    for route, method in endpoints():
        address = own(scene, route, scene.ours)
        is_person_let_in = is_let_in(ask(scene, role, method, address)[0])
        for scopes in all_scopes:
            token = programs.tokens.get((role, scopes))
            if token is None:
                continue
            answer, text = send(token, method, address)
            what = f"{role} with {'+'.join(scopes)}: {method} {address}"
            opens = is_let_in(answer)
            may = is_person_let_in and lets_through(route, method, scopes)
            if route.has_token or route.name in DESCRIBED:
                may = opens
            if opens and not may:
                faults.append(f"let in: {what}")
            # with one scope, a service may miss another, such as `read` for the object that is changed
            if may and not opens and scopes in (ALL, BOUND):
                faults.append(f"{answer.status_code}, shut out: {what}")
            if answer.status_code >= 500:
                faults.append(f"{answer.status_code}: {what}")
            hidden = words_hidden_from(programs, role)
            if route.name in SHOW_OPTIONS and role in BLIND:
                hidden = [word for word in hidden if word not in scene.ours.blind or "Moral" in word]
            faults += [f"{word}: {what}" for word in leaks(text, hidden)]
    return faults


def words_hidden_from(programs: Programs, role: str) -> list[str]:
    """Return the words that no response of any endpoint may have for this role."""
    scene = programs.scene
    if role in STRANGERS:
        return scene.ours.secrets
    foreign = [] if role == "administrator" else scene.foreign.secrets
    return foreign + (scene.ours.blind if role in BLIND else [])


def foreign_faults(programs: Programs, token: str, role: str) -> list[str]:
    """Return where a token's foreign objects are answered otherwise than absent ones, or are shown."""
    scene, faults = programs.scene, []
    ours, foreign = (site_objects(world, scene.site) for world in (scene.ours, scene.foreign))
    for route, method in endpoints():
        if route.has_token or route.name in OF_THE_SITE:
            continue
        has_slug = "slug" in route.objects.values()
        pairs: list[Any] = [((foreign, foreign), (ABSENT, ABSENT))] if has_slug else []
        if route.names_objects:
            pairs.append(((ours, foreign), (ours, ABSENT)))
        for there, nowhere in pairs:
            address = route.address(*there)
            answer, text = send(token, method, address)
            absent, _text = send(token, method, route.address(*nowhere))
            what = f"{role}: {method} {address}"
            if (answer.status_code, answer.getvalue()) != (absent.status_code, absent.getvalue()):
                faults.append(
                    f"{answer.status_code} {answer.getvalue()[:200]!r} != {absent.status_code}: {what}"
                )
            # 400 for both if the body is checked first
            if answer.status_code < 400 or answer.status_code >= 500:
                faults.append(f"{answer.status_code}: {what}")
            faults += [f"{word}: {what}" for word in leaks(text, scene.foreign.secrets)]
    return faults


def test_a_token_is_let_in_where_its_person_and_its_scopes_are(programs: Programs) -> None:
    assert [
        fault
        for role, scopes in (("reviewer", (("read",), ALL)), ("manager", (("write",), BOUND)))
        for fault in faults_of(programs, role, scopes)
    ] == []


def test_a_token_of_one_project_finds_nothing_of_another_of_its_person(programs: Programs) -> None:
    assert foreign_faults(programs, programs.in_both["manager"], "manager") == []


@pytest.mark.drill
@pytest.mark.parametrize("role", PEOPLE)
def test_no_token_of_anyone_opens_more_than_their_browser_and_its_scopes(
    programs: Programs, role: str
) -> None:
    assert faults_of(programs, role, (*SINGLE, ALL, BOUND)) == []


@pytest.mark.drill
@pytest.mark.parametrize("role", [*IN_BOTH, "administrator"])
def test_no_token_of_one_project_finds_anything_of_another(programs: Programs, role: str) -> None:
    assert foreign_faults(programs, programs.in_both[role], role) == []


@pytest.mark.drill
@pytest.mark.parametrize("role", [role for role in PEOPLE if role != "administrator"])
def test_what_belongs_to_others_is_as_if_it_were_not_there(programs: Programs, role: str) -> None:
    if role == "foreign manager":
        swapped = replace(programs.scene, ours=programs.scene.foreign, foreign=programs.scene.ours)
        programs = replace(programs, scene=swapped)
    assert foreign_faults(programs, programs.tokens[role, ALL], role) == []


def test_an_endpoint_that_names_no_scope_takes_no_token(programs: Programs) -> None:
    without = [(route, method) for route, method in endpoints() if method not in route.scopes]
    assert {route.name for route, _method in without} >= DESCRIBED
    for route, method in without:
        if route.has_token or route.name in DESCRIBED:
            continue
        answer, _text = send(
            programs.tokens["administrator", ALL], method, own(programs.scene, route, programs.scene.ours)
        )
        assert answer.status_code == 403, f"{method} {route.name}"
