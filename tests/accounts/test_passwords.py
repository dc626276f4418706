"""Links for new passwords: who may issue one, and that each works once and for a time only."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import pytest
from django.conf import settings
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent, User
from accounts.services import allow_projects, get_or_create_placeholder, system_account
from projects.models import Role
from projects.services import set_roles
from tests.factories import Cast, make_project, make_user
from tests.projects.pages import address, browser

pytestmark = pytest.mark.django_db

NEW = {"password": "nineteen purple owls", "again": "nineteen purple owls"}


def _issue(cast: Cast, actor: User, user: User) -> str:
    """The address that the page shows, without its host; or the status of the refusal."""
    answer = browser(actor).post(address(cast, "reset_link", user.pk))
    found = re.search(r"http://testserver(/reset/[^<\s]+)", answer.content.decode())
    if answer.status_code == 200:
        assert "no-store" in answer.headers["Cache-Control"]
    return found.group(1) if found else str(answer.status_code)


def test_it_sets_a_new_password_by_a_managers_link_and_signs_in(cast: Cast, client: Client) -> None:
    link = _issue(cast, cast.manager, cast.writer)
    page = client.get(link)
    assert cast.writer.username in page.content.decode()
    answer = client.post(link, NEW)
    assert answer.headers["Location"] == reverse("dashboard:home")
    assert client.get("/me").context["user"] == cast.writer
    cast.writer.refresh_from_db()
    assert cast.writer.check_password(NEW["password"])
    verbs = AuditEvent.objects.filter(subject_id=cast.writer.pk).values_list("verb", flat=True)
    assert {"issue_reset_link", "set_password"} <= set(verbs)


def test_it_works_once(cast: Cast, client: Client) -> None:
    link = _issue(cast, cast.manager, cast.writer)
    client.post(link, NEW)
    other = {"password": "eighteen yellow cats", "again": "eighteen yellow cats"}
    for answer in (Client().get(link), Client().post(link, other)):
        assert answer.status_code == 409
        assert "has expired or was already used" in answer.content.decode()
    cast.writer.refresh_from_db()
    assert cast.writer.check_password(NEW["password"])


def test_it_ends_other_sessions_of_the_account(cast: Cast, client: Client) -> None:
    elsewhere = browser(cast.writer)
    client.post(_issue(cast, cast.manager, cast.writer), NEW)
    assert elsewhere.get("/me").status_code == 302


def test_it_expires(cast: Cast, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    link = _issue(cast, cast.manager, cast.writer)
    late = datetime.now() + timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT + 60)  # noqa: DTZ005 - as Django
    monkeypatch.setattr(PasswordResetTokenGenerator, "_now", lambda _self: late)
    assert client.get(link).status_code == 409


@pytest.mark.parametrize(
    "wrong", ["/reset/MQ/abc-def/", "/reset/!!/x/", "/reset/OTk5OTk5OTk5OTk5OTk5OTk5/x-y/"]
)
def test_it_knows_a_wrong_link(client: Client, wrong: str) -> None:
    make_user("Lin")
    assert client.get(wrong).status_code == 409


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"password": "short", "again": "short"}, "password"),
        ({"password": "12345678901", "again": "12345678901"}, "password"),
        ({"password": "nineteen purple owls", "again": "other"}, "again"),
        ({"password": "", "again": ""}, "password"),
    ],
)
def test_it_says_what_is_wrong_with_a_password(
    cast: Cast, client: Client, said: dict[str, str], field: str
) -> None:
    link = _issue(cast, cast.manager, cast.writer)
    answer = client.post(link, said)
    assert answer.status_code == 200
    assert field in answer.context["form"].errors
    assert client.post(link, NEW).status_code == 302


def test_it_is_issued_by_managers_only(cast: Cast) -> None:
    assert [_issue(cast, actor, cast.writer) for actor in (cast.writer2, cast.verifier)] == ["403", "403"]
    assert _issue(cast, cast.outsider, cast.writer) == "404"
    assert _issue(cast, cast.manager, cast.outsider) == "404"


@pytest.mark.parametrize(
    "who", ["administrator", "manager", "writer", "reviewer", "verifier", "may create projects"]
)
def test_it_is_issued_by_administrators_alone_for_who_has_rights_elsewhere(cast: Cast, who: str) -> None:
    administrator, other = make_user("Ada", administrator=True), make_project()
    people = {
        "administrator": make_user("Eve", administrator=True),
        "may create projects": make_user("Pia", may_create_projects=True),
    }
    user = people.get(who) or getattr(other, who)
    set_roles(actor=cast.manager, project=cast.project, user=user, roles=[Role.WRITER])
    assert _issue(cast, cast.manager, user) == "403"
    page = browser(cast.manager).get(address(cast, "member", user.pk)).content.decode()
    assert address(cast, "reset_link", user.pk) not in page
    assert "Only administrators" in page
    assert _issue(cast, administrator, user).startswith("/reset/")


def test_a_manager_issues_it_for_their_own_members_and_themselves(cast: Cast) -> None:
    set_roles(actor=cast.manager, project=cast.project, user=cast.writer2, roles=[Role.MANAGER])
    assert _issue(cast, cast.manager, cast.writer2).startswith("/reset/")
    make_project()  # somebody else's
    assert _issue(cast, cast.manager, cast.manager).startswith("/reset/")


@pytest.mark.parametrize("gain", ["a role in another project", "projects of their own"])
def test_it_no_longer_works_once_the_person_has_rights_elsewhere(
    cast: Cast, client: Client, gain: str
) -> None:
    link, other = _issue(cast, cast.manager, cast.writer), make_project()
    set_roles(actor=cast.manager, project=cast.project, user=cast.writer, roles=[Role.REVIEWER])
    assert client.get(link).status_code == 200
    if gain == "a role in another project":
        set_roles(actor=other.manager, project=other.project, user=cast.writer, roles=[Role.WRITER])
    else:
        allow_projects(actor=system_account(), user=cast.writer, allowed=True)
    assert client.get(link).status_code == 409


def test_it_is_not_issued_for_names_that_an_import_brought_in(cast: Cast) -> None:
    imported = get_or_create_placeholder(actor=system_account(), name="Old Writer")
    set_roles(actor=cast.manager, project=cast.project, user=imported, roles=[Role.WRITER])
    assert _issue(cast, cast.manager, imported) == "409"


def test_it_no_longer_works_once_the_account_is_shut(cast: Cast, client: Client) -> None:
    link = _issue(cast, cast.manager, cast.writer)
    User.objects.filter(pk=cast.writer.pk).update(is_active=False)
    assert client.get(link).status_code == 409


def test_it_keeps_links_out_of_the_log(cast: Cast, client: Client, caplog: pytest.LogCaptureFixture) -> None:
    link = _issue(cast, cast.manager, cast.writer)
    client.post(link, NEW)
    assert client.get(link).status_code == 409
    assert "/reset/" in caplog.text
    assert link.split("/")[3] not in caplog.text
