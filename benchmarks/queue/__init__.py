"""The queue at 1,000, 100,000 and 1,000,000 requests: cycles of claim, answer and score, by 8 users at once.

Cycles run by the services, and over HTTP by the site's own server; also for a user who is excluded from the
oldest 1,000 requests, and for one excluded from nine of ten. They are compared with the same statements by
bare psycopg, and with a bare view that has the same middleware, statements and bytes. All take turns in five
windows; printed is the median of the windows. `PARABLE_BENCH_SIZES=1000,100000` sets other sizes. With
`PARABLE_BENCH_BEFORE=FOLDER`, another checkout is compared with this one instead (see `builds`).
"""

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack
from itertools import cycle
from multiprocessing import get_context
from statistics import median, quantiles
from typing import Any, NamedTuple

from benchmarks import seeding, site
from benchmarks.lines import Line, line
from benchmarks.queue import work
from benchmarks.queue.builds import compare
from benchmarks.queue.pages import Page, served
from benchmarks.queue.work import Done

BENCH = "queue"
SIZES = (1_000, 100_000, 1_000_000)
HANDS, WINDOWS = 8, 5
CYCLES = {"services": 5, "sql": 12, "http": 4, "bare": 4, "oldest": 6, "most": 6}
"""The number of cycles of one process in one window; one process works for each excluded user."""
BARE_PLACES = 10_000
MOST_NEXT_MS = 100
LEAST_OF_SQL, LEAST_OF_BARE, MOST_TIMES_SMALLEST = 0.17, 0.6, 1.5
MINE = ("services", "http", "alone", "oldest", "most")


class Queue(NamedTuple):
    """A project with a queue of one size, and the users who work on it."""

    size: int
    seeded: seeding.Seeded
    people: dict[str, list[int]]
    pages: dict[int, Page]
    actor: int
    filled: list[int]


class Window(NamedTuple):
    """The work of several processes in one window."""

    rate: float
    seconds: list[float]
    places: list[Any]
    following: list[float]


def measure() -> Iterator[Line]:
    """Yield the figures of all sizes and all ways, measured in turns."""
    sizes = [int(size) for size in os.environ.get("PARABLE_BENCH_SIZES", "").split(",") if size] or SIZES
    if before := os.environ.get("PARABLE_BENCH_BEFORE"):
        yield from compare(before, sizes)
        return
    site.start()
    from django.conf import settings

    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # nobody types one here
    with ExitStack() as stack:
        bare = _make("bare", BARE_PLACES)
        made = [_timed_make(size) for size in sizes]
        queues = [queue for queue, _found in made]
        yield from (found for _queue, found in made)
        _rest()
        recorded, pages = _record(bare)
        addresses = stack.enter_context(served(pages, bare.seeded))
        for queue in (bare, *queues):
            hands_at = zip(queue.people["http"], cycle(addresses), strict=False)
            queue.pages.update({user: Page(where, queue.seeded, user) for user, where in hands_at})
        hands = stack.enter_context(
            ProcessPoolExecutor(HANDS, mp_context=get_context("spawn"), initializer=work.begin)
        )
        for queue in queues:  # once before: connections, templates, plans
            _window(queue, bare, recorded, hands)
        windows = [
            {queue.size: _window(queue, bare, recorded, hands) for queue in queues}
            for _turn in range(WINDOWS)
        ]
    yield from _lines(sizes, windows)


def _timed_make(size: int) -> tuple[Queue, Line]:
    start = time.perf_counter()
    queue = _make(f"q{size}", size)
    return queue, line(BENCH, str(size), "seeding", round(time.perf_counter() - start, 1), "s", most=180)


