"""Sixty senders of sign-in forms, a class of forty and a reviewer, on two cores and two web processes."""

from __future__ import annotations

import http.client
import os
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from accounts.hasher import QueuedPasswordHasher
from accounts.models import User
from review.models import Stage
from review.services import claim_next
from tests.browser.killable import database_of_this_test
from tests.config.programs import wait_until
from tests.drills.site import Site
from tests.factories import PASSWORD, make_project, submit_item

pytestmark = [pytest.mark.drill, pytest.mark.django_db(transaction=True)]

SENDERS = 60
CLASS = 40
FLOOD_SECONDS = 15.0
CALM = 0.1
"""A reviewer's p95 in seconds, without a flood, on a machine that does nothing else.

Where other work makes this one slower, it makes the flood slower as many times.
"""
SIGN_IN = "/accounts/login/"
TOKEN = "a" * 32
FLOOD_ADDRESS, CLASS_ADDRESS, REVIEWERS_ADDRESS = "198.51.100.7", "203.0.113.5", "192.0.2.9"


def ask(
    port: int, method: str, path: str, *, address: str, session: str = "", form: dict[str, str] | None = None
) -> tuple[int, http.client.HTTPMessage, str]:
    """Status, headers and body of one request that a proxy passes on for `address`; status 0: cut off."""
    name = settings.SESSION_COOKIE_NAME
    headers = {
        "Cookie": f"{settings.CSRF_COOKIE_NAME}={TOKEN}" + (f"; {name}={session}" if session else ""),
        "X-CSRFToken": TOKEN,
        "X-Forwarded-For": address,
        "Content-Type": "application/x-www-form-urlencoded",
    }
    try:
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as asked:
            asked.request(method, path, urlencode(form) if form else None, headers)
            answer = asked.getresponse()
            return answer.status, answer.headers, answer.read().decode()
    except (OSError, http.client.HTTPException):
        return 0, http.client.HTTPMessage(), ""


@contextmanager
def flood(port: int) -> Iterator[Counter[int]]:
    """Senders who each send the next form as soon as the last is answered; counts their statuses."""
    stop, statuses = threading.Event(), Counter[int]()

    def send(number: int) -> None:
        while not stop.is_set():
            form = {"login": f"nobody-{number}", "password": "a wrong password"}
            statuses[ask(port, "POST", SIGN_IN, address=FLOOD_ADDRESS, form=form)[0]] += 1

    threads = [threading.Thread(target=send, args=(number,)) for number in range(SENDERS)]
    for thread in threads:
        thread.start()
    try:
        yield statuses
    finally:
        stop.set()
        for thread in threads:
            thread.join(60)


def sign_in(port: int, username: str) -> tuple[float, int]:
    """Sign in as a page does, again after each 429; return the seconds and how often it tried again."""
    began, again = time.monotonic(), 0
    while True:
        form = {"login": username, "password": PASSWORD}
        status, headers, body = ask(port, "POST", SIGN_IN, address=CLASS_ADDRESS, form=form)
        if status == 302:
            return time.monotonic() - began, again
        assert status in (0, 429), (status, re.findall(r"errorlist.*", body))
        again += 1
        time.sleep(int(headers.get("Retry-After", "5")) * random.uniform(0.5, 1.5))  # noqa: S311 - no secret


def sign_in_class(port: int, names: list[str]) -> tuple[float, int]:
    """Let all of them sign in at the same moment; how many seconds, and how often they came again."""
    began = time.monotonic()
    with ThreadPoolExecutor(len(names)) as pupils:
        done = list(pupils.map(lambda name: sign_in(port, name), names))
    return time.monotonic() - began, sum(again for _seconds, again in done)


def work(port: int, session: str, page: str, seconds: float) -> list[float]:
    """How long each page took of a reviewer who opens the item and the queue again and again."""
    until, times = time.monotonic() + seconds, []
    while time.monotonic() < until:
        for path in (page, "/"):
            began = time.monotonic()
            status, _headers, _body = ask(port, "GET", path, address=REVIEWERS_ADDRESS, session=session)
            times.append(time.monotonic() - began)
            assert status == 200
            time.sleep(0.1)
    return times


def silence_after_kill(site: Site, name: str) -> float:
    """The longest time in which no page was served while this process was killed and started again."""
    longest, last = 0.0, time.monotonic()
    killed = threading.Thread(target=site.kill, args=(name,))
    killed.start()
    while killed.is_alive():
        if ask(site.port, "GET", SIGN_IN, address=REVIEWERS_ADDRESS)[0] == 200:
            longest, last = max(longest, time.monotonic() - last), time.monotonic()
        time.sleep(0.05)
    return max(longest, time.monotonic() - last)


def p95(times: list[float]) -> float:
    """The time within which 95 of 100 were answered."""
    return sorted(times)[len(times) * 95 // 100]


def test_a_flood_of_sign_ins_holds_up_neither_a_reviewer_nor_a_class(tmp_path: Path) -> None:
    cast = make_project()
    submit_item(cast)
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request
    page = reverse("review:request", args=[cast.project.slug, request.public_id])
    client = Client()
    client.force_login(cast.reviewer)
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    # the hash of a site, which the tests do without
    password = QueuedPasswordHasher().encode(PASSWORD, "salt-of-this-drill")
    names = [f"pupil-{number}" for number in range(CLASS)]
    User.objects.bulk_create([User(username=name, name=name, password=password) for name in names])
    url = database_of_this_test()
    named = {
        "DATABASE_URL": url,
        "DATABASE_OWNER_URL": url,
        "REDIS_URL": os.environ["REDIS_URL"],
        "PARABLE_WEB_WORKERS": "2",
        "PARABLE_PROXIES": "1",
    }
    with Site(tmp_path / "var", named) as site:
        port = site.port
        wait_until(lambda: ask(port, "GET", SIGN_IN, address=CLASS_ADDRESS)[0] == 200, 120)
        wait_until(lambda: site.said().count("started (process") >= 5, 60)
        work(port, session, page, 5)  # the other processes are still being loaded
        quiet = p95(work(port, session, page, 5))
        alone, came_again = sign_in_class(port, names)
        with flood(port) as statuses:
            time.sleep(1)
            beset = p95(work(port, session, page, FLOOD_SECONDS))
            amid, came_again_amid = sign_in_class(port, names)
        print(
            f"a reviewer's p95: {quiet:.3f} s, in a flood of {SENDERS} senders {beset:.3f} s;"
            f" the {CLASS} were in after {alone:.1f} s ({came_again} came again),"
            f" in the flood after {amid:.1f} s ({came_again_amid} came again);"
            f" the flood was told {dict(statuses)}"
        )
        silence = silence_after_kill(site, "web")
        print(f"the longest silence while a web process was killed: {silence:.2f} s")
        slower = max(1.0, quiet / CALM)
        assert beset < 1.0 * slower
        assert silence < 3.0
        assert alone < 60 * slower
        assert amid < 120 * slower  # half of each process's turns are the flood's
