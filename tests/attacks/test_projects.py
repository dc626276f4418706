"""Attacks by people who are signed in: rights they were not given, and what they may not know."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

import pytest
from django.contrib import admin
from django.db.models import Field, Model
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.urls.resolvers import RoutePattern

from accounts.models import User
from annotation.models import KeyExposure, Option
from projects.models import Membership, Project, Role
from projects.services import create_token
from tests.factories import Cast, make_project, make_story, make_user, submit_item
from tests.projects.pages import browser

pytestmark = pytest.mark.django_db

JSON = "application/json"


def holds(cast: Cast, user: User) -> list[str]:
    return sorted(Membership.objects.filter(project=cast.project, user=user).values_list("role", flat=True))


def test_key_is_found_by_narrowing_a_list_of_the_admin(cast: Cast) -> None:
    """An administrator who still reviews asks which option is the key, without opening an item."""
    item = submit_item(cast)
    ada = browser(make_user("Ada", administrator=True))
    key = Option.objects.get(revision__item=item, is_key=True)
    asked = [
        (reverse("admin:annotation_revision_changelist"), "options__is_key", "1"),
        (reverse("admin:annotation_revision_changelist"), "options__text", key.text),
        (reverse("admin:annotation_item_changelist"), "current__options__is_key", "1"),
        (reverse("admin:annotation_option_changelist"), "revision__item__id", str(item.pk)),
    ]
    before = KeyExposure.objects.count()
    for page, lookup, value in asked:
        assert ada.get(page, {lookup: value}).status_code == 400, lookup
    assert KeyExposure.objects.count() == before


SECRET = {
    "password",
    "token_hash",
    "seed",
    "secret_seed",
    "sealed",
    "body",
    "digest",
    "token",
    "key",
    "record",
}


def test_hash_is_found_by_narrowing_a_list_of_the_admin() -> None:
    """No column that a page leaves out narrows a list: letter by letter it would be read all the same."""
    refused: list[tuple[type[Model], str]] = []
    for model, shown in admin.site._registry.items():
        fields = [field for field in model._meta.get_fields() if isinstance(field, Field)]
        for name in SECRET & {field.name for field in fields} - set(map(str, shown.list_filter)):
            for lookup in (name, f"{name}__startswith", f"{name}__gt"):
                assert not shown.lookup_allowed(lookup, "a"), (model, lookup)  # type: ignore[call-arg]
            refused.append((model, name))
        for name in map(str, shown.list_filter):
            assert shown.lookup_allowed(f"{name}__exact", "a"), (model, name)  # type: ignore[call-arg]
    assert len(refused) > 8
    ada = browser(make_user("Ada", administrator=True))
    users = reverse("admin:accounts_user_changelist")
    assert ada.get(users, {"password__startswith": "pbkdf2"}).status_code == 400
    assert ada.get(users, {"is_active__exact": "1"}).status_code == 200


def test_csrf_by_a_foreign_form(cast: Cast) -> None:
    """A form or script of another site sends what the visitor's browser is signed in for."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.manager)
    slug, person = cast.project.slug, cast.writer.pk
    page = reverse("projects:member", args=[slug, person])
    programs = f"/api/v1/projects/{slug}/members/{person}/"
    evil = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    for headers in ({}, evil, {"Referer": "https://evil.example/"}, {"Origin": "null"}):
        assert client.post(page, {"roles": "manager"}, headers=headers).status_code == 403
        for kind in ("text/plain", "application/x-www-form-urlencoded", JSON):
            sent = client.put(programs, '{"roles": ["manager"]}', content_type=kind, headers=headers)
            assert sent.status_code in (403, 415), kind
    assert holds(cast, cast.writer) == ["writer"]


def views(resolver: URLResolver) -> list[Any]:
    found: list[Any] = []
    for one in resolver.url_patterns:
        if isinstance(one, URLPattern):
            found.append(one.callback)
        elif not (isinstance(one.pattern, RoutePattern) and str(one.pattern) == "admin/"):
            found.extend(views(one))
    return found


def test_csrf_by_a_view_that_asks_for_no_token() -> None:
    """Only the programming interface checks tokens later, and does so for each session of a browser.

    Two views know nobody by a session: they go by the token in their address.
    """
    exempt = [view for view in views(get_resolver()) if getattr(view, "csrf_exempt", False)]
    kinds = [getattr(view, "cls", None) or getattr(view, "view_class", None) for view in exempt]
    assert [view.__name__ for view, kind in zip(exempt, kinds, strict=True) if kind is None] == ["stop_mail"]
    known = [[one.__name__ for one in kind.authentication_classes] for kind in kinds if kind is not None]
    assert known.count([]) == 1, "the upload of teams"
    assert known.count(["TokenAuthentication", "SessionAuthentication"]) == len(known) - 1 > 100


