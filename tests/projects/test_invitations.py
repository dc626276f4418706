"""Joining by a link: once, for a time, with a new account or one's own; and who may make links."""

from __future__ import annotations

import html
import re
import threading
from datetime import timedelta

import pytest
import segno
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEvent, User
from core.errors import Conflict
from projects.models import Invitation, Membership, Role
from projects.queries import roles_of
from projects.services import accept_invitation, invite_people, revoke_invitation
from tests.factories import PASSWORD, Cast, make_project, make_user
from tests.projects.pages import address, browser, only_managers

ME = {
    "name": "林小雨",
    "username": "lin",
    "password": "nineteen purple owls",
    "again": "nineteen purple owls",
}


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


def _invite(cast: Cast, *roles: str) -> tuple[Invitation, str]:
    issued = invite_people(
        actor=cast.manager, project=cast.project, names=["林小雨"], roles=roles or ("writer", "reviewer")
    )[0]
    return issued.invitation, reverse("projects:invite_accept", args=[issued.token])


# --- making links ---------------------------------------------------------------------------


def test_its_form_ticks_no_role_and_says_that_nothing_is_mailed(cast: Cast) -> None:
    page = browser(cast.manager).get(address(cast, "invite")).content.decode()
    roles = re.findall(r'<input type="checkbox" name="roles"[^>]*>', page)
    assert len(roles) == len(Role)
    assert not any("checked" in role for role in roles)
    assert "Send each person their link yourself." in page


def test_it_makes_one_link_a_name_and_shows_them_until_they_are_put_away(cast: Cast) -> None:
    client = browser(cast.manager)
    data = {"names": "林小雨\n\n  Peter   Pan \n", "roles": ["writer", "verifier"], "days": "7"}
    answer = client.post(address(cast, "invite"), data, follow=True)
    page = answer.content.decode()
    links = re.findall(r'<code id="link-\d+"[^>]*>(http://testserver/join/[\w-]{32})</code>', page)
    assert len(set(links)) == 2
    assert f"Peter Pan: {links[1]}" in page
    assert "no-store" in answer.headers["Cache-Control"]
    assert answer.redirect_chain == [(address(cast, "invite"), 302)]
    assert links[0] in client.get(address(cast, "invite")).content.decode()
    assert Invitation.objects.count() == 2
    assert "/join/" not in browser(make_user("Ada", administrator=True)).get(address(cast, "invite")).text
    client.post(address(cast, "hide_links"))
    later = client.get(address(cast, "invite")).content.decode()
    assert "Peter Pan" in later
    assert "/join/" not in later
    invitation = Invitation.objects.get(name="Peter Pan")
    assert invitation.roles == ["verifier", "writer"]
    assert invitation.token_hash not in page
    assert timedelta(days=6) < invitation.expires_at - timezone.now() < timedelta(days=7, minutes=1)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"names": " \n "}, "names"),
        ({"names": "\n".join(map(str, range(201)))}, "names"),
        ({"names": "x" * 151}, "names"),
        ({"roles": []}, "roles"),
        ({"roles": ["emperor"]}, "roles"),
        ({"days": "9999"}, "days"),
    ],
)
def test_it_says_at_the_field_what_will_not_do(cast: Cast, changes: dict[str, object], field: str) -> None:
    data = {"names": "Lin", "roles": ["writer"], "days": "14"} | changes
    answer = browser(cast.manager).post(address(cast, "invite"), data)
    assert field in answer.context["form"].errors
    assert not Invitation.objects.exists()


def test_it_lets_managers_only_invite_and_revoke(cast: Cast) -> None:
    invitation, _ = _invite(cast)
    for name, status in only_managers().items():
        client = browser(getattr(cast, name, None))
        answer = client.post(address(cast, "revoke", invitation.pk))
        assert answer.status_code == (302 if status == 200 else status), name
        data = {"names": "Lin", "roles": ["writer"], "days": "14"}
        invited = client.post(address(cast, "invite"), data)
        assert invited.status_code == (302 if status == 200 else status), name
    other = make_project()
    assert browser(other.manager).post(address(other, "revoke", invitation.pk)).status_code == 404


# --- using them -----------------------------------------------------------------------------


def test_it_makes_an_account_joins_and_signs_in(cast: Cast, client: Client) -> None:
    invitation, link = _invite(cast)
    assert 'value="林小雨"' in client.get(link).content.decode()
    answer = client.post(link, ME | {"time_zone": "Asia/Shanghai"})
    assert answer.headers["Location"] == reverse("dashboard:project", args=[cast.project.slug])
    user = User.objects.get(username="lin")
    assert client.get("/me").context["user"] == user
    assert (user.name, user.time_zone, user.may_create_projects) == ("林小雨", "Asia/Shanghai", False)
    assert roles_of(user, cast.project) == {"writer", "reviewer"}
    invitation.refresh_from_db()
    assert invitation.accepted_by == user
    assert AuditEvent.objects.filter(verb="accept_invitation", actor=user).exists()


