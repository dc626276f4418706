"""A frozen release of 100,000 items written to one JSONL, beside a bare cursor with orjson over its rows.

Both stream: a cursor of the server, 2,000 rows at a time. Ours reads the frozen rows through the
models, puts each record into the order of the format and withholds what is to be withheld; the bare one sends
the stored JSON through orjson and writes it as it comes. They take turns; five windows each.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import site
from benchmarks.lines import Line, line

BENCH = "export"
ITEMS, WINDOWS = 100_000, 5
LEAST_SHARE = 0.5
MOST_MEGABYTES = 300.0
STORY = "A crow who had flown all day over a dry land found a tall jar with a little water at its foot. " * 5


def measure() -> Iterator[Line]:
    """Rows a second of both, and the memory of a process that does nothing but export."""
    site.start()
    number = seed()
    with TemporaryDirectory() as folder:
        out = Path(folder) / "items.jsonl"
        ways: dict[str, Callable[[], None]] = {
            "ours": lambda: ours(number, out),
            "bare": lambda: bare(number, out),
        }
        times: dict[str, list[float]] = {name: [] for name in ways}
        for _window in range(WINDOWS):
            for name, way in ways.items():
                start = time.perf_counter()
                way()
                times[name].append(time.perf_counter() - start)
                assert sum(1 for _line in out.open("rb")) == ITEMS
        shares = [
            bare_time / our_time for bare_time, our_time in zip(times["bare"], times["ours"], strict=True)
        ]
        limit = round(ITEMS / median(times["bare"]))
        yield line(
            BENCH, "jsonl", "rows_per_second", round(ITEMS / median(times["ours"])), "rows/s", beside=limit
        )
        yield line(
            BENCH, "jsonl", "share_of_bare_cursor", round(median(shares), 3), "share", least=LEAST_SHARE
        )
        yield line(BENCH, "jsonl", "peak_memory", alone(number, out), "MB", most=MOST_MEGABYTES)


def ours(number: int, out: Path) -> None:
    """As the site does it."""
    from release.models import Release
    from release.services import stream_items

    with out.open("wb") as file:
        file.writelines(stream_items(release=Release.objects.get(pk=number)))


def bare(number: int, out: Path) -> None:
    """A named cursor, orjson in and out, nothing else."""
    import orjson
    import psycopg

    with (
        psycopg.connect(os.environ["DATABASE_URL"]) as connection,
        connection.cursor("bare") as cursor,
        out.open("wb") as file,
    ):
        psycopg.types.json.set_json_loads(orjson.loads, cursor)
        cursor.itersize = 2000
        cursor.execute(
            "SELECT public_id, split, record FROM release_releaseitem WHERE release_id = %s ORDER BY number",
            [number],
        )
        for public_id, split, record in cursor:
            file.write(
                orjson.dumps({"id": public_id, "split": split, **record}, option=orjson.OPT_APPEND_NEWLINE)
            )


def alone(number: int, out: Path) -> float:
    """Megabytes at the peak of a process of its own that exports and ends."""
    program = (
        "import django, resource; django.setup(); from pathlib import Path; from benchmarks import export;"
        f" export.ours({number}, Path({str(out)!r}));"
        " print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    )
    said = subprocess.run(  # noqa: S603 - a program of ours
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    return round(float(said.stdout))


def seed() -> int:
    """A release that is ready."""
    from django.utils import timezone

    from accounts.services import create_user, system_account
    from projects.services import create_project
    from release.models import Artifact, Release, ReleaseState
    from release.services.storage import keep

    manager = create_user(
        actor=system_account(),
        username="exporter",
        name="Mia",
        password="a password of no use here",
        may_create_projects=True,
    )
    project = create_project(actor=manager, slug="crows", name="Crows", language="en")
    release = Release.objects.create(
        project=project, version="1.0.0", seed="7", created_by=manager, ready_at=timezone.now(),
        recipe={"split": "story", "dev_share": "0.2", "withhold_test": False},
    )  # fmt: skip
    marker = json.dumps({"canary": "11111111-2222-3333-4444-555555555555"}).encode()
    Artifact.objects.create(release=release, name="MANIFEST.json", sha256=keep(marker), bytes=len(marker))
    write_rows(release.pk)
    Release.objects.filter(pk=release.pk).update(state=ReleaseState.READY)
    return release.pk


def write_rows(number: int) -> None:
    """The items of a release, by one statement while triggers sleep."""
    from django.db import connection, transaction

    record: dict[str, Any] = {
        "task": "commonsense", "story_id": "crow", "title": "The crow and the jar", "story": STORY,
        "question": "Why did the crow drop pebbles into the jar?",
        "choices": ["Stones raise the water", "She was angry", "Stones are heavy", "She liked the sound"],
        "answer": 2, "types": ["physical"], "style": "human", "generators": [],
        "explanation": "Stones take up room, so the water rises.", "language": "en",
    }  # fmt: skip
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(
            "INSERT INTO release_releaseitem"
            ' (release_id, item_id, revision_id, split, number, public_id, "order", record)'
            " SELECT %s, n, n, CASE WHEN n %% 5 = 0 THEN 'dev' ELSE 'test' END, n, 'crows-c-' || n,"
            " '[0,1,2,3]',"
            " jsonb_set(%s::jsonb, '{story}', to_jsonb('Day ' || n || '. ' || %s))"
            " FROM generate_series(1, %s) AS n",
            [number, json.dumps(record), STORY, ITEMS],
        )
