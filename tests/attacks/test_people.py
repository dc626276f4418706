"""Attacks on accounts, sessions and links."""

from __future__ import annotations

import re
import threading
from typing import Any

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.hashers import PBKDF2PasswordHasher, get_hasher
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.hasher import QueuedPasswordHasher
from accounts.models import User
from accounts.services import close_account
from accounts.sessions import SessionStore
from core.errors import Conflict
from projects.models import Membership, Role
from projects.services import (
    find_invitation,
    invite_people,
    issue_reset_link,
    join_by_invitation,
    set_roles,
)
from tests.factories import PASSWORD, Cast, make_user
from tests.projects.pages import browser

pytestmark = pytest.mark.django_db

SIGN_IN = "/accounts/login/"
NEW = "another correct horse battery"


def sign_in(client: Client, user: User, password: str = PASSWORD) -> Any:
    return client.post(SIGN_IN, {"login": user.username, "password": password})


def test_session_fixation() -> None:
    """Somebody plants the key of a session before the sign-in: a new one, one that nobody has, their own."""
    attacker, victim = make_user("Mallory"), make_user("Lin")
    begun = SessionStore()
    begun["planted"] = True
    begun.save()
    theirs = browser(attacker).cookies["sessionid"].value
    for planted in (str(begun.session_key), "p" * 32, theirs):
        client = Client()
        client.cookies["sessionid"] = planted
        assert sign_in(client, victim).status_code == 302
        stranger = Client()
        stranger.cookies["sessionid"] = planted
        assert stranger.session.get(SESSION_KEY) != str(victim.pk)
        assert planted == theirs or client.session[SESSION_KEY] == str(victim.pk)
        assert len(str(client.session.session_key)) == 32, "of 36 signs: 165 bits"


def test_password_truncation() -> None:
    """A password is compared whole: a part of it, other letters or white space around it do not do."""
    victim = make_user("Lin")
    secret = "  A very long password, " + "ab" * 60 + " 密码 "
    victim.set_password(secret)
    victim.save()
    for close in (secret[:72], secret.strip(), secret.lower(), secret + "x", secret[:-1] + "\0", secret[:-1]):
        client = Client()
        cache.clear()  # else so many wrong ones would lock the name
        sign_in(client, victim, close)
        assert SESSION_KEY not in client.session, close
    cache.clear()
    client = Client()
    sign_in(client, victim, secret)
    assert SESSION_KEY in client.session


