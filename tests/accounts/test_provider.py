"""Signing in at a provider of OpenID Connect, which runs in a process of its own."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from allauth.socialaccount.internal import jwtkit
from allauth.socialaccount.models import SocialAccount, SocialToken
from django.contrib.auth import SESSION_KEY
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from accounts.models import AuditEvent, User, UserSession
from accounts.services import close_account
from config.environment import ROLES, openid_connect
from projects.models import Membership, Role
from projects.services import set_roles
from tests.factories import Cast, make_user
from tests.projects.pages import browser

pytestmark = pytest.mark.django_db


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_asked: Any) -> None:
        return None


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "-p", str(port)]
    address = f"http://127.0.0.1:{port}"
    with subprocess.Popen(program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            for _attempt in range(300):
                try:
                    urllib.request.urlopen(f"{address}/.well-known/openid-configuration").close()
                    break
                except OSError:
                    time.sleep(0.1)
            yield address
        finally:
            process.terminate()


@pytest.fixture(autouse=True)
def _provider(settings: Settings, issuer: str) -> None:
    settings.OIDC_URL, settings.OIDC_NAME = issuer, "the lab"
    settings.SOCIALACCOUNT_PROVIDERS = openid_connect(issuer, "the lab", "parable", "secret")


def grouped(settings: Settings, cast: Cast) -> None:
    slug = cast.project.slug
    settings.OIDC_CLAIM = "groups"
    settings.OIDC_ROLES = {
        "editors": [(slug, "writer")],
        "judges": [(slug, "reviewer"), (slug, "verifier")],
        "leads": [(slug, "manager")],
    }


def knows(issuer: str, subject: str, **claims: Any) -> None:
    """Let the provider know somebody with these claims."""
    body = json.dumps(claims).encode()
    asked = urllib.request.Request(
        f"{issuer}/users/{subject}", body, {"Content-Type": "application/json"}, method="PUT"
    )
    urllib.request.urlopen(asked).close()


def arrive(client: Client, subject: str, *, process: str = "", action: str = "") -> Any:
    """Go to the provider, be that person there, and come back."""
    there = client.get("/accounts/oidc/login/" + (f"?process={process}" if process else ""))
    form = urllib.parse.urlencode({"sub": subject} | ({"action": action} if action else {})).encode()
    with pytest.raises(urllib.error.HTTPError) as back:
        urllib.request.build_opener(_Stay).open(there.headers["Location"], form)
    address = urllib.parse.urlsplit(back.value.headers["Location"])
    back.value.close()
    assert address.path == "/accounts/oidc/callback/"
    return client.get(f"{address.path}?{address.query}")


def is_in(client: Client) -> bool:
    return SESSION_KEY in client.session


def roles(cast: Cast, user: User) -> set[str]:
    return set(Membership.objects.filter(project=cast.project, user=user).values_list("role", flat=True))


def test_the_first_sign_in_creates_an_account_and_the_next_finds_it(issuer: str) -> None:
    knows(issuer, "s1", preferred_username="lin", name="Lin Xiaoyu", email="lin@lab.example")
    client = Client()
    assert "Sign in with the lab" in client.get("/accounts/login/").content.decode()
    assert arrive(client, "s1").headers["Location"] == "/"
    user = User.objects.get(username="lin")
    assert (user.name, user.email, user.has_usable_password()) == ("Lin Xiaoyu", "lin@lab.example", False)
    assert is_in(client)
    assert AuditEvent.objects.filter(verb="sign_in", actor=user).exists()
    knows(issuer, "s1", preferred_username="renamed", name="Other")
    other = Client()
    arrive(other, "s1")
    assert other.session[SESSION_KEY] == str(user.pk)
    assert SocialAccount.objects.count() == 1
    assert not SocialToken.objects.exists(), "tokens of the provider are not kept"


def test_who_has_no_password_is_told_so_and_not_asked_for_one(issuer: str) -> None:
    knows(issuer, "s1", preferred_username="lin")
    client = Client()
    arrive(client, "s1")
    assert "Change password" not in client.get("/me").content.decode()
    page = client.get("/accounts/password/change/", follow=True)
    assert page.redirect_chain[-1] == ("/me", 302)
    assert "Your account has no password: you sign in with the lab." in page.content.decode()


def test_signing_out_ends_the_session(issuer: str) -> None:
    knows(issuer, "s2", preferred_username="wu")
    client = Client()
    arrive(client, "s2")
    client.post("/accounts/logout/")
    assert not is_in(client)
    assert client.get("/me").status_code == 302


def test_a_local_user_name_is_never_taken_over(issuer: str) -> None:
    local = make_user("Lin", administrator=True)
    User.objects.filter(pk=local.pk).update(email="lin@lab.example")
    knows(
        issuer, "foreign", preferred_username=local.username, name="Lin", email="lin@lab.example",
        email_verified=True,
    )  # fmt: skip
    client = Client()
    arrive(client, "foreign")
    newcomer = User.objects.get(pk=client.session[SESSION_KEY])
    assert newcomer.pk != local.pk
    assert newcomer.username.startswith(f"{local.username}-")
    assert not newcomer.is_superuser
    assert not SocialAccount.objects.filter(user=local).exists()


def test_who_is_signed_in_connects_the_own_account(issuer: str) -> None:
    local = make_user("Wei")
    knows(issuer, "s3", preferred_username="wei")
    client = browser(local)
    assert arrive(client, "s3", process="connect").headers["Location"] == "/me"
    other = Client()
    arrive(other, "s3")
    assert other.session[SESSION_KEY] == str(local.pk)
    stranger = browser(make_user("Mei"))
    arrive(stranger, "s3", process="connect")
    assert SocialAccount.objects.get(uid="s3").user == local


def test_groups_give_roles_at_each_sign_in_and_take_them(issuer: str, settings: Settings, cast: Cast) -> None:
    grouped(settings, cast)
    knows(issuer, "g1", preferred_username="gu", groups=["editors", "unknown"])
    client = Client()
    arrive(client, "g1")
    user = User.objects.get(username="gu")
    assert roles(cast, user) == {"writer"}
    knows(issuer, "g1", preferred_username="gu", groups=["judges"])
    arrive(Client(), "g1")
    assert roles(cast, user) == {"reviewer", "verifier"}
    set_roles(
        actor=cast.manager, project=cast.project, user=user,
        roles=[Role.REVIEWER, Role.VERIFIER, Role.OBSERVER],
    )  # fmt: skip
    knows(issuer, "g1", preferred_username="gu", groups="editors")
    arrive(Client(), "g1")
    assert roles(cast, user) == {"writer", "observer"}


@pytest.mark.parametrize("groups", [None, [], ["unknown"], "unknown", {"editors": 1}, 7])
def test_who_is_in_no_group_gets_no_account(issuer: str, settings: Settings, cast: Cast, groups: Any) -> None:
    grouped(settings, cast)
    knows(issuer, "g2", preferred_username="nobody-here", groups=groups)
    before = User.objects.count()
    client = Client()
    answer = arrive(client, "g2")
    assert answer.status_code == 403
    assert "the lab" in answer.content.decode()
    assert not is_in(client)
    assert (User.objects.count(), SocialAccount.objects.count()) == (before, 0)


def test_who_has_left_all_groups_loses_roles_and_is_not_let_in(
    issuer: str, settings: Settings, cast: Cast
) -> None:
    grouped(settings, cast)
    knows(issuer, "g3", preferred_username="gone", groups=["editors"])
    arrive(Client(), "g3")
    user = User.objects.get(username="gone")
    knows(issuer, "g3", preferred_username="gone", groups=[])
    client = Client()
    assert arrive(client, "g3").status_code == 403
    assert not is_in(client)
    assert roles(cast, user) == set()


def test_the_only_manager_of_a_project_stays(issuer: str, settings: Settings, cast: Cast) -> None:
    grouped(settings, cast)
    knows(issuer, "g4", preferred_username="lead", groups=["leads"])
    arrive(Client(), "g4")
    user = User.objects.get(username="lead")
    set_roles(actor=cast.manager, project=cast.project, user=cast.manager, roles=[])
    knows(issuer, "g4", preferred_username="lead", groups=["editors"])
    client = Client()
    arrive(client, "g4")
    assert is_in(client)
    assert roles(cast, user) == {"manager"}


def test_a_session_by_the_provider_ends_after_hours(issuer: str, settings: Settings) -> None:
    """So long, and no longer, is somebody in whom the provider has removed."""
    settings.OIDC_HOURS = 3
    knows(issuer, "s4", preferred_username="short")
    client = Client()
    arrive(client, "s4")
    row = UserSession.objects.get(user__username="short")
    left = row.expire_date - timezone.now()
    assert timedelta(hours=2, minutes=59) < left <= timedelta(hours=3)
    client.get("/me")
    UserSession.objects.filter(pk=row.pk).update(expire_date=timezone.now())
    assert client.get("/me").status_code == 302


def test_a_closed_account_is_not_let_in_and_no_longer_bound(issuer: str) -> None:
    knows(issuer, "s5", preferred_username="closing")
    arrive(Client(), "s5")
    user = User.objects.get(username="closing")
    User.objects.filter(pk=user.pk).update(is_active=False)
    client = Client()
    arrive(client, "s5")
    assert not is_in(client)
    close_account(actor=user, user=user)
    assert not SocialAccount.objects.exists()


def test_who_declines_at_the_provider_is_not_signed_in() -> None:
    client = Client()
    assert arrive(client, "s6", action="deny").status_code == 401
    assert client.get("/accounts/oidc/cancelled/").status_code == 200
    assert not is_in(client)


@pytest.mark.parametrize("query", ["", "?code=made-up", "?code=made-up&state=made-up", "?error=server_error"])
def test_what_did_not_begin_here_signs_nobody_in(query: str) -> None:
    client = Client()
    assert client.get(f"/accounts/oidc/callback/{query}").status_code in (200, 401)
    assert not is_in(client)


def test_without_a_provider_there_is_none(settings: Settings) -> None:
    settings.OIDC_URL, settings.SOCIALACCOUNT_PROVIDERS = "", {}
    client = Client()
    assert "Sign in with" not in client.get("/accounts/login/").content.decode()
    assert client.get("/accounts/oidc/login/").status_code == 404
    assert client.get("/accounts/oidc/callback/?code=x").status_code == 404


def test_the_settings_know_the_roles_of_projects() -> None:
    assert set(Role.values) == ROLES


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_page_of_another_site_signs_nobody_in(issuer: str, site: str) -> None:
    """The provider may not ask, so that an image or a link there would be enough."""
    answer = Client().get("/accounts/oidc/login/", headers={"Sec-Fetch-Site": site})
    assert answer.headers["Location"] == "/accounts/login/"
    for own in ("same-origin", "none"):
        answer = Client().get("/accounts/oidc/login/", headers={"Sec-Fetch-Site": own})
        assert answer.headers["Location"].startswith(issuer)


def test_a_provider_that_says_it_is_another_signs_nobody_in(settings: Settings, issuer: str) -> None:
    """Its configuration was replaced: its tokens fit what it says, and not the issuer of the settings."""
    knows(issuer, "posed", preferred_username="posed")
    settings.OIDC_URL = "https://login.example"  # what the administrator wrote; the server speaks as another
    client = Client()
    assert arrive(client, "posed").status_code == 401
    assert not is_in(client)
    assert not User.objects.filter(username="posed").exists()


def test_an_id_token_for_another_client_signs_nobody_in(issuer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A token that the provider made for another site is handed to this one."""
    knows(issuer, "borrowed", preferred_username="borrowed")
    client = Client()
    verify = jwtkit.verify_and_decode
    asked: list[str] = []

    def other(**values: Any) -> Any:
        asked.append(values["audience"])
        return verify(**{**values, "audience": "another-site"})

    monkeypatch.setattr(
        "allauth.socialaccount.providers.openid_connect.views.jwtkit.verify_and_decode", other
    )
    arrive(client, "borrowed")
    assert asked == ["parable"]
    assert not is_in(client)
