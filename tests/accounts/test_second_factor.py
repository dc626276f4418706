"""A second factor: set up, asked for at each sign-in, limited, required, and removed."""

from __future__ import annotations

from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.contrib.auth import SESSION_KEY
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.adapters import SecondFactorAdapter
from accounts.models import AuditEvent, User
from accounts.services import close_account, make_reset_link
from projects.services import create_token
from tests.factories import PASSWORD, make_user
from tests.projects.pages import browser

pytestmark = pytest.mark.django_db

INDEX, CODE = "/accounts/second-factor/", "/accounts/second-factor/authenticate/"
ACTIVATE, REMOVE = f"{INDEX}app/activate/", f"{INDEX}app/deactivate/"


STEP = 60_000_000


@pytest.fixture(autouse=True)
def _time_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    """One code is valid during a test, however close the next half minute is."""
    monkeypatch.setattr("allauth.mfa.totp.internal.auth.yield_hotp_counters_from_time", lambda: iter((STEP,)))


def code_of(secret: str, *, step: int = STEP) -> str:
    return str(format_hotp_value(hotp_value(secret, step)))


def signed_in() -> tuple[User, Client]:
    user, client = make_user("Lin"), Client()
    assert sign_in(client, user).headers["Location"] == "/"
    return user, client


def sign_in(client: Client, user: User) -> Any:
    return client.post("/accounts/login/", {"login": user.username, "password": PASSWORD})


def confirm(client: Client) -> None:
    """Confirm the password, as all changes of a second factor need it."""
    assert client.get(ACTIVATE).headers["Location"].startswith("/accounts/reauthenticate/")
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})


def is_in(client: Client) -> bool:
    return SESSION_KEY in client.session


def protected(capture: Any) -> tuple[User, Client, str]:
    """Somebody with an authenticator app, the browser in which it was set up, and the secret."""
    user, client = signed_in()
    confirm(client)
    secret = client.get(ACTIVATE).context["form"].secret
    with capture(execute=True):
        answer = client.post(ACTIVATE, {"code": code_of(secret)})
    assert answer.headers["Location"] == f"{INDEX}recovery-codes/"
    return user, client, secret


@pytest.fixture
def capture(django_capture_on_commit_callbacks: Any) -> Any:
    return django_capture_on_commit_callbacks


def test_setting_it_up_needs_a_code_of_the_app(capture: Any) -> None:
    user, client = signed_in()
    confirm(client)
    page = client.get(ACTIVATE)
    secret = page.context["form"].secret
    assert secret in page.content.decode()
    assert "data:image/svg+xml" in page.content.decode()
    assert client.post(ACTIVATE, {"code": "000000"}).status_code == 200
    assert not Authenticator.objects.exists()
    user, client, secret = protected(capture)
    assert AuditEvent.objects.filter(verb="add_second_factor", actor=user).exists()
    kept = Authenticator.objects.get(user=user, type="totp").data["secret"]
    assert secret not in kept
    assert SecondFactorAdapter().decrypt(kept) == secret
    assert "An authenticator app is set up." in client.get(INDEX).content.decode()


def test_signing_in_needs_password_and_code(capture: Any) -> None:
    user, _client, secret = protected(capture)
    client = Client()
    assert sign_in(client, user).headers["Location"] == CODE
    assert not is_in(client)
    assert client.get("/me").status_code == 302
    assert client.post(CODE, {"code": "12345"}).status_code == 200
    assert not is_in(client)
    client.post(CODE, {"code": code_of(secret, step=STEP - 1)})
    assert not is_in(client)
    client.post(CODE, {"code": code_of(secret)})
    assert is_in(client)
    assert client.get("/me").status_code == 200
    assert AuditEvent.objects.filter(verb="sign_in", actor=user).count() == 2


def test_a_code_signs_in_once(capture: Any) -> None:
    user, _client, secret = protected(capture)
    code = code_of(secret)
    for expected in (True, False):
        client = Client()
        sign_in(client, user)
        client.post(CODE, {"code": code})
        assert is_in(client) is expected


def test_a_recovery_code_signs_in_once(capture: Any) -> None:
    user, client, _secret = protected(capture)
    codes = client.get(f"{INDEX}recovery-codes/").context["unused_codes"]
    assert len(codes) == 10
    assert codes[0] in client.get(f"{INDEX}recovery-codes/file/").content.decode()
    for expected in (True, False):
        other = Client()
        sign_in(other, user)
        other.post(CODE, {"code": codes[0]})
        assert is_in(other) is expected
    assert len(client.get(f"{INDEX}recovery-codes/").context["unused_codes"]) == 9