def _make(slug: str, size: int) -> Queue:
    from accounts.services import create_user, system_account
    from projects.models import Role
    from projects.services import create_project, set_roles

    actor = system_account()
    project = create_project(
        actor=actor, slug=slug, name=slug, language="en", settings={"reviews_per_item": seeding.REVIEWS}
    )

    def person(name: str) -> int:
        user = create_user(
            actor=actor, username=f"{slug}-{name}", name=name, password="a password of no use here"
        )
        set_roles(actor=actor, project=project, user=user, roles=[Role.REVIEWER])
        return int(user.pk)

    people = {way: [person(f"{way}{hand}") for hand in range(HANDS)] for way in ("services", "http")}
    people |= {way: [person(way)] for way in ("oldest", "most")}
    writers = [person(f"writer{number}") for number in range(20)]
    seeded = seeding.Seeded(
        project, writers, people["oldest"][0], people["most"][0], oldest=min(500, size * 9 // 20)
    )
    _fill(seeded, size // seeding.REVIEWS, actor.pk)
    return Queue(size, seeded, people, {}, actor.pk, [size // seeding.REVIEWS])


def _fill(seeded: seeding.Seeded, items: int, actor: int) -> None:
    """Add items in two halves at once, divided between two stories."""
    half = items // 2 // seeding.ITEMS_A_STORY * seeding.ITEMS_A_STORY

    def part(begin: int, end: int) -> None:
        from django.db import connection

        seeding.fill(seeded, begin, end, actor)
        connection.close()

    with ThreadPoolExecutor(2) as threads:
        for done in [threads.submit(part, 0, half), threads.submit(part, half, items)]:
            done.result()


def _rest() -> None:
    """Update the database's statistics, as autovacuum would have done for queues of this size."""
    from django.db import connection

    seeding.number_what_follows()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    seeding.check()
    connection.close()


def _record(queue: Queue) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the statements of a cycle, by services and by pages, on an item's first and last request."""
    from accounts.models import User
    from benchmarks.queue.pages import noted_pages

    first, last = (User.objects.get(pk=pk) for pk in queue.people["services"][:2])
    project = queue.seeded.project
    services, pages = {}, {}
    for found, note in ((services, _noted_services), (pages, noted_pages)):
        for person in (first, last):  # so that each has a story just read, the same
            work.cycle(person, project)
        for kind, person in (("first", first), ("last", last)):
            found[kind] = note(queue.seeded, person)
    return services, pages


def _noted_services(seeded: seeding.Seeded, person: Any) -> list[Any]:
    known = {"user": person.pk, "story": work.story_just_read(person)}
    with work.written_down() as claiming:
        place = work.claim(person, seeded.project)
    with work.written_down() as solving:
        review = work.answer(person, place)
    with work.written_down() as judging:
        work.score(person, review)
    assert known["story"] == place.story_id, "the claim is one within the story just read"
    known |= seeded.kin(place.pk) | {"review": review.pk}
    return [work.to_replay(noted, known) for noted in (claiming, solving, judging)]


def _window(queue: Queue, bare: Queue, recorded: Any, hands: ProcessPoolExecutor) -> dict[str, Window]:
    """Run every way in turn on one queue, and return the measurements by way."""
    services, project = queue.people["services"], queue.seeded.project.pk
    found = {
        "services": _crowd(hands, work.by_services, [(project, user) for user in services], "services"),
        "sql": _crowd(
            hands,
            work.by_psycopg,
            [(recorded, bare.seeded, user) for user in bare.people["services"]],
            "sql",
        ),
    }
    with ThreadPoolExecutor(HANDS) as threads:
        found["http"] = _crowd(threads, Page.work, [(page,) for page in queue.pages.values()], "http")
        found["alone"] = _crowd(threads, Page.work, [(next(iter(queue.pages.values())),)], "http")
        found["bare"] = _crowd(threads, Page.work_barely, [(page,) for page in bare.pages.values()], "bare")
    for way in ("oldest", "most"):
        found[way] = _crowd(hands, work.by_services, [(project, queue.people[way][0])], way)
    _top_up(queue, found)
    return found


def _crowd(hands: Executor, does: Callable[..., Done], each: Sequence[tuple[Any, ...]], way: str) -> Window:
    start = time.perf_counter()
    done = [future.result(180) for future in [hands.submit(does, *one, CYCLES[way]) for one in each]]
    took = time.perf_counter() - start
    seconds = [second for one in done for second in one.seconds]
    places = [place for one in done for place in one.places]
    following = [second for one in done for second in one.following]
    print(f"{way}: {len(seconds)} cycles in {took:.1f} s", file=sys.stderr, flush=True)
    return Window(len(seconds) / took, seconds, places, following)


def _top_up(queue: Queue, found: dict[str, Window]) -> None:
    """Add as many items as were judged, so that a short queue keeps its length."""
    if queue.size > 10_000:
        return
    judged = sum(len(found[way].places) for way in MINE)
    begin = queue.filled[-1]
    queue.filled.append(begin + judged // seeding.REVIEWS + 1)
    seeding.fill(queue.seeded, begin, queue.filled[-1], queue.actor)


def _lines(sizes: Sequence[int], windows: list[dict[int, dict[str, Window]]]) -> Iterator[Line]:
    def rate(size: int, way: str) -> float:
        return median(window[size][way].rate for window in windows)

    def milliseconds(size: int, way: str, share: int) -> float:
        return median(quantiles(window[size][way].seconds, n=20)[share] * 1000 for window in windows)

    for size in sizes:
        for way, against, least in (("services", "sql", LEAST_OF_SQL), ("http", "bare", LEAST_OF_BARE)):
            own, other = rate(size, way), rate(size, against)
            yield line(BENCH, f"{way}_{size}", "rate", round(own, 1), "cycles/s", beside=round(other, 1))
            yield line(BENCH, f"{way}_{size}", f"share_of_{against}", round(own / other, 3), "", least=least)
        for way in ("services", "http", "oldest", "most"):
            yield line(BENCH, f"{way}_{size}", "p50", round(milliseconds(size, way, 9), 1), "ms")
            mine, smallest = milliseconds(size, way, 18), milliseconds(sizes[0], way, 18)
            yield line(BENCH, f"{way}_{size}", "p95", round(mine, 1), "ms", beside=round(smallest, 1))
            if size != sizes[0]:
                times = round(mine / smallest, 3)
                yield line(BENCH, f"{way}_{size}", "times_smallest", times, "times", most=MOST_TIMES_SMALLEST)
        following = [1000 * second for window in windows for second in window[size]["alone"].following]
        yield line(
            BENCH, f"http_{size}", "next_item_alone", round(median(following), 1), "ms", most=MOST_NEXT_MS
        )
        held = [place for window in windows for way in MINE for place in window[size][way].places]
        yield line(BENCH, str(size), "double_claims", len(held) - len(set(held)), "places", most=0)