def test_user_enumeration_by_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same hashes are computed for a name that exists, one that does not, and one that is closed."""
    known, closed = make_user("Lin"), make_user("Wu")
    close_account(actor=closed, user=closed)
    hashed: list[str] = []
    hasher = type(get_hasher())
    encode = hasher.encode

    def count(self: Any, password: str, *rest: Any, **more: Any) -> str:
        hashed.append(password)
        return encode(self, password, *rest, **more)

    monkeypatch.setattr(hasher, "encode", count)
    cost = {}
    for name in (known.username, closed.username, "nobody-at-all"):
        hashed.clear()
        answer = Client().post(SIGN_IN, {"login": name, "password": "a wrong password"})
        cost[name] = (len(hashed), answer.status_code)
    assert set(cost.values()) == {(1, 200)}, cost


def test_removed_manager_returns_by_an_invitation_of_their_own(cast: Cast) -> None:
    """A manager keeps a link in the drawer, is removed, and joins again by it, or sends somebody."""
    second = make_user("Bo")
    set_roles(actor=cast.manager, project=cast.project, user=second, roles=[Role.MANAGER])
    kept = invite_people(actor=second, project=cast.project, names=["Any"], roles=[Role.MANAGER])[0]
    others = invite_people(actor=cast.manager, project=cast.project, names=["New"], roles=[Role.WRITER])[0]
    set_roles(actor=cast.manager, project=cast.project, user=second, roles=[])
    with pytest.raises(Conflict):
        join_by_invitation(actor=second, token=kept.token)
    assert Client().get(reverse("projects:invite_accept", args=[kept.token])).status_code == 409
    assert not Membership.objects.filter(project=cast.project, user=second).exists()
    assert find_invitation(token=others.token), "the links of others still work"


def test_demoted_manager_joins_by_an_invitation_of_their_own(cast: Cast) -> None:
    second = make_user("Bo")
    set_roles(actor=cast.manager, project=cast.project, user=second, roles=[Role.MANAGER])
    kept = invite_people(actor=second, project=cast.project, names=["Any"], roles=[Role.MANAGER])[0]
    set_roles(actor=cast.manager, project=cast.project, user=second, roles=[Role.WRITER])
    answer = browser(second).post(reverse("projects:invite_accept", args=[kept.token]))
    assert answer.status_code == 409
    held = Membership.objects.filter(project=cast.project, user=second)
    assert [each.role for each in held] == [Role.WRITER]


def test_closed_account_leaves_open_invitations_behind(cast: Cast) -> None:
    administrator = make_user("Ada", administrator=True)
    make_user("Root", administrator=True)
    kept = invite_people(actor=administrator, project=cast.project, names=["X"], roles=[Role.MANAGER])[0]
    close_account(actor=administrator, user=administrator)
    with pytest.raises(Conflict):
        find_invitation(token=kept.token)


@pytest.mark.parametrize("ended", ["removed", "demoted", "closed"])
def test_removed_manager_takes_over_a_member_by_a_password_link(cast: Cast, ended: str) -> None:
    """The link was made for a member, and is used once its maker may no longer make one."""
    second = make_user("Bo")
    set_roles(actor=cast.manager, project=cast.project, user=second, roles=[Role.MANAGER])
    kept = issue_reset_link(actor=second, project=cast.project, user=cast.writer)
    page = reverse("accounts:reset", args=[kept.uid, kept.token])
    assert Client().get(page).status_code == 200
    if ended == "closed":
        close_account(actor=second, user=second)
    else:
        roles = [Role.REVIEWER] if ended == "demoted" else []
        set_roles(actor=cast.manager, project=cast.project, user=second, roles=roles)
    assert Client().get(page).status_code == 409


def test_session_of_a_removed_member(cast: Cast) -> None:
    """A page that was open goes on asking after the person was removed."""
    client = browser(cast.writer)
    page = f"/p/{cast.project.slug}"
    assert client.get(page).status_code == 200
    set_roles(actor=cast.manager, project=cast.project, user=cast.writer, roles=[])
    assert client.get(page).status_code == 404
    assert client.get(f"/api/v1/projects/{cast.project.slug}/").status_code == 404


def test_mass_assignment_of_rights_by_the_profile() -> None:
    """Fields that the form of the profile does not have change nothing."""
    user = make_user("Lin")
    client = browser(user)
    before = User.objects.filter(pk=user.pk).values().get()
    for name in (
        "is_superuser",
        "is_staff",
        "may_create_projects",
        "is_system",
        "username",
        "password",
        "id",
    ):
        client.post("/me", {"name": "Lin", "language": "", "time_zone": "", name: "1"})
    after = User.objects.filter(pk=user.pk).values().get()
    assert after == before


def test_sign_in_to_the_account_of_an_attacker() -> None:
    """A foreign page signs its visitor in to another account, to read what is typed there later."""
    attacker = make_user("Mallory")
    client = Client(enforce_csrf_checks=True)
    for headers in ({}, {"Origin": "https://evil.example"}, {"Referer": "https://evil.example/form"}):
        answer = client.post(SIGN_IN, {"login": attacker.username, "password": PASSWORD}, headers=headers)
        assert answer.status_code == 403
    assert SESSION_KEY not in client.session


def test_second_factor_is_skipped_by_opening_a_page() -> None:
    """Between password and code nobody is signed in: covered page by page by the session alone."""
    victim = make_user("Lin")
    TOTP.activate(victim, "JBSWY3DPEHPK3PXP")
    RecoveryCodes.activate(victim)
    client = Client()
    assert sign_in(client, victim).headers["Location"].startswith("/accounts/second-factor/authenticate/")
    for page in (
        "/me",
        "/",
        "/accounts/second-factor/",
        "/accounts/password/change/",
        "/accounts/reauthenticate/",
    ):
        assert client.get(page).status_code == 302, page
        assert SESSION_KEY not in client.session
    assert client.get("/api/v1/projects/").status_code in (401, 403)


@pytest.mark.django_db(transaction=True)
def test_race_on_a_recovery_code() -> None:
    """Two windows send the same recovery code at once: one of them is let in."""
    victim = make_user("Lin")
    TOTP.activate(victim, "JBSWY3DPEHPK3PXP")
    code = RecoveryCodes.activate(victim).get_unused_codes()[0]
    windows = [Client(), Client(), Client()]
    for window in windows:
        sign_in(window, victim)
    start = threading.Barrier(len(windows))

    def send(window: Client) -> None:
        start.wait()
        try:
            window.post("/accounts/second-factor/authenticate/", {"code": code})
        finally:
            connection.close()

    threads = [threading.Thread(target=send, args=[window]) for window in windows]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(SESSION_KEY in window.session for window in windows) == 1


def test_totp_code_of_another_half_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """A code that was seen over a shoulder does half a minute later no more, nor one of the future."""
    secret, step = "JBSWY3DPEHPK3PXP", 60_000_000
    victim = make_user("Lin")
    factor = TOTP.activate(victim, secret)
    monkeypatch.setattr("allauth.mfa.totp.internal.auth.time.time", lambda: step * 30 + 5.0)
    for other in (step - 1, step + 1, step - 2):
        assert not factor.validate_code(str(format_hotp_value(hotp_value(secret, other)))), other
    assert factor.validate_code(str(format_hotp_value(hotp_value(secret, step))))


def test_password_field_shows_or_refuses_what_is_pasted(cast: Cast) -> None:
    """Fields hide what is typed, and leave managers of passwords and pasting alone."""
    client = browser(cast.writer)
    link = invite_people(actor=cast.manager, project=cast.project, names=["New"], roles=["writer"])[0]
    pages = [
        (Client(), SIGN_IN),
        (client, "/accounts/password/change/"),
        (Client(), reverse("projects:invite_accept", args=[link.token])),
    ]
    for asker, page in pages:
        fields = re.findall(r"<input[^>]*type=\"password\"[^>]*>", asker.get(page).content.decode())
        assert fields, page
        for field in fields:
            assert re.search(r'autocomplete="(new|current)-password"', field), field
            assert int((re.findall(r'maxlength="(\d+)"', field) or ["256"])[0]) >= 64, field


def test_sign_out_is_on_every_page(cast: Cast) -> None:
    client = browser(cast.writer)
    for page in ("/", "/me", f"/p/{cast.project.slug}"):
        assert 'action="/accounts/logout/"' in client.get(page, follow=True).content.decode(), page


def test_password_hash_that_is_quick_to_guess() -> None:
    """The hashes of a stolen database cost what Django's present version demands, or more."""
    hasher = QueuedPasswordHasher()
    assert (hasher.algorithm, hasher.digest().name) == ("pbkdf2_sha256", "sha256")
    assert hasher.iterations >= 600_000, "what OWASP asks for PBKDF2 with SHA-256"
    old = PBKDF2PasswordHasher().encode("a password", "salt" * 6, 1000)
    assert hasher.must_update(old), "an old hash is made anew at the next sign-in"


