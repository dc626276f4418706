"""The pages of access tokens: their owner's, and the administrators' of all."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEvent
from accounts.services import make_reset_link, set_password, set_password_by_link
from projects.models import AccessToken
from projects.services import create_token
from tests.factories import Cast, make_user
from tests.projects.pages import browser

pytestmark = pytest.mark.django_db

TOKENS = "/me/tokens"
ALL = "/people/tokens"
NEW = "a whole new battery staple"


def send(client: Client, **changed: Any) -> Any:
    return client.post(TOKENS, {"name": "Nightly", "scopes": ["read", "write"], "days": "90"} | changed)


def text_of(page: Any) -> str:
    found = re.search(r'id="token"[^>]*>([^<]+)<', page.content.decode())
    return found.group(1) if found else ""


def test_it_creates_a_token_and_shows_it_once(cast: Cast) -> None:
    client = browser(cast.writer)
    page = send(client)
    text = text_of(page)
    assert text.startswith("parable_")
    assert f'curl -H "Authorization: Bearer {text}" http://testserver/api/v1/me/' in html.unescape(
        page.content.decode()
    )
    row = AccessToken.objects.get(user=cast.writer)
    assert (row.name, row.scopes, row.project) == ("Nightly", ["read", "write"], None)
    assert (row.expires_at - timezone.now()).days == 89
    again = client.get(TOKENS).content.decode()
    assert text not in again
    assert row.hint in again
    answer = Client(headers={"Authorization": f"Bearer {text}"}).get(reverse("api_me"))
    assert answer.json()["username"] == cast.writer.username
    assert "127.0.0.1" in client.get(TOKENS).content.decode()


def test_it_binds_a_token_to_one_project(cast: Cast) -> None:
    client = browser(cast.writer)
    send(client, project=cast.project.slug)
    assert AccessToken.objects.get().project == cast.project
    page = send(browser(cast.outsider), project=cast.project.slug)
    assert "project" in page.context["form"].errors
    assert AccessToken.objects.count() == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", " "),
        ("name", "x" * 101),
        ("scopes", []),
        ("scopes", ["root"]),
        ("days", "366"),
        ("days", ""),
        ("project", "none"),
    ],
)
def test_it_names_the_field_that_is_wrong(cast: Cast, field: str, value: Any) -> None:
    page = send(browser(cast.writer), **{field: value})
    assert list(page.context["form"].errors) == [field]
    assert not AccessToken.objects.exists()


def test_it_refuses_the_fifty_first_token_on_the_page(cast: Cast) -> None:
    for _each in range(50):
        create_token(actor=cast.writer, name="x", scopes=["read"], days=1)
    page = send(browser(cast.writer))
    assert "You have 50 access tokens." in page.content.decode()
    assert AccessToken.objects.count() == 50


def test_its_owner_revokes_a_token_and_no_one_else_does(cast: Cast) -> None:
    row = create_token(actor=cast.writer, name="x", scopes=["read"], days=1).row
    address = reverse("projects:revoke_token", args=[row.pk])
    for other in (cast.manager, make_user("Ada", administrator=True)):
        assert browser(other).post(address).status_code == 404
    assert browser(cast.writer).get(address).status_code == 405
    assert browser(cast.writer).post(address).headers["Location"] == TOKENS
    row.refresh_from_db()
    assert not row.is_valid
    assert AuditEvent.objects.filter(verb="revoke_token", subject_id=row.pk).exists()


def test_administrators_see_and_revoke_the_tokens_of_all(cast: Cast) -> None:
    row = create_token(actor=cast.writer, name="Script", scopes=["read"], days=1).row
    other = create_token(actor=cast.manager, name="Other", scopes=["read"], days=1).row
    ada = browser(make_user("Ada", administrator=True))
    listed = ada.get(ALL, {"q": cast.writer.username}).context["page_obj"]
    assert [one.pk for one in listed] == [row.pk]
    assert [one.pk for one in ada.get(ALL).context["page_obj"]] == [other.pk, row.pk]
    address = reverse("projects:revoke_any_token", args=[row.pk])
    assert browser(cast.manager).get(ALL).status_code == 403
    assert browser(cast.manager).post(address).status_code == 403
    assert browser(cast.writer).post(address).status_code == 403
    assert ada.post(address).headers["Location"] == ALL
    assert ada.post(reverse("projects:revoke_any_token", args=[0])).status_code == 404
    row.refresh_from_db()
    assert not row.is_valid


def test_a_password_reset_by_a_link_ends_all_tokens_and_a_change_by_its_owner_none(cast: Cast) -> None:
    mine = create_token(actor=cast.writer, name="x", scopes=["read"], days=1).row
    other = create_token(actor=cast.manager, name="x", scopes=["read"], days=1).row
    set_password(actor=cast.writer, user=cast.writer, password=NEW)
    mine.refresh_from_db()
    assert mine.is_valid
    link = make_reset_link(actor=cast.manager, user=cast.writer)
    set_password_by_link(uid=link.uid, token=link.token, password=NEW)
    mine.refresh_from_db()
    other.refresh_from_db()
    assert (mine.is_valid, other.is_valid) == (False, True)


def test_what_ended_says_so_and_cannot_be_revoked(cast: Cast) -> None:
    create_token(actor=cast.writer, name="x", scopes=["read"], days=1)
    AccessToken.objects.update(expires_at=timezone.now() - timedelta(days=1))
    page = browser(cast.writer).get(TOKENS).content.decode()
    assert "expired" in page
    assert "/revoke" not in page


def test_the_lists_cost_the_same_for_many_tokens(cast: Cast) -> None:
    ada = make_user("Ada", administrator=True)
    for page in (TOKENS, ALL):
        counts = []
        for more in (1, 20):
            for _each in range(more):
                create_token(actor=ada, name="x", scopes=["read"], days=1, project=cast.project)
            with CaptureQueriesContext(connection) as queries:
                browser(ada).get(page)
            counts.append(len(queries))
        assert counts[0] == counts[1], page