def test_sign_out_by_an_image(cast: Cast) -> None:
    client = browser(cast.writer)
    assert client.get("/accounts/logout/").status_code == 200
    assert client.get("/me").status_code == 200


def test_parameter_pollution(cast: Cast) -> None:
    """A parameter in the address does not stand in for one of the form, nor a second one for the first."""
    ada, person = browser(make_user("Ada", administrator=True)), cast.writer
    ada.post(reverse("accounts:allow_projects", args=[person.pk]) + "?allowed=yes")
    assert not User.objects.get(pk=person.pk).may_create_projects
    manager = browser(cast.manager)
    page = reverse("projects:member", args=[cast.project.slug, person.pk])
    manager.post(page + "?roles=manager", {"roles": "reviewer"})
    assert holds(cast, person) == ["reviewer"]
    address = f"/api/v1/projects/{cast.project.slug}/members/{person.pk}/"
    twice = '{"roles": ["observer"], "roles": ["manager"]}'
    assert manager.put(address, twice, content_type=JSON).status_code == 400
    assert holds(cast, person) == ["reviewer"]
    listed = f"/api/v1/projects/{cast.project.slug}/members/?role=writer&role=manager"
    assert manager.get(listed).status_code == 400


@pytest.mark.parametrize(
    "more",
    [
        {"slug": "another"},
        {"archived_at": None},
        {"created_by": 1},
        {"roles": ["manager"]},
        {"id": 1},
        {"settings": {"slug": "another"}},
    ],
)
def test_mass_assignment_by_the_interface(cast: Cast, more: dict[str, Any]) -> None:
    """What a body may not set is refused by name or left alone."""
    address = f"/api/v1/projects/{cast.project.slug}/"
    client = browser(cast.manager)
    tag = client.get(address).headers["ETag"]
    before: dict[str, Any] = {**Project.objects.filter(pk=cast.project.pk).values().get()}
    sent = client.patch(address, json.dumps(more), content_type=JSON, headers={"If-Match": tag})
    assert sent.status_code in (200, 400), sent.content
    after: dict[str, Any] = {**Project.objects.filter(pk=cast.project.pk).values().get()}
    assert {name for name in before if before[name] != after[name]} == set()
    assert holds(cast, cast.manager) == ["manager"]


def test_mass_assignment_of_a_role_by_its_holder(cast: Cast) -> None:
    """A writer sends the form of a manager about themselves."""
    client = browser(cast.writer)
    page = reverse("projects:member", args=[cast.project.slug, cast.writer.pk])
    assert client.post(page, {"roles": ["manager", "writer"]}).status_code == 403
    address = f"/api/v1/projects/{cast.project.slug}/members/{cast.writer.pk}/"
    assert client.put(address, {"roles": ["manager"]}, content_type=JSON).status_code == 403
    assert holds(cast, cast.writer) == ["writer"]


def test_answer_of_another_is_read_by_their_idempotency_key(cast: Cast) -> None:
    """The key of a request is known to a proxy or guessed; its answer has a link that works once."""
    address, sent = (
        f"/api/v1/projects/{cast.project.slug}/invitations/",
        {"names": ["Lin"], "roles": ["writer"]},
    )
    named = {"Idempotency-Key": "one-two-three"}
    first = browser(cast.manager).post(address, sent, content_type=JSON, headers=named)
    assert first.status_code == 201
    for user in (cast.writer, cast.outsider):
        other = browser(user).post(address, sent, content_type=JSON, headers=named)
        assert other.status_code in (403, 404)
    second = make_project()
    elsewhere = f"/api/v1/projects/{second.project.slug}/invitations/"
    theirs = browser(second.manager).post(elsewhere, sent, content_type=JSON, headers=named)
    assert theirs.status_code == 201
    assert theirs.content != first.content


@pytest.mark.parametrize(
    "cursor",
    [
        base64.b64encode(made).decode()
        for made in (
            b"p=1' OR '1'='1",
            b"p=99999999999999999999999",
            b"o=99999999999999&p=1",
            b"p=%00",
            b"\xff",
            b"r=1&p=-1",
        )
    ],
)
def test_sql_by_a_cursor(cast: Cast, cursor: str) -> None:
    answer = browser(cast.manager).get(f"/api/v1/projects/{cast.project.slug}/members/", {"cursor": cursor})
    assert answer.status_code in (200, 404)
    assert answer.headers["Content-Type"].startswith("application/")


