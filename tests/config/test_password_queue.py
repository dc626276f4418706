"""Requests that hash a password: two at a time, a bounded queue without threads, then 429 in words."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts import hasher
from accounts.hasher import AT_ONCE, QueuedPasswordHasher
from accounts.models import AuditEvent, User
from accounts.services import make_reset_link
from config.middleware import REFUSED
from config.server import front
from config.server.limits import hashes_password
from config.server.turns import NoTurn, Turns
from core.errors import Busy
from projects.models import Role
from projects.services import invite_people
from tests.factories import PASSWORD, Cast
from tests.looping import run_aside
from tests.projects.pages import browser

SIGN_IN = "/accounts/login/"


class Application:
    """Answers once it is let, and counts how many passwords it is at."""

    def __init__(self) -> None:
        self.may_end, self.lock = threading.Event(), threading.Lock()
        self.at_password = self.most = 0

    def __call__(self, environ: dict[str, Any], start_response: Any) -> list[bytes]:
        """Wait at a form with a password, unless the server refused it already."""
        if REFUSED in environ or environ["REQUEST_METHOD"] == "GET":
            start_response(f"{int(environ.get(REFUSED, 200))} said", [])
            return [b""]
        with self.lock:
            self.at_password += 1
            self.most = max(self.most, self.at_password)
        self.may_end.wait(10)
        with self.lock:
            self.at_password -= 1
        start_response("302 in", [])
        return [b""]


async def _status(asked: front.Front, method: str, path: str = SIGN_IN) -> int:
    said: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        said.append(message)

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [],
        "http_version": "1.1",
        "root_path": "",
        "scheme": "http",
    }
    await asked(scope, receive, send)
    return int(said[0]["status"])


@pytest.mark.parametrize(("forms", "refused"), [(2, 0), (5, 0), (6, 1), (8, 3)])
def test_two_are_at_a_password_three_wait_and_who_comes_after_is_refused(
    monkeypatch: pytest.MonkeyPatch, forms: int, refused: int
) -> None:
    monkeypatch.setattr(front, "QUEUE", 3)
    monkeypatch.setattr(front, "BREATH", 0.01)
    application = Application()

    async def crowd() -> tuple[list[int], int]:
        asked = front.Front(application, threads=1)
        sent = [asyncio.create_task(_status(asked, "POST")) for _ in range(forms)]
        await asyncio.sleep(0.1)
        page = await asyncio.wait_for(_status(asked, "GET", "/p/any/review"), 5)  # the one thread is free
        application.may_end.set()
        return await asyncio.gather(*sent), page

    statuses, page = run_aside(crowd())
    assert page == 200
    assert application.most == AT_ONCE == 2
    assert (statuses.count(302), statuses.count(429)) == (forms - refused, refused)


def test_who_has_waited_long_enough_is_refused_and_who_left_costs_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(front, "PATIENCE", 0.3)
    application = Application()

    async def crowd() -> list[Any]:
        asked = front.Front(application, threads=1)
        sent = [asyncio.create_task(_status(asked, "POST")) for _ in range(4)]
        await asyncio.sleep(0.1)
        sent[3].cancel()
        assert await sent[2] == 429
        application.may_end.set()
        return await asyncio.gather(*sent, return_exceptions=True)

    began = time.monotonic()
    first, second, third, fourth = run_aside(crowd())
    assert (first, second, third) == (302, 302, 429)
    assert isinstance(fourth, asyncio.CancelledError)
    assert time.monotonic() - began < 5
    assert application.at_password == 0


@pytest.mark.parametrize(
    ("come", "served", "refused"),
    [
        ("abcd", "abcd", ""),
        ("aaab", "abaa", ""),  # addresses take turns
        ("aaaaab", "abaaa", "a"),  # where it is full, the newest of the address with the most goes
        ("aaaaaa", "aaaaa", "a"),
        ("aabbbab", "ababb", "ab"),
        ("aaaabb", "ababa", "a"),
    ],
)
def test_addresses_take_turns_and_share_the_queue(come: str, served: str, refused: str) -> None:
    async def crowd() -> tuple[str, str]:
        turns, in_order, away = Turns(1, most=5), list[str](), list[str]()
        await turns.take("first")

        async def wait(address: str) -> None:
            try:
                await turns.take(address)
            except NoTurn:
                away.append(address)
            else:
                in_order.append(address)

        waiting = []
        for address in come:
            waiting.append(asyncio.create_task(wait(address)))
            await asyncio.sleep(0)
        for _ in come:
            turns.give_back()
            await asyncio.sleep(0)
        await asyncio.gather(*waiting)
        return "".join(in_order), "".join(away)

    in_order, away = run_aside(crowd())
    assert in_order == served
    assert sorted(away) == sorted(refused)


@pytest.mark.parametrize(
    ("method", "path", "waits"),
    [
        ("POST", SIGN_IN, True),
        ("POST", "/accounts/password/change/", True),
        ("POST", "/accounts/reauthenticate/", True),
        ("POST", "/reset/MQ/abc-def/", True),
        ("POST", "/join/abc", True),
        ("GET", SIGN_IN, False),
        ("POST", "/p/any/review/next", False),
        ("POST", "/no-such-page", False),
    ],
)
def test_it_knows_which_requests_hash_a_password(method: str, path: str, waits: bool) -> None:
    assert hashes_password({"REQUEST_METHOD": method, "PATH_INFO": path}) is waits


def test_a_process_hashes_two_at_a_time_and_the_next_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    gate, most, at = threading.Event(), 0, 0

    def slow(*_given: Any) -> str:
        nonlocal most, at
        at += 1
        most = max(most, at)
        gate.wait(10)
        at -= 1
        return "hash"

    monkeypatch.setattr(PBKDF2PasswordHasher, "encode", slow)
    threads = [threading.Thread(target=QueuedPasswordHasher().encode, args=("a", "b")) for _ in range(4)]
    for thread in threads:
        thread.start()
    monkeypatch.setattr(hasher, "PATIENCE", 0.05)
    with pytest.raises(Busy):
        QueuedPasswordHasher().encode("a", "b")
    gate.set()
    for thread in threads:
        thread.join()
    assert most == 2


@pytest.fixture
def _no_turn(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Iterator[None]:
    """Take both turns, as two who sign in at this moment do."""
    settings.PASSWORD_HASHERS = ["accounts.hasher.QueuedPasswordHasher"]
    monkeypatch.setattr(hasher, "PATIENCE", 0.0)
    for _ in range(AT_ONCE):
        hasher._turns.acquire()
    yield
    for _ in range(AT_ONCE):
        hasher._turns.release()


NEW = {"password": "nineteen purple owls", "again": "nineteen purple owls"}


@pytest.mark.parametrize("where", ["sign in", "unknown name", "password change", "confirm", "reset", "join"])
def test_each_form_that_hashes_is_told_to_come_again_and_changes_nothing(
    cast: Cast, where: str, request: pytest.FixtureRequest
) -> None:
    invited = invite_people(
        actor=cast.manager, project=cast.project, names=["New"], roles=[Role.WRITER], days=1
    )
    hash_of = QueuedPasswordHasher().encode(PASSWORD, "salt", iterations=1)
    User.objects.filter(pk=cast.writer.pk).update(password=hash_of)
    cast.writer.refresh_from_db()
    link = make_reset_link(actor=cast.manager, user=cast.writer)
    request.getfixturevalue("_no_turn")
    client = browser(cast.writer) if where in ("password change", "confirm") else Client()
    changed = {"oldpassword": PASSWORD, "password1": NEW["password"], "password2": NEW["again"]}
    path, form = {
        "sign in": (SIGN_IN, {"login": cast.writer.username, "password": PASSWORD, "next": "/me"}),
        "unknown name": (SIGN_IN, {"login": "nobody", "password": PASSWORD}),
        "password change": (reverse("account_change_password"), changed),
        "confirm": (reverse("account_reauthenticate"), {"password": PASSWORD}),
        "reset": (reverse("accounts:reset", args=[link.uid, link.token]), NEW),
        "join": (
            reverse("projects:invite_accept", args=[invited[0].token]),
            NEW | {"username": "new", "name": "New"},
        ),
    }[where]
    before = AuditEvent.objects.count(), User.objects.count()
    answer = client.post(path, form)
    assert (answer.status_code, answer["Retry-After"]) == (429, "5")
    said = answer.content.decode()
    assert "Many people are signing in" in said
    assert PASSWORD not in said
    assert ('name="password"' in said) is (path == SIGN_IN)
    if path == SIGN_IN:
        assert f'name="login" value="{form["login"]}"' in said
        assert ('name="next" value="/me"' in said) is (where == "sign in")
    assert (AuditEvent.objects.count(), User.objects.count()) == before
    cast.writer.refresh_from_db()
    assert cast.writer.password == hash_of


@pytest.mark.django_db
def test_a_redirect_is_named_to_the_script_that_sends_a_form_until_it_is_taken(
    cast: Cast, client: Client
) -> None:
    form = {"login": cast.writer.username, "password": PASSWORD, "next": "/me"}
    answer = client.post(SIGN_IN, form, headers={"X-Queued-Form": "yes"})
    assert (answer.status_code, answer["X-Location"]) == (204, "/me")
    assert "Location" not in answer
    assert client.get("/me").status_code == 200
