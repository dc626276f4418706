"""A whole site under people: writers, reviewers and managers who use its pages at a human pace, by locust.

The site is that of `make serve` (web, worker, llm-worker, beat, under their supervisor), on a durable
PostgreSQL and a Valkey, all on this machine; locust runs beside it, on the same processors. The pages' times
are those of loopback. `make bench BENCH=load` is a small run; `python -m benchmarks.load --help` lists what
can be chosen.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks import site
from benchmarks.lines import Line, line, skipped
from benchmarks.load import project
from benchmarks.load.processes import Meter

BENCH: Final = "load"
BASE: Final = Path(__file__).resolve().parents[2]
LOCUST: Final = BASE / ".venv-harnesses" / "locust" / "bin" / "locust"
INSTALL: Final = [sys.executable, "scripts/install.py", "harnesses", "--only", "locust"]
MOST_P95: Final = 500
"""Milliseconds within which 95 of 100 requests of each page are answered, at a human pace."""
SERVED_WITHIN: Final = 300.0
FINISH_SECONDS: Final = 60
"""Seconds in which people finish what they have begun when the run ends."""


class Options(NamedTuple):
    """How many people work how long on how large a project."""

    people: Mapping[str, int] = {"writers": 10, "reviewers": 5, "managers": 1}
    minutes: float = 0.5
    pace: float | None = 1.0
    """How many times faster than people they work; None: without a pause."""
    items: int = 2_000
    arrivals: float = 2.0
    """How many people come in a second."""
    signed_in: bool = False
    """Whether they come with a session instead of a password."""
    settled: bool = False
    """Whether the times of pages count only once all people have come."""
    memory: float | None = None
    """The most memory in MB that the site and its servers may take together."""
    enough: int = 0
    """If not 0, the run ends as soon as so many items, verdicts and managers' pages are acknowledged."""
    keep: str = ""
    settings: Mapping[str, str] = {}
    most_p95: float | None = MOST_P95


def measure(options: Options | None = None) -> Iterator[Line]:
    """Yield the figures of each page, of the processes, and what was lost."""
    options = options or Options()
    subprocess.run(INSTALL, cwd=BASE, check=False)  # noqa: S603 - a command of ours
    if not LOCUST.exists():
        yield skipped(BENCH, "all", "locust could not be installed")
        return
    site.start(options.keep, durable=True)
    began = time.monotonic()
    load = project.make(options.items, options.people)
    yield from _size(load, time.monotonic() - began)
    before = _written()
    figures, meter = _run(load, options)
    yield from _pages(figures, options)
    yield from _processes(figures, meter, options)
    yield from _kept(figures["done"], before, _written())


def _run(load: project.Load, options: Options) -> tuple[dict[str, Any], Meter]:
    """Start the site, let people work, stop it; return what locust measured, and the processes."""
    from tests.drills.site import Site

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="parable-load-")))
        named = {"PARABLE_PROXIES": "1", "PARABLE_HASHED_STATIC": "False", **options.settings}
        served = stack.enter_context(Site(folder / "var", named, log_file=folder / "site.log"))
        _wait_until_served(served)
        plan = {
            "host": f"http://127.0.0.1:{served.port}",
            "slug": project.SLUG,
            "people": project.accounts(load, signed_in=options.signed_in),
            "pace": options.pace,
            "enough": options.enough,
            "first_item": load.first_item,
            "items": load.items,
            "figures": str(folder / "figures.json"),
        }
        (folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
        people = stack.enter_context(_locust(folder, options))
        meter = Meter({**_processes_of(served), **_servers()}, beside={"locust": people.pid})
        with meter.running():
            try:
                people.wait(options.minutes * 60 + _arriving(options) + 3 * FINISH_SECONDS)
            except subprocess.TimeoutExpired:
                people.kill()
                raise
        output = (folder / "locust.log").read_text(encoding="utf-8")
        assert (folder / "figures.json").exists(), output[-3000:]
        figures: dict[str, Any] = json.loads((folder / "figures.json").read_text(encoding="utf-8"))
        figures["log"] = [one for one in served.said().splitlines() if "ERROR" in one or "Traceback" in one]
    return figures, meter


def _locust(folder: Path, options: Options) -> subprocess.Popen[bytes]:
    count = sum(options.people.values())
    seconds = round(options.minutes * 60 + _arriving(options))
    command = [LOCUST, "--locustfile", Path(__file__).with_name("people.py"), "--headless"]
    command += ["--skip-log-setup", "--only-summary", "--exit-code-on-error", 0]
    command += ["--users", count, "--spawn-rate", options.arrivals]
    command += ["--run-time", f"{seconds}s", "--stop-timeout", f"{FINISH_SECONDS}s"]
    command += ["--reset-stats"] if options.settled else []
    environment = {"PATH": os.environ["PATH"], "PARABLE_LOAD_PLAN": str(folder / "plan.json")}
    with (folder / "locust.log").open("wb") as log:
        return subprocess.Popen(  # noqa: S603 - a command of ours
            [str(part) for part in command], cwd=folder, env=environment, stdout=log, stderr=log
        )


def _arriving(options: Options) -> float:
    return sum(options.people.values()) / options.arrivals


def _wait_until_served(served: Any) -> None:
    until = time.monotonic() + SERVED_WITHIN
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{served.port}/accounts/login/", timeout=10):
                break
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.3)
    while served.said().count("started (process") < 5 and time.monotonic() < until:
        time.sleep(0.3)


