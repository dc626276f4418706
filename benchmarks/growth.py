"""Tables that grow without bound: what a million rows weigh, and whether any page reads a whole table.

The rows belong to other projects, items, runs and people, as those of years do. Then every page that links
lead to from the inbox is opened, by a manager, a writer, a reviewer, a verifier and an
administrator; PostgreSQL counts how
often it read a table from end to end. `PARABLE_BENCH_ROWS=10000000` sets another number of rows,
`PARABLE_BENCH_TABLES` names some of the tables.
"""

# ruff: noqa: S608 - names of ours, and nothing that anybody typed

import os
import secrets
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from benchmarks import pages, site
from benchmarks.lines import Line, line, skipped

BENCH = "growth"
ROWS = 1_000_000
AT_ONCE = 250_000
MOST_MS = 500
APART = 10_000_000_000
"""Added to the ids of the rows made here, so that nothing of the sample project refers to them."""
MILLION, MEGABYTE = 1_000_000, 1_000_000

TABLES: Final[Mapping[str, Mapping[str, str]]] = {
    "annotation_transition": {
        "item_id": f"{APART} + n / 4", "revision_id": f"{APART} + n / 4", "actor_id": f"{APART} + n % 10000",
        "at": "now() - n * interval '10 seconds'",
    },
    "evaluation_response": {
        "run_id": f"{APART} + n / 10000", "item_id": f"{APART} + n % 10000", "call_id": "NULL",
        "at": "now() - n * interval '1 second'",
    },
    "jobs_call": {
        "job_id": f"{APART} + n / 10000", "endpoint_id": f"{APART} + n % 100",
        "fingerprint": "md5(n::text) || md5((-n)::text)", "state": "'done'",
    },
    "accounts_auditevent": {
        "subject_id": f"{APART} + n", "at": "now() - n * interval '1 minute'",
    },
    "events_event": {
        "project_id": f"{APART} + n % 100", "object_id": f"{APART} + n", "position": f"{APART} + n",
        "at": "now() - n * interval '10 seconds'",
    },
}  # fmt: skip
"""The values of the columns of row n, by table; other columns are those of the first row of the sample
project.
"""


class Weight(NamedTuple):
    """The bytes of a table and of its indexes."""

    table: int
    indexes: int


def measure() -> Iterator[Line]:
    """Yield the weight of each table, and how pages read it."""
    rows = int(os.environ.get("PARABLE_BENCH_ROWS", ROWS))
    wanted = [name for name in os.environ.get("PARABLE_BENCH_TABLES", "").split(",") if name] or [*TABLES]
    clients = _site()
    grown: list[str] = []
    for table in wanted:
        if not _has_rows(table):
            yield skipped(BENCH, table, "the sample project has no such row")
            continue
        before = _weight(table)
        took = _grow(table, rows)
        after, millions = _weight(table), rows / MILLION
        grown.append(table)
        yield line(BENCH, table, "rows", rows, "")
        yield line(BENCH, table, "time a million", round(took / millions, 1), "s")
        heap = (after.table - before.table) / MEGABYTE / millions
        indexes = (after.indexes - before.indexes) / MEGABYTE / millions
        yield line(BENCH, table, "table a million", round(heap), "MB")
        yield line(BENCH, table, "indexes a million", round(indexes), "MB")
    yield from _pages(clients, grown)


def _site() -> dict[str, Any]:
    """Start a site with the English sample; return a signed-in client for each person."""
    site.start()
    from django.test import Client

    from accounts.models import User
    from dashboard.queries.sample import FILL, sample_people
    from dashboard.services import finish_jobs, load_sample
    from projects.models import Project

    load_sample(languages=["en"])
    project = Project.objects.get()
    finish_jobs(FILL, project.pk)
    people = sample_people(project)
    administrator = User.objects.create_superuser(
        "administrator", "administrator@example.org", secrets.token_hex()
    )
    known = {who: people[who] for who in pages.PEOPLE} | {"administrator": administrator}
    clients = {who: Client(SERVER_NAME="localhost") for who in known}
    for who, client in clients.items():
        client.force_login(known[who])
    return clients


def _has_rows(table: str) -> bool:
    return bool(_ask(f'SELECT 1 FROM "{table}" LIMIT 1'))


def _grow(table: str, rows: int) -> float:
    """Add rows, without triggers and foreign keys; return the seconds that this took."""
    from django.db import connection, transaction

    names = [name for (name,) in _ask(
        "SELECT column_name FROM information_schema.columns WHERE table_name = %s AND is_generated = 'NEVER'"
        " ORDER BY ordinal_position", table,
    )]  # fmt: skip
    values = {name: f"row.{name}" for name in names} | {"id": f"{APART} + n"}
    values |= {name: value for name, value in TABLES[table].items() if name in names}
    listed = ", ".join(f'"{name}"' for name in names)
    chosen = ", ".join(values[name] for name in names)
    began = time.perf_counter()
    for first in range(1, rows + 1, AT_ONCE):
        last = min(first + AT_ONCE - 1, rows)
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = 0")
            cursor.execute("SET LOCAL session_replication_role = replica")
            cursor.execute(
                f'INSERT INTO "{table}" ({listed}) SELECT {chosen} FROM'
                f' (SELECT * FROM "{table}" WHERE id < {APART} ORDER BY id LIMIT 1) AS row,'
                f" generate_series({first}::bigint, {last}::bigint) AS n"
            )
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
        cursor.execute(f'VACUUM ANALYZE "{table}"')
    return time.perf_counter() - began


def _weight(table: str) -> Weight:
    return Weight(*_ask("SELECT pg_table_size(%s::regclass), pg_indexes_size(%s::regclass)", table, table)[0])


def _pages(clients: dict[str, Any], grown: list[str]) -> Iterator[Line]:
    """Open every page twice; yield which tables were read from end to end, and the slowest pages."""
    opened, slow = 0, list[tuple[float, str]]()
    whole: dict[str, list[str]] = {table: [] for table in grown}
    for who, client in clients.items():
        for one in pages.reached(who, client):
            before = _scans(grown)
            began = time.perf_counter()
            client.get(one.path)
            slow.append(((time.perf_counter() - began) * 1000, f"{who} {one.path}"))
            opened += 1
            after = _scans(grown)
            for table in grown:
                if after[table] > before[table]:
                    whole[table].append(f"{who} {one.path}")
    yield line(BENCH, "pages", "opened", opened, "")
    for table in grown:
        if whole[table]:
            print(f"{table} is read from end to end by: {', '.join(sorted(set(whole[table])))}", flush=True)
        yield line(BENCH, table, "pages that read it whole", len(whole[table]), "", most=0)
    for took, page in sorted(slow, reverse=True)[:5]:
        yield line(BENCH, page, "time", round(took), "ms") | {"apart": True}
    yield line(BENCH, "pages", f"over {MOST_MS} ms", sum(took > MOST_MS for took, _page in slow), "")


def _scans(tables: list[str]) -> dict[str, int]:
    """Return how often PostgreSQL has read each table from end to end."""
    _ask("SELECT pg_stat_force_next_flush()")
    _ask("SELECT pg_stat_clear_snapshot()")
    found = dict(_ask("SELECT relname, seq_scan FROM pg_stat_user_tables"))
    return {table: found[table] for table in tables}


def _ask(statement: str, *values: str) -> list[Any]:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(statement, values or None)
        found: list[Any] = cursor.fetchall()
        return found
