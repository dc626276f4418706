"""The page of members: roles, taking out, undoing it."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from core.errors import Conflict
from projects.models import Membership, Role
from projects.queries import roles_of
from projects.services import invite_people, set_roles
from tests.factories import Cast, make_project, make_user
from tests.projects.pages import address, answers, browser, only_managers


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


def test_it_is_for_managers(cast: Cast) -> None:
    assert answers(cast, address(cast, "members")) == only_managers()


def test_it_lets_administrators_manage_everywhere(cast: Cast) -> None:
    ada = browser(make_user("Ada", administrator=True))
    assert ada.get(address(cast, "members")).status_code == 200
    assert ada.post(address(cast, "member", cast.writer.pk), {"roles": ["verifier"]}).status_code == 302
    assert roles_of(cast.writer, cast.project) == {"verifier"}


def test_it_shows_members_with_their_roles(cast: Cast) -> None:
    set_roles(actor=cast.manager, project=cast.project, user=cast.writer, roles=["writer", "verifier"])
    rows = browser(cast.manager).get(address(cast, "members")).context["rows"]
    held = {row["member"].user: row["member"].roles for row in rows}
    assert held[cast.writer] == ("writer", "verifier")
    assert held[cast.manager] == ("manager",)
    assert cast.outsider not in held


def test_it_finds_and_narrows_members(cast: Cast) -> None:
    def found(query: str) -> list[str]:
        rows = browser(cast.manager).get(f"{address(cast, 'members')}?{query}").context["rows"]
        return [row["member"].user.name for row in rows]

    lin = make_user("林小雨")
    set_roles(actor=cast.manager, project=cast.project, user=lin, roles=["reviewer", "verifier"])
    assert found("q=小雨") == ["林小雨"]
    assert found(f"q={cast.writer.username}&role=writer") == [cast.writer.name]
    assert found("q=小雨&role=writer") == []
    assert found("q=小雨&role=writer&role=verifier") == ["林小雨"]
    assert found("account=closed") == []
    assert found("sort=-joined")[0] == "林小雨"


def test_it_exports_the_roles_of_the_selected_members_alone(cast: Cast) -> None:
    url = reverse("dashboard:bulk", args=[cast.project.slug, "members"])
    sent = {"verb": "export", "kind": "csv", "row": [cast.writer.pk, cast.outsider.pk]}
    text = browser(cast.manager).post(url, sent).getvalue().decode("utf-8-sig")
    assert cast.writer.username in text
    assert cast.manager.username not in text
    assert cast.outsider.username not in text
    assert answers(cast, url, "post") == only_managers(302)


def test_it_lets_nobody_keep_views_of_a_list_they_may_not_open(cast: Cast) -> None:
    url = reverse("dashboard:save_view", args=[cast.project.slug, "members"])
    assert answers(cast, url, "post") == only_managers(302)


def test_it_shows_one_member_with_their_roles(cast: Cast) -> None:
    url = address(cast, "member", cast.writer.pk)
    assert answers(cast, url) == only_managers()
    assert f"Roles of {cast.writer.name}" in browser(cast.manager).get(url).content.decode()


def test_it_saves_the_roles_of_one_person(cast: Cast) -> None:
    client = browser(cast.manager)
    url = address(cast, "member", cast.writer.pk)
    assert client.post(url, {"roles": ["writer", "reviewer"]}).status_code == 302
    assert roles_of(cast.writer, cast.project) == {"writer", "reviewer"}
    row = client.post(url, {"roles": ["reviewer"]}, headers={"HX-Request": "true"}).content.decode()
    assert roles_of(cast.writer, cast.project) == {"reviewer"}
    assert "Saved." in row
    assert "<html" not in row


@pytest.mark.parametrize("htmx", [{}, {"HX-Request": "true"}])
@pytest.mark.parametrize("roles", [[], ["emperor"]])
def test_it_refuses_to_save_no_role_or_an_unknown_one(
    cast: Cast, roles: list[str], htmx: dict[str, Any]
) -> None:
    url = address(cast, "member", cast.writer.pk)
    answer = browser(cast.manager).post(url, {"roles": roles}, headers=htmx)
    assert "Select at least one role" in answer.content.decode()
    assert roles_of(cast.writer, cast.project) == {"writer"}


def test_it_never_leaves_a_project_without_a_manager(cast: Cast) -> None:
    client = browser(cast.manager)
    saved = client.post(address(cast, "member", cast.manager.pk), {"roles": ["writer"]})
    assert "A project needs a manager" in saved.content.decode()
    removed = client.post(address(cast, "remove_member", cast.manager.pk), follow=True)
    assert "A project needs a manager" in removed.content.decode()
    assert roles_of(cast.manager, cast.project) == {"manager"}


def test_it_takes_somebody_out_and_back_in(cast: Cast) -> None:
    set_roles(actor=cast.manager, project=cast.project, user=cast.writer, roles=["writer", "verifier"])
    client = browser(cast.manager)
    page = client.post(address(cast, "remove_member", cast.writer.pk), follow=True)
    assert not Membership.objects.filter(user=cast.writer).exists()
    assert "was removed from the project" in page.content.decode()
    token = page.context["undo"]["token"]
    assert client.post(address(cast, "restore_member"), {"undo": token}).status_code == 302
    assert roles_of(cast.writer, cast.project) == {"writer", "verifier"}


def test_it_undoes_only_what_was_done_here(cast: Cast) -> None:
    other = make_project()
    page = browser(other.manager).post(address(other, "remove_member", other.writer.pk), follow=True)
    theirs = page.context["undo"]["token"]
    client = browser(cast.manager)
    for token in (theirs, "made-up", ""):
        assert client.post(address(cast, "restore_member"), {"undo": token}).status_code == 409
    assert client.get(address(cast, "members"), {"undo": theirs}).context["undo"] is None
    assert not Membership.objects.filter(user=other.writer).exists()
    assert browser(other.writer2).post(address(other, "restore_member"), {"undo": theirs}).status_code == 403


def test_it_lets_a_manager_leave_who_is_not_the_last(cast: Cast) -> None:
    set_roles(actor=cast.manager, project=cast.project, user=cast.writer, roles=[Role.MANAGER])
    answer = browser(cast.manager).post(address(cast, "remove_member", cast.manager.pk))
    assert answer.headers["Location"] == reverse("dashboard:home")
    assert roles_of(cast.manager, cast.project) == frozenset()


@pytest.mark.parametrize("name", ["member", "remove_member", "reset_link"])
def test_it_lets_managers_only_change_members_of_their_own_project(cast: Cast, name: str) -> None:
    url = address(cast, name, cast.writer2.pk)
    expected = only_managers() | {"manager": 0}
    found = answers(cast, url, "post") | {"manager": 0}
    assert found == expected
    stranger = address(cast, name, cast.outsider.pk)
    assert browser(cast.manager).post(stranger, {"roles": ["writer"]}).status_code == 404
    assert browser(cast.manager).get(url).status_code == (200 if name == "member" else 405)


def test_it_pages_and_needs_as_many_queries_for_many_as_for_few(cast: Cast) -> None:
    client, counts = browser(cast.manager), []
    for more in (3, 60):
        for number in range(more):
            user = make_user(f"Student {number}")
            set_roles(actor=cast.manager, project=cast.project, user=user, roles=["writer"])
        names = [f"Guest {number}" for number in range(more)]
        invite_people(actor=cast.manager, project=cast.project, names=names, roles=["writer"])
        with CaptureQueriesContext(connection) as queries:
            page = client.get(address(cast, "members"))
        counts.append(len(queries))
    assert counts[0] == counts[1]
    assert len(page.context["rows"]) == 25
    assert len(client.get(address(cast, "members"), {"page": "3"}).context["rows"]) == 69 - 50


@pytest.mark.django_db(transaction=True)
def test_it_keeps_a_manager_where_two_step_down_at_once() -> None:
    cast = make_project()
    set_roles(actor=cast.manager, project=cast.project, user=cast.writer, roles=[Role.MANAGER])
    start, refused = threading.Barrier(2), []

    def step_down(name: str) -> None:
        user = getattr(cast, name)
        start.wait(timeout=20)
        try:
            set_roles(actor=user, project=cast.project, user=user, roles=[Role.WRITER])
        except Conflict:
            refused.append(name)
        finally:
            connection.close()

    threads = [threading.Thread(target=step_down, args=[name]) for name in ("manager", "writer")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert len(refused) == 1
    assert Membership.objects.filter(project=cast.project, role=Role.MANAGER).count() == 1
