"""Whatever one request brings, whoever sends it: it takes little time and memory, and its answer is short.

Time is that of processors, of this process and of its database session, so that nothing beside them counts.
`HOSTILE=all` sends every shape as every role that is let in; without it a sample of the shapes goes to every
form and address, by the role that gets furthest.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import re
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO, Any, Final

import pytest
from django.db import connection
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import resolve
from django.utils.html import escape
from pytest_django import DjangoDbBlocker

from tests.access.routes import Route, routes, site_objects
from tests.access.test_matrix import admitted, undone
from tests.access.world import ROLES, Scene, make_scene
from tests.drills.hostile import (
    JSON,
    SHORT,
    TEXT,
    TEXTS,
    Hostile,
    Sending,
    example_of,
    forms_of,
    hostile_bodies,
    hostile_files,
    hostile_forms,
    hostile_queries,
    hostile_wholes,
    names_asked,
    text_of,
)
from tests.shared_rows import shared_rows
from web.files import declared_files

SELF: Final = Path("/proc/self")
pytestmark = [
    pytest.mark.drill,
    pytest.mark.skipif(not SELF.is_dir(), reason="memory is measured as Linux counts it, in /proc"),
]

CPU_SECONDS: Final = 2.0
MEMORY_MB: Final = 200.0
ANSWER_KB: Final = 100.0
"""Beyond what a plain request is answered, and the sender's own text, which a page may show twice."""

WHOLE: Final = os.environ.get("HOSTILE") == "all"
FURTHEST: Final[tuple[str, ...]] = (
    "manager",
    "writer",
    "reviewer",
    "verifier",
    "administrator",
    "outsider",
    "anonymous",
)
"""Who sends what several roles may send: the first of them who is let in."""
EVERY: Final = 1 if WHOLE else 12
"""A body that is refused before its view is called goes to one form in so many."""