@pytest.mark.parametrize(
    ("address", "sent"),
    [
        ("/accounts/reauthenticate/", {"password": "{}"}),
        ("/accounts/password/change/", {"oldpassword": "{}", "password1": NEW, "password2": NEW}),
        ("/me/close", {"password": "{}", "confirm": "on"}),
    ],
)
def test_password_is_guessed_in_a_stolen_session(address: str, sent: dict[str, str]) -> None:
    """Someone with a session and no password tries words where the password is asked for again."""
    victim = make_user("Lin")
    client = browser(victim)
    for number in range(30):
        client.post(address, {name: value.format(f"guess number {number}") for name, value in sent.items()})
    client.post(address, {name: value.format(PASSWORD) for name, value in sent.items()})
    after = User.objects.get(pk=victim.pk)
    assert (after.password, after.is_active) == (victim.password, True)
    assert "account_authentication_methods" not in client.session


@pytest.mark.parametrize("posed", ["1.2.3.4, {}", "{}, {}", "127.0.0.1, 1.2.3.4, {}", "x, {}"])
def test_forwarded_address_escapes_a_limit(settings: Settings, posed: str) -> None:
    """Behind one proxy the last address counts, which the proxy wrote; what came before it is made up."""
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = settings.PROXIES = 1
    victim, locked = make_user("Lin"), set()
    for number in range(8):
        came = posed.format(
            *(f"198.51.100.{number}", "203.0.113.9") if posed.count("{}") > 1 else ("203.0.113.9",)
        )
        answer = Client(headers={"X-Forwarded-For": came}).post(
            SIGN_IN, {"login": victim.username, "password": f"guess number {number}"}
        )
        locked.add("Too many failed attempts" in answer.content.decode())
    assert locked == {False, True}, "five are tried, then the name is locked at this address"
