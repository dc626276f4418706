"""Items by the programming interface: a list of 100,000 read in pages, and 1,000 created by one request.

Requests go through the WSGI handler, with an access token. Rates are by seconds of the processor, of this
process and of its PostgreSQL connection together, since other work may run beside. The import of a request
and that of the command take turns, in two projects.
"""

import json
import time
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import seeding, site
from benchmarks.lines import Line, line

BENCH = "api"
SIZES = (1_000, 100_000)
PAGE = 1_000
ROUNDS = 15
WINDOWS, ITEMS = 5, 1_000
ITEMS_A_STORY = 10
LEAST_ITEMS = 5_000
MOST_QUERIES = 6
MOST_TIMES_FIRST = 1.3
LEAST_SHARE = 0.8


def measure() -> Iterator[Line]:
    """Yield the figures of reading and of creating."""
    site.start()
    from projects.authentication import TokenThrottle

    TokenThrottle.rate = "1000000/min"  # the limit of requests is not what is measured here
    yield from _read()
    yield from _create()


def _read() -> Iterator[Line]:
    for size in SIZES:
        client, address = _fill(size)
        pages = list(_pages(client, address))
        _ask(client, pages[0])  # what is loaded when first used is not timed
        rates = []
        for _round in range(3):
            before = site.worked()
            read = sum(len(_ask(client, page)) for page in pages)
            rates.append(read / (site.worked() - before))
            assert read == size, read
        yield line(
            BENCH, f"{size} items", "items_per_second", round(max(rates)), "items/s", least=LEAST_ITEMS
        )
        queries = max(_queries(client, page) for page in (pages[0], pages[-1], f"{address}&state=in_review"))
        yield line(BENCH, f"{size} items", "queries", queries, "", most=MOST_QUERIES)
    first, last = list[float](), list[float]()
    for _round in range(ROUNDS):
        first.append(_seconds(client, pages[0]))
        last.append(_seconds(client, pages[-1]))
    times = round(median(last) / median(first), 2)
    beside = round(median(first) * 1000, 1)
    yield line(BENCH, "last page", "cpu", round(median(last) * 1000, 1), "ms", beside=beside)
    yield line(BENCH, "last page", "times_first", times, "times", most=MOST_TIMES_FIRST)


def _fill(size: int) -> tuple[Any, str]:
    from django.db import connection

    actor, project, client = _project(f"read-{size}")
    seeding.fill(seeding.Seeded(project, [actor.pk], actor.pk, actor.pk), 0, size, actor.pk)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    return client, f"/api/v1/projects/{project.slug}/items/?limit={PAGE}"


def _project(slug: str) -> tuple[Any, Any, Any]:
    from django.test import Client

    from accounts.models import Scope
    from accounts.services import create_user, system_account
    from projects.models import Role
    from projects.services import create_project, create_token, set_roles

    system = system_account()
    actor = create_user(actor=system, username=slug, name="Mia Manager", password="a password of no use here")
    project = create_project(actor=system, slug=slug, name=slug, language="en", settings={})
    set_roles(actor=system, project=project, user=actor, roles=[Role.MANAGER])
    token = create_token(actor=actor, name="bench", scopes=Scope.values, days=1).text
    return actor, project, Client(SERVER_NAME="localhost", headers={"Authorization": f"Bearer {token}"})


def _pages(client: Any, address: str) -> Iterator[str]:
    """Yield the addresses of all pages of a list."""
    following: str | None = address
    while following:
        yield following
        following = client.get(following).json()["next"]


def _ask(client: Any, address: str) -> list[Any]:
    answer = client.get(address)
    assert answer.status_code == 200, answer.content
    found: list[Any] = json.loads(answer.content)["results"]
    return found


def _seconds(client: Any, address: str) -> float:
    before = site.worked()
    client.get(address)
    return site.worked() - before


def _queries(client: Any, address: str) -> int:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as asked:
        _ask(client, address)
    return len(asked)


def _create() -> Iterator[Line]:
    by_request, by_command = _project("by-request"), _project("by-command")
    rates: dict[str, list[float]] = {"request": [], "command": []}
    shares = []
    for window in range(WINDOWS + 1):
        rows = [_item(window * ITEMS + number) for number in range(ITEMS)]
        found = {"request": _post(by_request, rows), "command": _command(by_command, rows)}
        if window:  # what is loaded when first used is not timed
            shares.append(found["request"] / found["command"])
            for name, rate in found.items():
                rates[name].append(rate)
    rate, beside = (round(median(rates[name])) for name in ("request", "command"))
    yield line(BENCH, f"{ITEMS} items created", "items_per_second", rate, "items/s", beside=beside)
    yield line(
        BENCH,
        f"{ITEMS} items created",
        "share_of_command",
        round(median(shares), 2),
        "share",
        least=LEAST_SHARE,
    )


def _post(of: tuple[Any, Any, Any], rows: list[dict[str, Any]]) -> float:
    _actor, project, client = of
    body = json.dumps({"items": rows, "state": "in_review"})
    before = site.worked()
    answer = client.post(f"/api/v1/projects/{project.slug}/items/", body, content_type="application/json")
    seconds = site.worked() - before
    assert answer.status_code == 201, answer.content[:1000]
    assert answer.json()["created"] == len(rows), answer.json()["created"]
    return len(rows) / seconds


def _command(of: tuple[Any, Any, Any], rows: list[dict[str, Any]]) -> float:
    from django.core.management import call_command

    actor, project, _client = of
    with TemporaryDirectory() as folder:
        file = Path(folder) / f"items-{time.time_ns()}.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        before = site.worked()
        with redirect_stdout(StringIO()):
            call_command("import_items", str(file), project=project.slug, username=actor.username)
        return len(rows) / (site.worked() - before)


def _item(number: int) -> dict[str, Any]:
    story = number // ITEMS_A_STORY
    return {
        "id": f"c-{number}",
        "task": "commonsense",
        "story_id": f"crow-{story}",
        "title": f"The crow and the jar {story}",
        "story": f"{seeding.READING.format(n=story)}It was on day {story}.",
        "question": f"Why did the crow drop stone number {number}?",
        "choices": [f"because of reason {number} {letter}" for letter in "abcd"],
        "answer": number % 4,
        "types": ["social"],
        "language": "en",
    }