class Meter:
    """Sends requests as any role, and notes what each costs beyond the limits."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self.sent = 0
        self.over: list[str] = []
        self.worst: dict[str, tuple[float, str]] = {}
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            self._database = Path(f"/proc/{cursor.fetchone()[0]}/stat")

    def ask(self, sending: Sending) -> HttpResponseBase:
        """Send the request with nothing hostile in it."""
        data, kind = sending.encoded if sending.method != "GET" else (b"", "")
        with undone():
            answer = self._client(sending.role).generic(sending.method, sending.address, data, kind)
            sending.plain = len(answer.getvalue())
        return answer

    def send(self, sending: Sending, hostile: Hostile) -> None:
        """Send what is hostile in its place, and measure."""
        client, address = self._client(sending.role), sending.address
        if hostile.query:
            address = f"{address.partition('?')[0]}?{hostile.query}"
        with undone(), _received(hostile.data) as body:
            sent: dict[str, Any] = {"CONTENT_LENGTH": len(hostile.data), "wsgi.input": body}
            if sending.method != "GET":
                sent["CONTENT_TYPE"] = hostile.content_type
            (SELF / "clear_refs").write_text("5")  # the peak begins anew
            memory, database, cpu = _kibibytes("VmRSS"), self._database_seconds(), time.process_time()
            answer = client.generic(sending.method, address, **sent)
            content = answer.getvalue()
            cpu = time.process_time() - cpu
            database = self._database_seconds() - database
            memory = _kibibytes("VmHWM") - memory
        text = escape(hostile.text).encode()
        own = len(text) * min(content.count(text), 2 * hostile.times) if text else 0
        self.sent += 1
        what = f"{sending.role} {sending.method} {sending.route}: {hostile.shape}: {answer.status_code}"
        found = {
            "s": cpu,
            "s of the database": database,
            "MB": memory / 1024,
            "KB": max(0, len(content) - sending.plain - own) / 1024,
        }
        limits = CPU_SECONDS, CPU_SECONDS, MEMORY_MB, ANSWER_KB
        for (unit, amount), most in zip(found.items(), limits, strict=True):
            self.worst[unit] = max(self.worst.get(unit, (0.0, "")), (amount, what))
            if amount > most:
                self.over.append(f"{amount:.1f} {unit}: {what}")
        if answer.status_code >= 500:
            self.over.append(what)

    def _client(self, role: str) -> Client:
        client = Client(raise_request_exception=False)
        for name, morsel in self._scene.browsers[role].cookies.items():
            client.cookies[name] = morsel.value
        return client

    def _database_seconds(self) -> float:
        fields = self._database.read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def _received(data: bytes) -> Iterator[IO[bytes]]:
    """The body where the server puts it: in a file."""
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        yield file


def _kibibytes(name: str) -> int:
    found = re.search(rf"^{name}:\s+(\d+) kB", (SELF / "status").read_text(), re.MULTILINE)
    assert found
    return int(found[1])


@pytest.fixture(scope="module")
def scene(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Scene]:
    def furnished() -> Scene:
        made = make_scene()
        cast = made.ours.cast
        for role, person in (("claimant", cast.reviewer2), ("drafter", cast.writer2)):
            made.browsers[role] = Client()
            made.browsers[role].force_login(person)
        return made

    with shared_rows(django_db_blocker, furnished) as made:
        yield made


@pytest.fixture
def meter(scene: Scene, db: None) -> Iterator[Meter]:
    """Report what came closest to each limit."""
    logging.disable(logging.CRITICAL)
    meter = Meter(scene)
    gc.collect()
    yield meter
    logging.disable(logging.NOTSET)
    print(f"\n{meter.sent} requests")
    for unit, (amount, what) in meter.worst.items():
        print(f"{amount:8.2f} {unit}: {what}")


@cache
def _all_admitted() -> dict[str, list[str]]:
    return admitted(ROLES)


def _senders(route: Route, method: str) -> list[str]:
    """Who sends to a route: whose draft or claim it names, else those whom the table of access lets in."""
    for name, role in (("claimed", "claimant"), ("draft", "drafter")):
        if name in route.objects.values():
            return [role]
    let_in = _all_admitted()[f"{route.name} {method}"]
    return [role for role in FURTHEST if role in let_in][: None if WHOLE else 1]


def _sendings(scene: Scene, meter: Meter) -> list[Sending]:
    """Every address that shows something and every form that is sent, as each role."""
    objects = site_objects(scene.ours, scene.site)
    ours: list[tuple[Route, str]] = [
        (route, route.address(objects, objects)) for route in routes() if not route.name.startswith("api")
    ]
    pages: list[Sending] = []
    forms: dict[tuple[str, str], Sending] = {}
    for route, address in ours:
        for role in _senders(route, "GET"):
            page = Sending(route.name, role, "GET", address)
            with names_asked() as asked:
                answer = meter.ask(page)
            page.fields = {name: ["1"] for name in sorted(asked or {"page"})}
            pages.append(page)
            content = answer.getvalue()
            for form in forms_of(address, content.decode(errors="replace"), role):
                known = forms.get((form.route, role if WHOLE else ""))
                if known is None or len(known.fields) < len(form.fields):
                    forms[form.route, role if WHOLE else ""] = form
    for route, address in ours:
        for role in _senders(route, "POST"):
            key = route.name, role if WHOLE else ""
            form = forms.setdefault(key, Sending(route.name, role, "POST", address))
            with names_asked() as asked:
                meter.ask(form)
            form.fields |= {name: ["1"] for name in sorted(asked - form.fields.keys())}
    return pages + [form for form in forms.values() if not form.route.startswith("api")]


def test_any_one_form_or_address_is_answered_with_little(scene: Scene, meter: Meter) -> None:
    for index, sending in enumerate(_sendings(scene, meter)):
        if sending.method == "GET":
            hostile = [*hostile_queries(sending, whole=WHOLE)]
        else:
            hostile = [*hostile_forms(sending, whole=WHOLE)]
            if index % EVERY == 0:
                hostile += hostile_wholes(sending)
        for one in hostile:
            meter.send(sending, one)
        if sending.files and (files := declared_files(resolve(sending.address).func)):
            for one in hostile_files(sending, files.most):
                meter.send(sending, one)
    assert meter.over == []


def test_any_json_is_answered_with_little(scene: Scene, meter: Meter) -> None:
    objects = site_objects(scene.ours, scene.site)
    known = {
        "project": objects["slug"], "story": objects["story"], "task": "commonsense", "item": None,
        "candidate": None, "client_id": str(objects["draft"]), "sequence": 9,
    }  # fmt: skip
    schema = meter.ask(Sending("api-schema", "manager", "GET", "/api/v1/schema/?format=json"))
    described = json.loads(schema.getvalue())
    found = 0
    for route in (one for one in routes() if one.name.startswith("api_")):
        address = route.address(objects, objects)
        for path, operations in described["paths"].items():
            if not re.fullmatch(re.sub(r"{\w+}", "[^/]+", path), address):
                continue
            for method, operation in operations.items():
                content = operation.get("requestBody", {}).get("content", {})
                if "application/json" not in content:
                    continue
                body = example_of(described, content["application/json"]["schema"], known)
                for role in ("claimant", *FURTHEST):
                    sending = Sending(route.name, role, method.upper(), address, body=body)
                    if meter.ask(sending).status_code not in (401, 403, 404):
                        break
                found += 1
                for hostile in hostile_bodies(sending, whole=WHOLE):
                    meter.send(sending, hostile)
    assert found >= 5, "the schema has no bodies any more"
    assert meter.over == []


def test_a_draft_of_any_text_is_judged_with_little(scene: Scene, meter: Meter) -> None:
    """What was saved in one request is read by the next: the checks of the draft, and its page."""
    objects = site_objects(scene.ours, scene.site)
    client = scene.browsers["writer"]
    slug = objects["slug"]
    for shape in TEXTS:
        for size in (SHORT // 2, TEXT // 10):
            text = text_of(shape, size)
            draft = str(uuid.uuid4())
            texts = [{"text": f"{index} {text}", "is_key": index == 1} for index in range(4)]
            content = {"stem": text, "options": texts, "explanation": text, "types": ["social"]}
            body = {"project": slug, "story": objects["story"], "task": "commonsense", "sequence": 1}
            with undone():
                saved = client.put(f"/api/v1/drafts/{draft}/", body | {"content": content}, content_type=JSON)
                is_refused = shape == "marks upon a letter"
                assert saved.status_code == (400 if is_refused else 200), (shape, saved.content[:300])
                check = Sending("api_draft_check", "writer", "POST", f"/api/v1/drafts/{draft}/check/")
                meter.send(check, Hostile(f"{shape}, {size}", b"{}", JSON))
                own = len(escape(text).encode()) * (len(texts) + 2)
                page = Sending(
                    "annotation:draft", "writer", "GET", f"/p/{slug}/write/draft/{draft}", plain=own
                )
                meter.send(page, Hostile(f"{shape}, {size}"))
    assert meter.over == []
