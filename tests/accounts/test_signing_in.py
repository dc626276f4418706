"""Signing in, through allauth as configured: by user name, with limits, and back to where one was."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.test import Client, override_settings
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEvent, User, UserSession
from tests.factories import PASSWORD, make_user

pytestmark = pytest.mark.django_db

SIGN_IN = "/accounts/login/"


def test_it_signs_in_by_user_name_and_leads_back_to_where_one_was(client: Client) -> None:
    user = make_user("Lin")
    answer = client.get("/me")
    assert answer.headers["Location"] == f"{SIGN_IN}?next=/me"
    page = client.get(answer.headers["Location"])
    assert '<input type="hidden" name="next" value="/me">' in page.content.decode()
    signed_in = client.post(SIGN_IN, {"login": user.username.upper(), "password": PASSWORD, "next": "/me"})
    assert signed_in.headers["Location"] == "/me"
    assert client.get("/me").status_code == 200


def test_it_does_not_say_that_one_has_signed_in(client: Client) -> None:
    user = make_user("Mia")
    entered = client.post(
        reverse("account_login"), {"login": user.username, "password": PASSWORD}, follow=True
    )
    assert entered.status_code == 200
    assert [str(said) for said in entered.context["messages"]] == []


@pytest.mark.parametrize("there", ["https://evil.example/", "//evil.example", "javascript:alert(1)"])
def test_it_leads_nobody_to_another_site(client: Client, there: str) -> None:
    user = make_user("Lin")
    answer = client.post(SIGN_IN, {"login": user.username, "password": PASSWORD, "next": there})
    assert answer.headers["Location"] == "/"


def test_it_says_that_name_or_password_is_wrong_and_not_which(client: Client) -> None:
    user = make_user("Lin")
    data = {
        client.post(SIGN_IN, {"login": name, "password": "wrong"}).context["form"].non_field_errors()[0]
        for name in (user.username, "nobody-of-this-name")
    }
    assert data == {"The user name or password is incorrect."}


def test_it_limits_guesses_at_one_account_and_lets_others_in(client: Client) -> None:
    user, other = make_user("Lin"), make_user("Wu")
    for _ in range(5):
        client.post(SIGN_IN, {"login": user.username, "password": "wrong"})
    refused = client.post(SIGN_IN, {"login": user.username, "password": PASSWORD})
    assert "Wait five minutes" in refused.content.decode()
    assert client.post(SIGN_IN, {"login": other.username, "password": PASSWORD}).status_code == 302


@override_settings(ACCOUNT_RATE_LIMITS=settings.ACCOUNT_RATE_LIMITS | {"login": "2/m/ip"})
def test_it_says_on_a_page_that_an_address_has_tried_too_often(client: Client) -> None:
    for _ in range(2):
        client.post(SIGN_IN, {"login": "x", "password": "wrong"})
    answer = client.post(SIGN_IN, {"login": "x", "password": "wrong"})
    assert (answer.status_code, answer["Retry-After"]) == (429, "60")
    assert "limited per minute" in answer.content.decode()
    assert 'name="login" value="x"' in answer.content.decode()


def test_it_lets_a_class_behind_one_router_sign_in(client: Client) -> None:
    people = [make_user(f"Student {number}") for number in range(40)]
    assert {
        Client().post(SIGN_IN, {"login": person.username, "password": PASSWORD}).status_code
        for person in people
    } == {302}


def test_it_lets_nobody_sign_up(client: Client) -> None:
    assert client.get("/accounts/signup/").status_code == 404


def test_it_changes_the_password_and_keeps_one_signed_in(client: Client) -> None:
    client.force_login(user := make_user("Lin"))
    data = {"oldpassword": PASSWORD, "password1": "nineteen purple owls", "password2": "nineteen purple owls"}
    assert client.post(reverse("account_change_password"), data).status_code == 302
    user.refresh_from_db()
    assert user.check_password("nineteen purple owls")
    assert client.get("/me").status_code == 200
    assert AuditEvent.objects.filter(verb="set_password", actor=user, subject_id=user.pk).count() == 1


def test_it_changes_passwords_at_no_page_that_leaves_no_line_in_the_audit_trail(client: Client) -> None:
    client.force_login(make_user("Ada", administrator=True))
    for answer in (client.get("/admin/password_change/"), client.post("/admin/password_change/")):
        assert answer["Location"] == reverse("account_change_password")


def test_it_keeps_a_session_from_scripts_and_other_sites(client: Client) -> None:
    user = make_user("Lin")
    client.post(SIGN_IN, {"login": user.username, "password": PASSWORD})
    cookie = client.cookies[settings.SESSION_COOKIE_NAME]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"


@pytest.mark.parametrize("ended", ["signed out", "out of date", "barred", "password changed"])
def test_a_session_ends_at_once(client: Client, ended: str) -> None:
    user = make_user("Lin")
    client.force_login(user)
    assert client.get("/me").status_code == 200
    taken = client.cookies[settings.SESSION_COOKIE_NAME].value
    if ended == "signed out":
        client.post(reverse("account_logout"))
    elif ended == "out of date":
        UserSession.objects.update(expire_date=timezone.now())
    elif ended == "barred":
        User.objects.filter(pk=user.pk).update(is_active=False)
    else:
        user.set_password("another password than before")
        user.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = taken  # as somebody would have it who kept a copy
    assert client.get("/me").status_code == 302
