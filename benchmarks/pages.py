"""Every page of a sample project with 100 and with 100,000 more items: server time, queries, bytes.

Reviews, candidates, released items, answers, runs and members grow with the items (see `history`). A manager,
a writer, a reviewer and a verifier follow every link from their inbox, one address of each shape. The manager
also searches, filters and orders each long list in every way.

Each address is requested by Django's test client, in a copy of the project from before it grew and then in
the large one, 40 times or for 0.6 s, but at least 8 times. If an address misses a limit, both are requested
twice more, since load from other programs passes and a slow statement does not. A search that finds more rows
in the large project than in the small one is compared with the whole list of the small project, as each row
takes time.

Growth is limited in processor time of Python and of its PostgreSQL connection, which depends less on other
load than p95 does; both are printed and counted. `PARABLE_BENCH_SIZES=100,10000` sets other sizes,
`PARABLE_BENCH_ONLY=members,plan` selects pages whose address contains one of these words, and
`PARABLE_BENCH_KEEP=FOLDER` keeps the databases there for the next run.
"""

import gzip
import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from statistics import median, mode, quantiles
from typing import Any, NamedTuple
from urllib.parse import urlencode

from benchmarks import history, seeding, site
from benchmarks.lines import Line, line

BENCH = "pages"
SIZES = (100, 100_000)
ROUNDS, LEAST_ROUNDS, ENOUGH_SECONDS, AGAIN = 40, 8, 0.6, 2
MOST_MS, MOST_TIMES = 300, 1.5
LEAST_MS = 20
"""Times below this are mostly noise of the machine: ratios count them as this number of milliseconds."""
FELT_MS = 30
"""A page that takes at most this number of milliseconds more than with few items does not count as grown."""
PLAIN = "p95 beside that with few items"
FIRST_BYTES, NEXT_BYTES = 200_000, 60_000
PEOPLE = ("manager", "writer", "reviewer", "verifier")
SEARCHED = ("water", "raise", "pebble 77?", "grown", "zzzz")
"""Search terms: in every row, in some, in one of a hundred, in rows that `history` adds, and in none."""
ROW = b"<tr data-move"
SEARCH = re.compile(r"[?&]q=")
LINK = re.compile(r'<a\b[^>]*?href="([^"#]+)[^"]*"[^>]*>')
ASSET = re.compile(r'(?:src|href)="/static/([^"]+\.(?:js|css))"')
IMPORT = re.compile(r"""(?:from|import)\s*["']\./([^"']+)["']""")
FILES = re.compile(r"\.(csv|jsonl?|md|py|svg|tex|txt|xlsx|yaml|zip)(\?|$)|^/(admin|api|static)/|/files/")


class Address(NamedTuple):
    """A page that one user requests."""

    who: str
    path: str


class Asked(NamedTuple):
    """The measurements of a page; `travels` is its compressed length in bytes.

    `worked` is the processor time of one request, in milliseconds.
    """

    p95: float
    worked: float
    queries: int
    travels: int
    html: bytes

    @property
    def rows(self) -> int:
        """The number of rows in a long list."""
        return self.html.count(ROW)


def measure() -> Iterator[Line]:
    """Yield the figures of all pages at both sizes, measured in turns."""
    sizes = [int(size) for size in os.environ.get("PARABLE_BENCH_SIZES", "").split(",") if size] or SIZES
    only = os.environ.get("PARABLE_BENCH_ONLY", "").split(",")
    site.start(os.environ.get("PARABLE_BENCH_KEEP", ""))
    from django.conf import settings

    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # nobody types one here
    if not {_database(size) for size in sizes} <= site.databases():
        _fill(sizes)
    few, many = sizes[0], sizes[-1]
    clients = {size: _clients(size) for size in (few, many)}
    site.turn_to(_database(few))
    addresses = [one for one in _addresses(clients[few]) if any(word in one.path for word in only)]
    found = dict[Address, dict[int, Asked]]()
    missed = set[Address]()
    for one in addresses:
        found[one] = _ask(clients, one)
        yield from _marked(one, missed, _times(one, found[one][few], found[one][many]))
    known = _shared([asked[few] for asked in found.values()])
    for one in addresses:
        yield from _marked(one, missed, _weights(one, found[one][many], known))
    yield from _counts([(asked[few], asked[many]) for asked in found.values()], len(missed), many)


def _database(size: int) -> str:
    return f"items_{size}"