def test_it_ignores_a_time_zone_that_nobody_knows(cast: Cast, client: Client) -> None:
    client.post(_invite(cast)[1], ME | {"time_zone": "Mars/Olympus"})
    assert User.objects.get(username="lin").time_zone == ""


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"username": ""}, "username"),
        ({"username": "with space"}, "username"),
        ({"username": "x" * 151}, "username"),
        ({"name": ""}, "name"),
        ({"password": "short", "again": "short"}, "password"),
        ({"again": "other"}, "again"),
    ],
)
def test_it_keeps_the_link_open_while_the_form_is_wrong(
    cast: Cast, client: Client, changes: dict[str, str], field: str
) -> None:
    link = _invite(cast)[1]
    answer = client.post(link, ME | changes)
    assert answer.status_code == 200
    assert field in answer.context["form"].errors
    assert client.post(link, ME).status_code == 302


def test_it_says_that_a_user_name_is_taken(cast: Cast, client: Client) -> None:
    link = _invite(cast)[1]
    answer = client.post(link, ME | {"username": cast.writer.username.upper()})
    assert "is already taken" in answer.context["form"].errors["username"][0]
    assert client.post(link, ME).status_code == 302


def test_it_adds_the_project_to_an_account_that_is_signed_in(cast: Cast) -> None:
    link = _invite(cast, "verifier")[1]
    client = browser(cast.outsider)
    page = client.get(link)
    assert "This link is for 林小雨" in page.content.decode()
    assert not Membership.objects.filter(user=cast.outsider).exists()
    assert client.post(link).headers["Location"] == reverse("dashboard:project", args=[cast.project.slug])
    assert roles_of(cast.outsider, cast.project) == {"verifier"}


def test_it_warns_a_member_who_opens_somebody_elses_link(cast: Cast) -> None:
    link = _invite(cast)[1]
    assert "You are already a member of this project" in browser(cast.manager).get(link).content.decode()
    assert "You are already a member of this project" not in browser(cast.outsider).get(link).content.decode()


def test_it_leads_somebody_with_an_account_through_sign_in_and_back(cast: Cast, client: Client) -> None:
    link = _invite(cast)[1]
    page = client.get(link).content.decode()
    assert f"/accounts/login/?next={link}" in page
    data = {"login": cast.outsider.username, "password": PASSWORD, "next": link}
    assert client.post("/accounts/login/", data).headers["Location"] == link


@pytest.mark.parametrize("signed_in", [True, False])
@pytest.mark.parametrize(
    ("state", "status", "words"),
    [
        ("used", 409, "was already used"),
        ("revoked", 409, "was withdrawn"),
        ("expired", 409, "has expired"),
        ("wrong", 404, "Unknown link"),
    ],
)
def test_it_says_in_plain_words_why_a_link_no_longer_works(
    cast: Cast, state: str, status: int, words: str, *, signed_in: bool
) -> None:
    invitation, link = _invite(cast)
    if state == "used":
        Client().post(link, ME)
    elif state == "revoked":
        revoke_invitation(actor=cast.manager, invitation=invitation)
    elif state == "expired":
        Invitation.objects.filter(pk=invitation.pk).update(expires_at=timezone.now())
    else:
        link = reverse("projects:invite_accept", args=["x" * 32])
    before = User.objects.count(), Membership.objects.count()
    client = browser(cast.outsider if signed_in else None)
    for answer in (client.get(link), client.post(link, ME | {"username": "other"})):
        assert answer.status_code == status
        assert words in answer.content.decode()
    assert (User.objects.count(), Membership.objects.count()) == before


def test_it_cannot_revoke_a_link_that_was_used(cast: Cast, client: Client) -> None:
    invitation, link = _invite(cast)
    client.post(link, ME)
    with pytest.raises(Conflict):
        revoke_invitation(actor=cast.manager, invitation=invitation)
    page = browser(cast.manager).post(address(cast, "revoke", invitation.pk), follow=True)
    assert "Remove the person" in page.content.decode()


def test_it_keeps_links_out_of_the_log(cast: Cast, client: Client, caplog: pytest.LogCaptureFixture) -> None:
    link = _invite(cast)[1]
    client.post(link, ME)
    assert client.get(link).status_code == 409
    assert "/join/" in caplog.text
    assert link.removeprefix("/join/") not in caplog.text


@pytest.mark.django_db(transaction=True)
def test_it_lets_one_person_in_where_two_use_a_link_at_once() -> None:
    cast = make_project()
    token = _invite(cast)[1].removeprefix("/join/")
    start, outcomes = threading.Barrier(4), []

    def use(number: int) -> None:
        start.wait(timeout=20)
        try:
            accept_invitation(token=token, username=f"lin-{number}", name="Lin", password=PASSWORD)
            outcomes.append("in")
        except Conflict as refusal:
            outcomes.append(str(refusal))
        finally:
            connection.close()

    threads = [threading.Thread(target=use, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert sorted(outcomes)[:3] == ["This link was already used. Sign in with the account it created."] * 3
    assert outcomes.count("in") == 1
    assert User.objects.filter(username__startswith="lin-").count() == 1


def test_it_draws_each_link_as_a_qr_code_that_the_policy_lets_pages_show(cast: Cast) -> None:
    data = {"names": "Ann\nBo", "roles": ["writer"], "days": "7"}
    answer = browser(cast.manager).post(address(cast, "invite"), data, follow=True)
    pages = answer.content.decode()
    links = [link for _invitation, link, _square in answer.context["issued"]]
    for link in links:
        assert html.escape(segno.make_qr(link, error="m").svg_data_uri(scale=4, light="white")) in pages
    assert len(set(links)) == pages.count('<img src="data:image/svg+xml') == 2
    assert "img-src 'self' data:" in answer["Content-Security-Policy"]