def _processes_of(served: Any) -> dict[str, int]:
    """Return the ids of the site's processes, without their supervisor."""
    found = re.findall(r"\| (\S+) started \(process (\d+)\)", served.said())
    return {name: int(pid) for name, pid in found}


def _servers() -> dict[str, int]:
    """Return the ids of PostgreSQL and Valkey."""
    import redis
    from django.conf import settings
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_read_file('postmaster.pid')")
        postgresql = int(cursor.fetchone()[0].split()[0])
    with redis.Redis.from_url(settings.REDIS_URL) as server:
        return {"PostgreSQL": postgresql, "Valkey": int(server.info("server")["process_id"])}


def _written() -> dict[str, int]:
    """Return how many items and verdicts there are, and how often PostgreSQL ended a deadlock."""
    from django.db import connection

    from annotation.models import Item
    from review.models import Review

    with connection.cursor() as cursor:
        cursor.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
        deadlocks = int(cursor.fetchone()[0])
    judged = Review.objects.filter(sent_at__isnull=False).count()
    return {"submitted": Item.objects.count(), "judged": judged, "deadlocks": deadlocks}


def _size(load: project.Load, seconds: float) -> Iterator[Line]:
    from django.db import connection

    from corpus.models import Story

    yield line(BENCH, "project", "stories", Story.objects.filter(project=load.project).count(), "")
    yield line(BENCH, "project", "items", load.items, "")
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database()) / 1048576.0")
        yield line(BENCH, "project", "database", round(cursor.fetchone()[0]), "MB")
    yield line(BENCH, "project", "made_in", round(seconds, 1), "s")


def _pages(figures: dict[str, Any], options: Options) -> Iterator[Line]:
    for one in sorted(figures["pages"], key=lambda page: page["page"]):
        yield line(BENCH, one["page"], "requests", one["requests"], "")
        yield line(BENCH, one["page"], "errors", one["errors"], "", most=0)
        yield line(BENCH, one["page"], "p50", one["p50"], "ms")
        yield line(BENCH, one["page"], "p95", one["p95"], "ms", most=options.most_p95)
        yield line(BENCH, one["page"], "p99", one["p99"], "ms")
    yield line(BENCH, "all", "requests_per_second", round(_rate(figures), 1), "requests/s")
    for at, page, took in figures["slow"]:
        print(f"after {at:.1f} s: {page}, {took} ms", flush=True)
    for said in figures["errors"]:
        print(said, flush=True)
    for said in figures["log"][:20]:
        print(said, flush=True)
    yield line(BENCH, "all", "errors_in_the_log", len(figures["log"]), "", most=0)


def _rate(figures: dict[str, Any]) -> float:
    return float(sum(one["requests"] for one in figures["pages"]) / max(figures["seconds"], 1))


def _processes(figures: dict[str, Any], meter: Meter, options: Options) -> Iterator[Line]:
    for name, megabytes in meter.most.items():
        yield line(BENCH, name, "most_memory", round(megabytes), "MB")
        yield line(BENCH, name, "processor", round(meter.processor[name], 2), "cores")
    cores = sum(used for name, used in meter.processor.items() if name != "locust")
    yield line(BENCH, "site and servers", "processor", round(cores, 2), "cores")
    each = 1000 * cores / _rate(figures)
    yield line(BENCH, "site and servers", "processor_of_a_request", round(each, 1), "ms")
    yield line(BENCH, "site and servers", "most_memory", round(meter.most_of_all), "MB", most=options.memory)
    yield line(BENCH, "machine", "load", round(meter.load, 1), "processes")


def _kept(done: Mapping[str, int], before: Mapping[str, int], after: Mapping[str, int]) -> Iterator[Line]:
    """Yield what was acknowledged, what of it is not there, and what is there twice."""
    for name in ("submitted", "judged"):
        acknowledged, found = done.get(name, 0), after[name] - before[name]
        yield line(BENCH, name, "acknowledged", acknowledged, "")
        yield line(BENCH, name, "lost", max(acknowledged - found, 0), "", most=0)
        yield line(BENCH, name, "not_acknowledged", max(found - acknowledged, 0), "")
    yield line(BENCH, "PostgreSQL", "deadlocks", after["deadlocks"] - before["deadlocks"], "", most=0)