def _fill(sizes: Sequence[int]) -> None:
    """Create the English sample, let it grow to each size in turn, and copy the database at each size."""
    from dashboard.queries.sample import FILL, sample_people
    from dashboard.services import finish_jobs, load_sample
    from projects.models import Project

    load_sample(languages=["en"])
    project = Project.objects.get()
    finish_jobs(FILL, project.pk)
    people = sample_people(project)
    writers = [people[who].pk for who in ("writer", "second_writer")]
    known = history.gathered(seeding.Seeded(project, writers, writers[0], writers[1]), people)
    for begin, end in pairwise([0, *sizes]):
        _grow(known, begin, end)
        site.copy_as(_database(end))


def _clients(size: int) -> dict[str, Any]:
    """Return a signed-in client for each user of the project of this size."""
    from django.test import Client

    from dashboard.queries.sample import sample_people
    from projects.models import Project

    site.turn_to(_database(size))
    people = sample_people(Project.objects.get())
    clients = {who: Client(SERVER_NAME="localhost", HTTP_ACCEPT_ENCODING="gzip") for who in PEOPLE}
    for who, client in clients.items():
        client.force_login(people[who])
    return clients


def _grow(known: history.Gathered, begin: int, end: int) -> None:
    from accounts.services import system_account

    for first in range(begin, end, 10_000):
        last = min(first + 10_000, end)
        seeding.fill(known.seeded, first, last, system_account().pk)
        history.fill(known, first, last)
    history.index(known)


def _addresses(clients: dict[str, Any]) -> Iterator[Address]:
    """Yield each address once, whether it is reached by a link or as a view of a list."""
    linked = [one for who in PEOPLE for one in reached(who, clients[who])]
    yield from dict.fromkeys([*linked, *_lists()])


def _lists() -> Iterator[Address]:
    """Yield every long list with each order, each filter and some search terms."""
    from django.urls import reverse

    from accounts.models import User
    from dashboard.views.long_list import LISTS
    from projects.models import Project

    project = Project.objects.get()
    manager = User.objects.get(memberships__project=project, memberships__role="manager")
    for shown in LISTS.values():
        listing, path = shown.listing(manager, project), reverse(shown.route, args=[project.slug])
        sorts = [f"{turn}{column.name}" for column in listing.columns if column.sort for turn in ("", "-")]
        filters = [(one.name, value) for one in listing.filters for value, _label in one.choices[:2]]
        scopes = [{"q": "water", "in": name} for name, _label in listing.scopes]
        asked = [{"sort": sort} for sort in sorts] + [dict([one]) for one in filters] + scopes
        asked += [{"q": words} for words in SEARCHED] + [{"page": "400"}]
        yield from (Address("manager", f"{path}?{urlencode(query)}") for query in asked)


def reached(who: str, client: Any) -> Iterator[Address]:
    """Yield the pages that links lead to from the inbox, one of each shape of address."""
    seen, waiting, shapes = {"/"}, ["/"], dict[str, int]()
    while waiting:
        path = waiting.pop(0)
        shape = re.sub(r"\d+|=[^&]+", "0", path)
        shapes[shape] = shapes.get(shape, 0) + 1
        if shapes[shape] > 1 or FILES.search(path):
            continue
        answer = client.get(path)
        if answer.status_code != 200 or answer.streaming or "text/html" not in answer["Content-Type"]:
            continue
        yield Address(who, path)
        for link in LINK.findall(_text(answer).decode()):
            address = _absolute(path, link)
            if address not in seen:
                seen.add(address)
                waiting.append(address)


def _absolute(path: str, link: str) -> str:
    link = link.replace("&amp;", "&")
    if link.startswith("?"):
        return path.partition("?")[0] + link
    return link if link.startswith("/") and not link.startswith("//") else "/"


def _text(answer: Any) -> bytes:
    """Return the body of a response as the browser reads it, uncompressed."""
    is_packed = answer.get("Content-Encoding") == "gzip"
    return gzip.decompress(answer.content) if is_packed else bytes(answer.content)


def _ask(clients: dict[int, dict[str, Any]], one: Address) -> dict[int, Asked]:
    """Return the measurements of a page at both sizes; if it misses a limit, the best of several attempts."""
    found, (few, many) = _measured(clients, one), clients
    for _try in range(AGAIN):
        if _excess(found[few], found[many]) <= 1:
            break
        again = _measured(clients, one)
        found = min(found, again, key=lambda each: _excess(each[few], each[many]))
    return found


def _excess(small: Asked, large: Asked) -> float:
    """Return the largest ratio of a page's time to its limit; it is above 1 if a limit is missed."""
    return max(large.p95 / MOST_MS, large.worked / _most_work(small))


def _most_work(small: Asked) -> float:
    """Return the maximum processor time of a page, given its measurements in the small project."""
    return max(MOST_TIMES * small.worked, small.worked + FELT_MS)


def _longest(small: Asked) -> float:
    """Return the maximum p95 of a page, given its measurements in the small project."""
    return MOST_TIMES * max(small.p95, LEAST_MS)


