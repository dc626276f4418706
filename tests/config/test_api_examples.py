"""The examples of docs/api.md are run: each command against a site in this process, in their order.

What is printed below a command is compared with the response. JSON must have the named values and may have
more; `...` in a text stands for anything. A number may differ, and so may the ids in addresses that follow.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import Scope
from config.parsers import MOST_VALUES
from projects.models import Project
from projects.services import LONGEST_TOKEN_DAYS
from release.models import ReleaseItem
from tests.architecture import BASE
from tests.factories import make_project
from tests.programs import Sent, program
from tests.release.made import bring, built, grant_rights, records
from tests.work import work_off

pytestmark = pytest.mark.django_db
TEXT: Final = (BASE / "docs" / "api.md").read_text(encoding="utf-8")
FLAGS: Final = {"-s", "-i", "-O", "-J", "-OJ"}
"""Options of curl without a value, which change nothing of the request."""


@dataclass(slots=True)
class Example:
    """A command, and what is printed below it."""

    command: str
    printed: list[str] = field(default_factory=list)


def examples() -> Iterator[Example]:
    """Yield the commands of all console blocks with their output, assignments of variables left out."""
    for block in re.findall(r"^```console\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL):
        found: list[Example] = []
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append(Example(line.removeprefix("$ ")))
            else:
                found[-1].printed.append(line)
        yield from (one for one in found if one.command.startswith("curl "))


@dataclass(slots=True)
class Site:
    """The site of the examples: what a script has read so far, and the files that it sends."""

    token: str
    answers: bytes
    etag: str = ""
    ids: dict[str, str] = field(default_factory=dict)

    def run(self, command: str) -> Any:
        """Return the response to what curl would send."""
        words = shlex.split(command.replace("$SITE", "").replace("$TOKEN", self.token))[1:]
        method, body, address = "", None, ""
        headers: dict[str, str] = {}
        form: Sent = {}
        while words:
            word = words.pop(0)
            if word == "-H":
                header = words.pop(0)
                name, _colon, value = header.partition(": ")
                headers |= {"Authorization": f"Bearer {self.token}"} if header == "@token" else {name: value}
            elif word == "-X":
                method = words.pop(0)
            elif word == "--json":
                body = words.pop(0)
            elif word == "-F":
                name, _equals, value = words.pop(0).partition("=")
                is_file = value.startswith("@")
                form[name] = SimpleUploadedFile(value[1:], self.answers) if is_file else value
            elif word not in FLAGS:
                assert word.startswith("/api/v1/"), word
                address = word
        if headers.get("If-Match") == '"..."':
            headers["If-Match"] = self.etag
        for written, real in self.ids.items():
            address = address.replace(written, real)
        client = Client(headers=headers, enforce_csrf_checks=True)
        if form:
            return client.post(address, form, secure=True)
        send = getattr(client, (method or ("post" if body else "get")).lower())
        sent = {"data": body, "content_type": "application/json"} if body else {}
        return send(address, secure=True, **sent)

    def compare(self, printed: list[str], answer: Any) -> None:
        """Compare a response with what the page prints, and learn the ids that it has in place of others."""
        self.etag = answer.headers.get("ETag", self.etag)
        text = "\n".join(printed)
        if text.startswith("HTTP/1.1 "):
            status, text = text.partition("\n\n")[::2]
            first, *named = status.splitlines()
            phrase = HTTPStatus(answer.status_code).phrase
            assert first == f"HTTP/1.1 {answer.status_code} {phrase}"
            for line in named:
                name, _colon, value = line.partition(": ")
                self.same(value, answer.headers[name], name)
        if text:
            self.same(json.loads(text), answer.json(), "")

    def same(self, written: Any, real: Any, at: str) -> None:
        """Compare two values of JSON."""
        if isinstance(written, dict):
            assert set(written) <= set(real), at
            for name, value in written.items():
                self.same(value, real[name], f"{at}.{name}")
        elif isinstance(written, list):
            assert len(written) == len(real), at
            for one, other in zip(written, real, strict=True):
                self.same(one, other, at)
        elif isinstance(written, str):
            self.same_text(written, real, at)
        elif type(written) is int and at.rpartition(".")[2] in ("id", "job", "runs"):
            self.learn(str(written), str(real))
        else:
            assert written == real, at

    def same_text(self, written: str, real: str, at: str) -> None:
        """Compare two texts, of which the first may have `...` for anything, and other ids."""
        if found := re.search(r"/\d+/", written):
            self.learn(found[0].strip("/"), re.findall(r"/(\d+)/", real)[-1])
            written = re.sub(r"/\d+/", "/.../", written)
        assert re.fullmatch(re.escape(written).replace(r"\.\.\.", ".*"), real), (at, real)

    def learn(self, written: str, real: str) -> None:
        """Remember an id that the page has another number for."""
        self.ids[f"/{written}/"] = f"/{real}/"


@pytest.fixture
def site() -> Site:
    """A project with one release, and a file of one response to it."""
    cast = make_project()
    Project.objects.filter(pk=cast.project.pk).update(slug="fables")
    cast.project.refresh_from_db()
    bring(cast, records(3))
    grant_rights(cast)
    release = built(cast)
    item = ReleaseItem.objects.filter(release=release).order_by("number")[0]
    line = {"model": "m", "item_id": item.public_id, "repeat": 1, "choice": 0}
    return Site(program(cast.manager, "fables").token, json.dumps(line).encode())


def test_every_example_does_what_the_page_says(site: Site) -> None:
    ran, faults = 0, []
    for example in examples():
        answer = site.run(example.command)
        if answer.streaming:
            assert answer.getvalue(), example.command
            for close in answer._resource_closers:  # `close` would end the test's connection, too
                close()
        try:
            assert example.printed or answer.status_code == 200
            site.compare(example.printed, answer)
        except (AssertionError, KeyError, ValueError) as error:
            faults.append(f"{example.command}\n{error}\n{getattr(answer, 'content', b'')[:1000]!r}")
        work_off()
        ran += 1
    assert faults == []
    assert ran > 12


def test_it_notices_an_example_that_is_not_so(site: Site) -> None:
    answer = site.run("curl -H @token $SITE/api/v1/projects/fables/")
    site.compare(['{"slug": "fables", "name": "F..."}'], answer)
    for wrong in (['{"slug": "tales"}'], ['{"colour": "..."}'], ["HTTP/1.1 404 Not Found"]):
        with pytest.raises(AssertionError):
            site.compare(wrong, answer)


def test_the_page_names_every_scope_and_limit() -> None:
    assert re.findall(r"^\| `(\w+)` \|", TEXT.partition("## Refusals")[0], re.MULTILINE) == Scope.values
    assert f"at most {LONGEST_TOKEN_DAYS}" in TEXT
    assert f"{MOST_VALUES:,} values" in TEXT
    rates: Any = settings.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"]
    assert f"{rates['token'].partition('/')[0]} requests a minute" in TEXT
    assert f"{rates['heavy'].partition('/')[0]} times a minute" in TEXT