def test_five_wrong_codes_end_the_attempts_for_a_while(capture: Any) -> None:
    user, _client, secret = protected(capture)
    for each in range(5):
        client = Client(REMOTE_ADDR=f"192.0.2.{each}")
        sign_in(client, user)
        client.post(CODE, {"code": "000000"})
    client = Client(REMOTE_ADDR="192.0.2.99")
    sign_in(client, user)
    page = client.post(CODE, {"code": code_of(secret)})
    assert "Too many failed attempts" in page.content.decode()
    assert not is_in(client)


def test_it_is_removed_by_its_owner(capture: Any) -> None:
    user, client, _secret = protected(capture)
    assert client.get(REMOVE).status_code == 200
    client.post(REMOVE)
    assert not Authenticator.objects.filter(user=user).exists()
    assert AuditEvent.objects.filter(verb="remove_second_factor", actor=user).exists()
    assert sign_in(Client(), user).headers["Location"] == "/"


def test_new_recovery_codes_replace_the_old_ones(capture: Any) -> None:
    user, client, _secret = protected(capture)
    before = client.get(f"{INDEX}recovery-codes/").context["unused_codes"]
    with capture(execute=True):
        client.post(f"{INDEX}recovery-codes/new/")
    after = client.get(f"{INDEX}recovery-codes/").context["unused_codes"]
    assert not {*before} & {*after}
    assert AuditEvent.objects.filter(verb="renew_recovery_codes", actor=user).exists()


def test_administrators_remove_it_for_who_has_lost_it(capture: Any) -> None:
    user, client, _secret = protected(capture)
    address = reverse("accounts:reset_second_factor", args=[user.pk])
    ada = browser(make_user("Ada", administrator=True))
    assert client.post(address).status_code == 403
    assert address in ada.get("/people").content.decode()
    assert ada.post(address).headers["Location"] == "/people"
    assert not Authenticator.objects.filter(user=user).exists()
    assert ada.post(address).status_code == 409
    assert ada.get(address).status_code == 405


def test_a_link_for_a_password_does_not_replace_it(capture: Any) -> None:
    user, _client, _secret = protected(capture)
    user.refresh_from_db()
    link = make_reset_link(actor=user, user=user)
    client = Client()
    new = "another battery staple here"
    answer = client.post(
        reverse("accounts:reset", args=[link.uid, link.token]), {"password": new, "again": new}
    )
    assert answer.headers["Location"] == "/accounts/login/"
    assert not is_in(client)


def test_a_closed_account_has_no_secrets(capture: Any) -> None:
    user, _client, _secret = protected(capture)
    close_account(actor=user, user=user)
    assert not Authenticator.objects.filter(user=user).exists()


@pytest.mark.parametrize(
    ("required", "administrator", "is_led"),
    [
        ("nobody", True, False),
        ("administrators", True, True),
        ("administrators", False, False),
        ("all", False, True),
        ("all", True, True),
    ],
)
def test_who_must_have_one_is_led_to_it(
    settings: Settings, required: str, administrator: bool, is_led: bool
) -> None:
    settings.REQUIRE_TOTP = required
    user = make_user("Lin", administrator=administrator)
    client = Client()
    sign_in(client, user)
    page = client.get("/me")
    assert (page.status_code, page.headers.get("Location")) == ((302, ACTIVATE) if is_led else (200, None))
    assert client.get("/api/v1/me/").status_code == (403 if is_led else 200)
    assert client.post("/me/language", {"language": "en"}).headers["Location"] == (
        ACTIVATE if is_led else "/"
    )
    confirm(client)
    token = create_token(actor=user, name="x", scopes=["read"], days=1).text
    assert Client(headers={"Authorization": f"Bearer {token}"}).get("/api/v1/me/").status_code == 200
    secret = client.get(ACTIVATE).context["form"].secret
    client.post(ACTIVATE, {"code": code_of(secret)})
    assert client.get("/me").status_code == 200
    client.post(REMOVE)
    assert Authenticator.objects.filter(user=user, type="totp").exists() is is_led


def test_who_must_have_one_may_leave(settings: Settings) -> None:
    settings.REQUIRE_TOTP = "all"
    _user, client = signed_in()
    client.post("/accounts/logout/")
    assert not is_in(client)
