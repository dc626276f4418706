"""Who is locked out by wrong passwords, for how many, and who is not; what trace signing in leaves."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
from allauth.account.views import LoginView
from django.conf import settings
from django.core import signing
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from accounts.browsers import PEOPLE, browser_name
from accounts.models import AuditEvent, User, UserSession
from accounts.queries import sessions_of
from accounts.services import forget_ended_sessions
from accounts.services.sign_in import BURSTS
from accounts.sessions import SEEN_EVERY
from tests.factories import PASSWORD, make_user
from tests.projects.pages import browser

pytestmark = pytest.mark.django_db

SIGN_IN = "/accounts/login/"
IN, WRONG, LOCKED, LOCKED_ADDRESS = "in", "wrong", "locked", "locked address"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"


@pytest.fixture(autouse=True)
def _behind_a_proxy(settings: Settings) -> None:
    """Let each request of a test come from the address that it names."""
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1


@pytest.fixture(autouse=True)
def _form_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answer with what is wrong alone: the page around it takes a third of the time of a wrong password."""
    monkeypatch.setattr(LoginView, "template_name", "components/_form_errors.html")


def attempt(
    name: str, password: str = "", *, address: str = "192.0.2.1", client: Client | None = None
) -> str:
    """What comes of one attempt to sign in."""
    form = {"login": name, "password": password or "wrong"}
    headers = {"X-Forwarded-For": f"203.0.113.99, {address}", "User-Agent": FIREFOX}
    answer = (client or Client()).post(SIGN_IN, form, headers=headers)
    if answer.status_code == 302:
        return IN
    page_text = answer.content.decode()
    for words, meant in {
        "is incorrect": WRONG,
        "for this user name. Wait five minutes": LOCKED,
        "from your network. Wait a minute": LOCKED_ADDRESS,
    }.items():
        if words in page_text:
            return meant
    raise AssertionError((answer.status_code, page_text))


def fail(name: str, times: int, addresses: Iterable[str] = ("192.0.2.1",), **more: Any) -> set[str]:
    """Try so many wrong passwords from these addresses, five at most from each."""
    tried = [address for address in addresses for _ in range(5)][:times]
    assert len(tried) == times
    return {attempt(name, address=address, **more) for address in tried}


MANY = [f"198.51.100.{number}" for number in range(1, 20)]


@pytest.mark.parametrize(
    ("failures", "addresses", "from_address", "then"),
    [
        (4, ["192.0.2.1"], "192.0.2.1", IN),
        (5, ["192.0.2.1"], "192.0.2.1", LOCKED),
        (5, ["192.0.2.1"], "192.0.2.2", IN),  # anybody may have done it: it is theirs to bear
        (5, ["2001:db8::1"], "2001:db8::2", LOCKED),  # one network, one person
        (5, ["2001:db8::1"], "2001:db8:0:1::1", IN),
    ],
)
def test_it_locks_a_name_at_one_address(
    failures: int, addresses: list[str], from_address: str, then: str
) -> None:
    user = make_user("Lin")
    assert fail(user.username, failures, addresses) == {WRONG}
    assert attempt(user.username, PASSWORD, address=from_address) == then
    assert attempt(make_user("Wu").username, PASSWORD, address=from_address) == IN


def test_it_locks_a_name_everywhere_only_after_fifty_wrong_passwords() -> None:
    user = make_user("Lin")
    assert fail(user.username, 49, MANY) == {WRONG}
    assert attempt(user.username, PASSWORD) == IN
    assert attempt(user.username) == WRONG
    assert attempt(user.username, PASSWORD, address="192.0.2.2") == LOCKED
    assert attempt(make_user("Wu").username, PASSWORD, address="192.0.2.2") == IN


def test_it_locks_an_address_after_sixty_wrong_passwords_for_any_names() -> None:
    user = make_user("Lin")
    assert {attempt(f"nobody-{number}") for number in range(59)} == {WRONG}
    assert attempt(user.username, PASSWORD) == IN
    assert attempt("nobody") == WRONG
    assert attempt(user.username, PASSWORD) == LOCKED_ADDRESS
    assert attempt(user.username, PASSWORD, address="192.0.2.2") == IN