def _measured(clients: dict[int, dict[str, Any]], one: Address) -> dict[int, Asked]:
    found = {}
    for size, signed_in in clients.items():
        site.turn_to(_database(size))
        found[size] = _at_once(signed_in[one.who], one.path)
    few, many = clients
    if SEARCH.search(one.path) and found[few].rows < found[many].rows:
        site.turn_to(_database(few))
        whole = _at_once(clients[few][one.who], one.path.partition("?")[0])
        if whole.rows <= found[many].rows:
            found[few] = _slower(found[few], whole)
    return found


def _slower(found: Asked, whole: Asked) -> Asked:
    """Return the measurements of a search, with the times of the whole list where these are longer."""
    return found._replace(p95=max(found.p95, whole.p95), worked=max(found.worked, whole.worked))


def _at_once(client: Any, path: str) -> Asked:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    taken, worked, queries, answer = [], [], [], client.get(path)  # once before it counts
    enough = time.perf_counter() + ENOUGH_SECONDS
    while len(taken) < LEAST_ROUNDS or (len(taken) < ROUNDS and time.perf_counter() < enough):
        with CaptureQueriesContext(connection) as asked:
            began, worked_before = time.perf_counter(), site.worked()
            answer = client.get(path)
            taken.append((time.perf_counter() - began) * 1000)
            worked.append((site.worked() - worked_before) * 1000)
        queries.append(len(asked))
    assert answer.status_code == 200, (path, answer.status_code)
    p95 = quantiles(taken, n=20, method="inclusive")[-1]
    return Asked(p95, median(worked), mode(queries), len(answer.content), _text(answer))


def _marked(address: Address, missed: set[Address], lines: Iterable[Line]) -> Iterator[Line]:
    """Yield the lines of an address, noting whether it misses a limit; documents show only missed lines."""
    for one in lines:
        if one.get("missed"):
            missed.add(address)
        yield one if one.get("missed") else one | {"apart": True}


def _times(address: Address, small: Asked, large: Asked) -> Iterator[Line]:
    case = f"{address.who} {address.path}"
    yield line(BENCH, case, "queries", large.queries, "", most=small.queries)
    yield line(BENCH, case, "p95", round(large.p95, 1), "ms", most=MOST_MS)
    yield line(BENCH, case, PLAIN, round(large.p95, 1), "ms", beside=round(_longest(small), 1))
    yield line(BENCH, case, "processor", round(large.worked, 1), "ms", most=round(_most_work(small), 1))


def _weights(address: Address, large: Asked, known: frozenset[str]) -> Iterator[Line]:
    case = f"{address.who} {address.path}"
    yield line(BENCH, case, "first load", _weight(large, frozenset()), "bytes", most=FIRST_BYTES)
    yield line(BENCH, case, "next load", _weight(large, known), "bytes", most=NEXT_BYTES)


def _counts(found: Sequence[tuple[Asked, Asked]], missed: int, many: int) -> Iterator[Line]:
    """Yield the numbers of all pages, of those that miss a limit, and of those that grow, by either time."""
    counts = {
        "pages": len(found),
        f"pages over {MOST_MS} ms": sum(large.p95 > MOST_MS for _small, large in found),
        f"pages over {MOST_TIMES} times by p95, whatever ran beside": sum(
            large.p95 > _longest(small) for small, large in found
        ),
        f"pages over {MOST_TIMES} times and {FELT_MS} ms more by the processor": sum(
            large.worked > _most_work(small) for small, large in found
        ),
        "pages that miss a promise": missed,
    }
    yield from (line(BENCH, f"{many} items", name, n, "") for name, n in counts.items())


def _shared(asked: Sequence[Asked]) -> frozenset[str]:
    """Return the assets that all pages of one user need, and so are cached before the next page."""
    return frozenset.intersection(*(_assets(one.html) for one in asked))


def _weight(page: Asked, known: frozenset[str]) -> int:
    """Return the compressed bytes of a page and of its assets that are not cached yet."""
    return page.travels + sum(_packed(one) for one in _assets(page.html) - known)


def _assets(html: bytes) -> frozenset[str]:
    """Return the scripts and style sheets of a page, with the modules that scripts import."""
    waiting, found = ASSET.findall(html.decode()), set[str]()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            folder = name.rpartition("/")[0]
            waiting += [f"{folder}/{one}" for one in IMPORT.findall(_source(name).decode())]
    return frozenset(found)


@cache
def _packed(name: str) -> int:
    return len(gzip.compress(_source(name), 9))


@cache
def _source(name: str) -> bytes:
    from django.contrib.staticfiles.finders import find

    path = find(name)
    assert isinstance(path, str), name
    return Path(path).read_bytes()
