"""The site's own server on loopback, and users who request pages from it."""

import http.client
import os
import pickle
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from benchmarks.queue import work
from benchmarks.queue.work import Done

ROOT = Path(__file__).resolve().parents[2]
PROCESSES = 2
TOKEN = "b" * 32  # the same in cookie and header is all that the check for forged requests asks
KEY = re.compile(r'name="position" value="(\d)"(?:(?!name="position").)*?To raise the water', re.DOTALL)
VERDICT = {"rating": 2, "disposition": "pass"}
KEPT_OUT = ('"accounts_usersession"', 'FROM "accounts_user" WHERE "accounts_user"."id"')
"""Parts of the statements that the middleware runs before either view begins."""


@contextmanager
def served(pages: Any, seeded: Any) -> Iterator[list[str]]:
    """Serve the site with the bare view in two processes of four threads; yield the address of each process.

    If both listened at one address, the process that accepts a connection first would keep it: of eight
    lasting connections, one process would by chance serve five to seven, and the other would be idle.
    """
    with tempfile.NamedTemporaryFile(suffix=".pickle") as file, ExitStack() as stack:
        pickle.dump((pages, seeded), file)
        file.flush()
        env = os.environ | {
            "PARABLE_BENCH_RECORDED": file.name,
            "DJANGO_SETTINGS_MODULE": "benchmarks.queue.settings",
        }
        yield [stack.enter_context(_process(env)) for _process_of_two in range(PROCESSES)]


@contextmanager
def _process(env: dict[str, str]) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = f"--workers 1 --threads 4 --keep-alive 600 --bind 127.0.0.1:{port}".split()
    program = subprocess.Popen(  # noqa: S603 - a command of ours
        [sys.executable, "-m", "gunicorn", *options, "config.wsgi"], cwd=ROOT, env=env
    )
    try:
        _wait_until_up(port)
        yield f"127.0.0.1:{port}"
    finally:
        program.terminate()
        program.wait(15)


def _wait_until_up(port: int) -> None:
    until = time.monotonic() + 60
    while True:
        try:
            ask = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            ask.request("GET", "/healthz")
            ask.getresponse().read()
            ask.close()
            return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.3)


def session_of(user: int) -> str:
    """Return the key of a new session of this user, without signing in by password."""
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY

    from accounts.models import User
    from accounts.sessions import SessionStore

    person = User.objects.get(pk=user)
    store = SessionStore()
    store[SESSION_KEY] = str(user)
    store[BACKEND_SESSION_KEY] = "accounts.sessions.AccountBackend"
    store[HASH_SESSION_KEY] = person.get_session_auth_hash()
    store.create()
    return str(store.session_key)


class Page:
    """One user with a browser."""

    def __init__(self, address: str, seeded: Any, user: int) -> None:
        self.slug, self.seeded, self.user = seeded.project.slug, seeded, user
        self.asks = http.client.HTTPConnection(address, timeout=60)
        cookies = f"sessionid={session_of(user)}; csrftoken={TOKEN}"
        self.headers = {"Cookie": cookies, "X-CSRFToken": TOKEN, "Host": "localhost", "HX-Request": "true"}
        self.at = ""
        self.known = f"user={user}&story=0&place=0"

    def ask(self, method: str, where: str, form: dict[str, Any] | None = None) -> tuple[Any, str]:
        """Return headers and body of a response."""
        headers = self.headers | ({"Content-Type": "application/x-www-form-urlencoded"} if form else {})
        self.asks.request(method, where, urlencode(form) if form else None, headers)
        answer = self.asks.getresponse()
        body = answer.read().decode()
        assert answer.status < 400, (answer.status, where, body[:3000])
        return answer.headers, body

    def post(self, where: str, form: dict[str, Any] | None = None) -> str:
        """Return the address to which a form redirects."""
        return urlsplit(self.ask("POST", where, form)[0]["Location"]).path

    def work(self, cycles: int) -> Done:
        """Answer and score; the first response has the form of the verdict, the second one the next item."""
        from django.urls import resolve

        done = Done([], [], [])
        if not self.at:
            self.at = self.post(f"/p/{self.slug}/review/next")
        _headers, blind = self.ask("GET", self.at)
        for _cycle in range(cycles):
            start = time.perf_counter()
            found = KEY.search(blind)
            assert found, blind[-3000:]
            done.places.append(resolve(self.at).kwargs["pk"])
            self.ask("POST", f"{self.at}/answer", {"position": found[1]})
            scored = time.perf_counter()
            headers, blind = self.ask("POST", f"{self.at}/verdict", VERDICT)
            self.at = headers["HX-Push-Url"]
            done.following.append(time.perf_counter() - scored)
            done.seconds.append(time.perf_counter() - start)
        return done

    def work_barely(self, cycles: int) -> Done:
        """Send the same two requests to the bare view."""
        done = Done([], [], [])
        if self.known.endswith("place=0"):
            self._barely(2)
        for _cycle in range(cycles):
            start = time.perf_counter()
            for step in range(2):
                self._barely(step)
            done.seconds.append(time.perf_counter() - start)
        return done

    def _barely(self, step: int) -> None:
        headers, _body = self.ask("POST", f"/bare/{step}?{self.known}")
        self.known = headers["X-Known"]


def noted_pages(seeded: Any, person: Any) -> list[Any]:
    """Return the statements and response sizes of a cycle's two requests, and the statements of a claim."""
    from django.test import Client
    from django.urls import reverse

    from review.models import Review

    browser = Client(SERVER_NAME="localhost", headers={"HX-Request": "true"})
    browser.force_login(person)
    known = {"user": person.pk, "story": work.story_just_read(person)}
    with work.written_down() as claiming:
        place = work.claim(person, seeded.project)
    at = reverse("review:request", args=[seeded.project.slug, place.public_id])
    known |= seeded.kin(place.pk)
    position = place.drawn_order.index(0)
    noted: list[Any] = []
    sizes: list[int] = []
    for step, form in (("answer", {"position": position}), ("verdict", VERDICT)):
        with work.written_down() as statements:
            answer = browser.post(f"{at}/{step}", form)
        assert answer.status_code == 200, answer.content[:3000]
        sizes.append(len(answer.content))
        noted.append([one for one in statements if not any(part in one[0] for part in KEPT_OUT)])
    known["review"] = Review.objects.get(request=place, reviewer=person).pk
    noted, sizes = [*noted, claiming], [*sizes, 0]
    return [(work.to_replay(statements, known), size) for statements, size in zip(noted, sizes, strict=True)]