@pytest.mark.parametrize(("failures", "then"), [(4, IN), (5, LOCKED)])
def test_a_browser_that_signed_in_before_has_a_limit_of_its_own(failures: int, then: str) -> None:
    user, own, other = make_user("Lin"), Client(), Client()
    for client in (own, other):
        assert attempt(user.username, PASSWORD, client=client) == IN
        client.post(reverse("account_logout"))
    fail(user.username, 50, MANY)
    fail(user.username, 5)
    assert attempt(user.username, PASSWORD) == LOCKED
    assert {attempt(user.username, client=own) for _ in range(failures)} == {WRONG}
    assert attempt(user.username, PASSWORD, client=own) == then
    assert attempt(user.username, PASSWORD, client=other) == IN


def test_a_browser_passes_for_those_who_signed_in_with_it_and_for_nobody_else() -> None:
    people = [make_user(f"Person {number}") for number in range(PEOPLE + 1)]
    shared, stranger = Client(), make_user("Lin")
    for person in people:
        assert attempt(person.username, PASSWORD, client=shared, address=f"192.0.2.{person.pk % 250}") == IN
        shared.post(reverse("account_logout"))
    for person in [*people, stranger]:
        fail(person.username, 5)
    passes = []
    for person in [*people, stranger]:
        passes.append(attempt(person.username, PASSWORD, client=shared))
        shared.cookies.pop(settings.SESSION_COOKIE_NAME, None)
    assert passes == [LOCKED, *[IN] * PEOPLE, LOCKED]  # the first was forgotten


@pytest.mark.parametrize("forged", ["", "x", "other key", "other salt"])
def test_it_believes_no_cookie_that_it_has_not_signed(forged: str) -> None:
    user, client = make_user("Lin"), Client()
    data = {"browser": "b" * 16, "people": [user.pk]}
    client.cookies[settings.KNOWN_BROWSER_COOKIE] = {
        "other key": signing.dumps(data, key="k" * 50, salt="parable.known-browser"),
        "other salt": signing.dumps(data),
    }.get(forged, forged)
    fail(user.username, 5)
    assert attempt(user.username, PASSWORD, client=client) == LOCKED


def test_the_cookie_of_a_browser_gives_no_access_and_is_kept_from_scripts() -> None:
    user, client = make_user("Lin"), Client()
    attempt(user.username, PASSWORD, client=client)
    cookie = client.cookies[settings.KNOWN_BROWSER_COOKIE]
    assert cookie["httponly"]
    assert (cookie["samesite"], cookie["path"], cookie["domain"]) == ("Lax", "/", "")
    del client.cookies[settings.SESSION_COOKIE_NAME]
    assert client.get("/me").status_code == 302


def test_a_name_is_one_name_however_it_is_spelled() -> None:
    name = (user := make_user("Lisa")).username
    long_s = name.replace("s", "\u017f")  # which PostgreSQL takes for S
    spelled = [name, name.upper(), name.title(), f" {name} ", long_s]
    assert {attempt(name) for name in spelled} == {WRONG}
    assert attempt(user.username, PASSWORD) == LOCKED


def test_the_right_password_costs_nothing_of_a_limit() -> None:
    user = make_user("Lin")
    for _ in range(12):
        assert attempt(user.username, PASSWORD) == IN


# --- the trace ---------------------------------------------------------------------------------


def trail(*verbs: str) -> list[tuple[str, str, dict[str, Any]]]:
    """Verb, who it is about and detail of these events, in their order."""
    people = {user.pk: user.username for user in User.objects.all()}
    events = AuditEvent.objects.filter(verb__in=verbs, subject_type="accounts.user").order_by("pk")
    return [(event.verb, people[event.subject_id], event.detail) for event in events]


