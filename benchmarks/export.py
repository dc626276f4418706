"""A frozen release of 100,000 items written to one JSONL file: the site's export beside a bare loop.

Both use a server-side cursor, 2,000 rows at a time. The site's export reads from the database only which file
has the next line, and copies the line from the release's own files. The bare loop passes the JSON in each row
through orjson. They take turns in five windows.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import site
from benchmarks.lines import Line, line

BENCH = "export"
ITEMS, WINDOWS = 100_000, 5
LEAST_SHARE = 0.85
MOST_MEGABYTES = 200.0
STORY = "A crow who had flown all day over a dry land found a tall jar with a little water at its foot. " * 5


def measure() -> Iterator[Line]:
    """Yield the rows per second of processor time of export and bare loop, and the export's memory."""
    site.start()
    number = seed()
    with TemporaryDirectory() as folder:
        out = Path(folder) / "items.jsonl"
        took: list[tuple[float, float]] = []
        for _window in range(WINDOWS):
            took.append((ours(number, out), bare(number, out)))
            assert sum(1 for _line in out.open("rb")) == ITEMS
        by_us, by_cursor = map(median, zip(*took, strict=True))
        shares = [by_cursor / by_us for by_us, by_cursor in took]
        rate, limit = round(ITEMS / by_us), round(ITEMS / by_cursor)
        yield line(BENCH, "jsonl", "rows_per_second", rate, "rows/s", beside=limit)
        share = round(median(shares), 3)
        yield line(BENCH, "jsonl", "share_of_bare_cursor", share, "share", least=LEAST_SHARE)
        yield line(BENCH, "jsonl", "peak_memory", alone(number, out), "MB", most=MOST_MEGABYTES)


def ours(number: int, out: Path) -> float:
    """Export as the site does; return the processor time in seconds."""
    from release.models import Release
    from release.services import stream_items

    begun = site.worked()
    with out.open("wb") as file:
        file.writelines(stream_items(release=Release.objects.get(pk=number)))
    return site.worked() - begun


def bare(number: int, out: Path) -> float:
    """Export by a loop with a named cursor and orjson only; return the processor time in seconds."""
    import orjson
    import psycopg

    begun = time.process_time()
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
        return time.process_time() - begun + site.served(connection)


def alone(number: int, out: Path) -> float:
    """Return the peak memory in MB of a process that only exports."""
    program = (
        "import django; django.setup(); from pathlib import Path; from benchmarks import export, site;"
        f" export.ours({number}, Path({str(out)!r})); print(site.most_memory())"
    )
    said = subprocess.run(  # noqa: S603 - a program of ours
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    return round(float(said.stdout))


def seed() -> int:
    """Create a ready release and return its id."""
    from django.utils import timezone

    from accounts.services import create_user, system_account
    from parable.formats import write_items_jsonl
    from projects.services import create_project
    from release.assembly.recipe import Recipe
    from release.assembly.records import release_records
    from release.models import Artifact, Release, ReleaseState, Split
    from release.queries.release import frozen_items
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
    items, recipe = tuple(frozen_items(release)), Recipe.from_json(release.recipe)
    for split in Split.values:
        chosen = [one for one in items if one.split == split]
        lines = write_items_jsonl(release_records(chosen, recipe=recipe, marker="11111111"))
        Artifact.objects.create(
            release=release, name=f"{split}/commonsense.jsonl", sha256=keep(lines), bytes=len(lines)
        )
    Release.objects.filter(pk=release.pk).update(state=ReleaseState.READY)
    return release.pk


def write_rows(number: int) -> None:
    """Insert the items of a release in one statement, with triggers disabled."""
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