@pytest.mark.parametrize(
    "sent", ["' OR 1=1 --", "\\", "%", "'); DROP TABLE accounts_user; --", "\0", "1e400", "$1"]
)
def test_sql_by_search_and_filters(cast: Cast, sent: str) -> None:
    """Texts that the database could take for its own, in every place of a list's address."""
    make_story(cast, title="The only one")
    client, slug = browser(cast.manager), cast.project.slug
    for page in (f"/p/{slug}/items", f"/p/{slug}/stories", f"/p/{slug}/members", "/people"):
        for names in (("q",), ("sort", "order", "page"), ("state", "task", "view", "role", "writer")):
            answer = client.get(page, dict.fromkeys(names, sent))
            assert answer.status_code in (200, 302, 400, 403, 404), (page, names)
    found = client.get("/search", {"q": sent})
    assert found.status_code in (200, 400, 404)
    assert "The only one" not in found.content.decode()


def test_order_of_a_list_by_a_column_of_another_table(cast: Cast) -> None:
    """`sort=user__password` would show who has the smaller hash."""
    client = browser(cast.manager)
    page = f"/p/{cast.project.slug}/members"
    usual = re.findall(r"members/(\d+)", client.get(page).content.decode())
    for column in ("user__password", "-user__password", "password", "memberships__project__slug", "?", "pk"):
        answer = client.get(page, {"sort": column, "order": column})
        assert answer.status_code == 200
        assert re.findall(r"members/(\d+)", answer.content.decode()) == usual, column


def test_token_replay_after_revoke(cast: Cast) -> None:
    """A token is refused at once after it was revoked, its owner closed or removed."""
    made = create_token(actor=cast.writer, name="a script", scopes=["read"], days=1)
    program = Client(headers={"Authorization": f"Bearer {made.text}"})
    address = f"/api/v1/projects/{cast.project.slug}/"
    assert program.get(address).status_code == 200
    User.objects.filter(pk=cast.writer.pk).update(is_active=False)
    assert program.get(address).status_code == 401
    User.objects.filter(pk=cast.writer.pk).update(is_active=True)
    Membership.objects.filter(user=cast.writer, role=Role.WRITER).delete()  # removed
    assert program.get(address).status_code == 404
    browser(cast.writer).post(f"/me/tokens/{made.row.pk}/revoke")
    assert program.get("/api/v1/projects/").status_code == 401


def test_token_is_sent_in_the_address(cast: Cast) -> None:
    """Addresses are written down by proxies and browsers, so none takes a token, a cookie or a password."""
    made = create_token(actor=cast.writer, name="a script", scopes=["read"], days=1)
    key = browser(cast.writer).cookies["sessionid"].value
    for name in ("token", "access_token", "api_key", "key", "auth", "authorization", "sessionid", "session"):
        for value in (made.text, key):
            assert Client().get("/api/v1/projects/", {name: value}).status_code in (401, 403)
            assert Client().get("/me", {name: value}).status_code == 302


def test_blindness_by_a_refusal(cast: Cast) -> None:
    """What a reviewer is refused says the same of an item whether the option they name is the key or not."""
    item = submit_item(cast)
    client, slug = browser(cast.reviewer), cast.project.slug
    said = set()
    for option in Option.objects.filter(revision__item=item):
        for address in (f"/api/v1/projects/{slug}/items/{item.pk}/", f"/p/{slug}/items/{item.pk}"):
            answer = client.get(address, {"key": str(option.pk), "q": option.text})
            said.add((address, answer.status_code, len(answer.content) if answer.status_code != 404 else 0))
        answer = client.get(f"/p/{slug}/items", {"q": option.text})
        said.add(("list", answer.status_code, 0))
    assert len(said) == 3, said


def test_refusal_that_leaves_no_trace(cast: Cast, caplog: pytest.LogCaptureFixture) -> None:
    """Somebody tries doors: each that stays shut is a line of the log, with the address that was asked."""
    client, slug = browser(cast.writer), cast.project.slug
    for page, status in ((f"/p/{slug}/members", 403), ("/people", 403), ("/p/no-such-project", 404)):
        caplog.clear()
        assert client.get(page).status_code == status
        assert [record.levelname for record in caplog.records if page in record.getMessage()] == ["WARNING"]