def test_signing_in_and_out_is_written_down_with_the_address(caplog: pytest.LogCaptureFixture) -> None:
    user, client = make_user("Lin"), Client()
    caplog.set_level(logging.INFO)
    attempt(user.username, PASSWORD, client=client)
    client.post(reverse("account_logout"), headers={"X-Forwarded-For": "192.0.2.7"})
    assert trail("sign_in", "sign_out") == [
        ("sign_in", user.username, {"address": "192.0.2.1", "browser": FIREFOX}),
        ("sign_out", user.username, {"address": "192.0.2.7"}),
    ]
    assert f"sign-in of {user.username} (number {user.pk}) from 192.0.2.1" in caplog.text
    assert f"sign-out of {user.username} (number {user.pk}) from 192.0.2.7" in caplog.text


def test_a_session_that_ends_by_itself_is_no_sign_out() -> None:
    client = browser(user := make_user("Lin"))
    user.set_password("another password than before")
    user.save()
    assert client.get("/me").status_code == 302
    assert trail("sign_out") == []


def test_a_burst_of_wrong_passwords_is_written_down_each_time_it_has_grown_tenfold(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    assert BURSTS == (10, 100, 1000, 10_000)
    settings.ACCOUNT_RATE_LIMITS = settings.ACCOUNT_RATE_LIMITS | {
        "login": None,
        "login_failed_address": None,
    }
    written = {9: [], 10: [10], 11: [10], 99: [10], 100: [10, 100]}
    for number in range(1, 101):
        attempt(f"nobody-{number}")
        if number not in written:
            continue
        assert [detail for _verb, _about, detail in trail("failed_sign_ins", "lock_sign_in")] == [
            {"address": "192.0.2.1", "failures": count} for count in written[number]
        ]
    assert caplog.text.count("wrong passwords from 192.0.2.1") == 2
    assert "nobody-" not in caplog.text  # what is typed for a name may be a password


@pytest.mark.parametrize(
    ("rule", "detail"),
    [
        ("name_and_address", {"limit": "name_and_address", "address": "192.0.2.1"}),
        ("name", {"limit": "name", "address": "192.0.2.1"}),
        ("browser", {"limit": "browser", "address": "192.0.2.1"}),
        ("address", {"limit": "address", "address": "192.0.2.1"}),
        ("unknown name", None),
    ],
)
def test_a_lock_is_written_down_once(settings: Settings, rule: str, detail: dict[str, str] | None) -> None:
    user, client = make_user("Lin"), Client()
    name = "nobody" if rule == "unknown name" else user.username
    if rule == "browser":
        attempt(name, PASSWORD, client=client)
        client.post(reverse("account_logout"))
    few = {"name": {"login_failed_name": "4/300s/key"}, "address": {"login_failed_address": "4/m/ip"}}.get(
        rule, {}
    )
    settings.ACCOUNT_RATE_LIMITS = settings.ACCOUNT_RATE_LIMITS | few
    fail(name, 4 if few else 5, client=client)
    for _ in range(3):
        assert attempt(name, PASSWORD, client=client).startswith(LOCKED)
    about = "parable-system" if rule == "address" else user.username
    assert trail("lock_sign_in") == ([("lock_sign_in", about, detail)] if detail else [])


def test_administrators_see_it_where_the_audit_trail_is_shown() -> None:
    user = make_user("Lin")
    attempt(user.username, PASSWORD)
    page = browser(make_user("Ada", administrator=True)).get("/admin/accounts/auditevent/")
    assert "sign_in" in page.content.decode()
    assert "192.0.2.1" in page.content.decode()


# --- one's sessions ----------------------------------------------------------------------------


def test_one_sees_ones_sessions_and_ends_the_others() -> None:
    user, here, there, other = make_user("Lin"), Client(), Client(), make_user("Wu")
    attempt(user.username, PASSWORD, client=there, address="192.0.2.7")
    attempt(user.username, PASSWORD, client=here)
    elsewhere = browser(other)
    page = here.get("/me")
    listed = [(each.address, name, is_this) for each, name, is_this in page.context["sessions"]]
    assert listed == [("192.0.2.1", "Firefox, Linux", True), ("192.0.2.7", "Firefox, Linux", False)]
    assert all(each.since and each.seen_at for each, _name, _this in page.context["sessions"])
    assert page.content.decode().count("This session") == 1
    address = reverse("accounts:end_sessions")
    asked = here.post(address).headers["Location"]
    assert asked == f"/accounts/reauthenticate/?next={quote(address, safe='')}"
    here.post(asked, {"password": "a wrong one", "next": address})
    assert there.get("/me").status_code == 200, "not without the password"
    answer = here.post(asked, {"password": PASSWORD, "next": address}, follow=True)
    assert "Signed out of 1 other session." in answer.content.decode()
    again = here.post(asked, {"password": PASSWORD, "next": address}, follow=True)
    assert again.redirect_chain == [(address, 302), ("/me", 302)], "the form of the password, sent twice"
    assert [client.get("/me").status_code for client in (here, there, elsewhere)] == [200, 302, 200]
    assert trail("sign_out_elsewhere") == [("sign_out_elsewhere", user.username, {"sessions": 1})]
    assert "no other session" in here.post(address, follow=True).content.decode()


def test_no_key_of_a_session_is_on_the_page() -> None:
    client = browser(make_user("Lin"))
    assert client.cookies[settings.SESSION_COOKIE_NAME].value not in client.get("/me").content.decode()


@pytest.mark.parametrize(("late", "is_marked"), [(-1, False), (1, True)])
def test_it_remembers_now_and_then_when_a_session_was_used(late: int, is_marked: bool) -> None:
    client = browser(user := make_user("Lin"))
    before = timezone.now() - SEEN_EVERY - timedelta(seconds=late)
    UserSession.objects.filter(user=user).update(seen_at=before)
    client.get("/me")
    assert (UserSession.objects.get(user=user).seen_at != before) is is_marked


@pytest.mark.parametrize(
    ("hours", "idle", "is_in"),
    [
        (336, timedelta(days=13, hours=23), True),
        (336, timedelta(days=14, seconds=1), False),
        (1, timedelta(minutes=59), True),
        (1, timedelta(minutes=61), False),
    ],
)
def test_a_session_that_is_not_used_ends(
    hours: int, idle: timedelta, is_in: bool, settings: Settings
) -> None:
    settings.SESSION_HOURS = hours
    client = browser(user := make_user("Lin"))
    UserSession.objects.filter(user=user).update(seen_at=timezone.now() - idle)
    assert sessions_of(user).exists() is is_in
    forget_ended_sessions()
    assert UserSession.objects.filter(user=user).exists() is is_in
    assert (client.get("/me").status_code == 200) is is_in


def test_an_unused_session_is_over_before_it_is_forgotten(settings: Settings) -> None:
    settings.SESSION_HOURS = 1
    client = browser(user := make_user("Lin"))
    UserSession.objects.filter(user=user).update(seen_at=None)  # of a version that did not note it
    assert client.get("/me").status_code == 200
    UserSession.objects.filter(user=user).update(seen_at=timezone.now() - timedelta(minutes=61))
    assert client.get("/me").status_code == 302


def test_it_forgets_sessions_whose_time_is_over() -> None:
    gone, stays = make_user("Lin"), make_user("Wu")
    for user in (gone, stays):
        browser(user)
    UserSession.objects.filter(user=gone).update(expire_date=timezone.now())
    forget_ended_sessions()
    assert list(UserSession.objects.values_list("user", flat=True)) == [stays.pk]


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (FIREFOX, "Firefox, Linux"),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/120.0 Safari/537.36", "Chrome, Windows"),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/120.0 Safari/537.36 Edg/120.0", "Edge, Windows"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 14_0) Version/17.0 Safari/605.1.15", "Safari, macOS"),
        ("Mozilla/5.0 (iPhone; iPhone OS 17_0 like Mac OS X) Version/17.0 Safari/604.1", "Safari, iPhone"),
        ("Mozilla/5.0 (Linux; Android 14) Chrome/120.0 Mobile Safari/537.36", "Chrome, Android"),
        ("Mozilla/5.0 (Linux; Android 13) MicroMessenger/8.0 Chrome/111.0", "WeChat, Android"),
        ("curl/8.5.0", "curl"),
        ("", ""),
        ("<script>alert(1)</script>", ""),
    ],
)  # fmt: skip
def test_it_calls_a_browser_as_people_do(user_agent: str, name: str) -> None:
    assert browser_name(user_agent) == name
