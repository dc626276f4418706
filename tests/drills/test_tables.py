"""A table of 100,000 rows is sent while it is read: memory does not grow with the rows."""

from __future__ import annotations

import json
import mmap
from contextlib import closing
from pathlib import Path

import openpyxl
import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from tests.factories import Cast, make_project, make_story

pytestmark = [pytest.mark.drill, pytest.mark.django_db]

ROWS = {"csv": 100_000, "json": 100_000, "xlsx": 20_000}  # a workbook's rows take some ten times as long
MOST_BYTES = 64 * 2**20
PAGE_SIZE = mmap.PAGESIZE


def make_stories(cast: Cast, rows: int) -> None:
    """Give the project so many stories."""
    make_story(cast)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO corpus_story (project_id, ref, language, source, rights, rights_evidence, text_hash,"
            " created_by_id, created_at) SELECT project_id, 'copy-' || n, language, source, rights,"
            " rights_evidence, lpad(n::text, 64, '0'), created_by_id, created_at"
            " FROM corpus_story, generate_series(2, %s) n",
            [rows],
        )
        # It also keeps autovacuum away, which sees none of these rows before they are committed: told that
        # the table is empty, PostgreSQL would read all of it for each foreign key that is checked at the end.
        cursor.execute("ANALYZE corpus_story")


@pytest.mark.parametrize("kind", list(ROWS))
def test_it_sends_many_rows_in_little_memory(client: Client, tmp_path: Path, kind: str) -> None:
    cast = make_project()
    make_stories(cast, ROWS[kind])
    client.force_login(cast.manager)
    answer = client.post(reverse("dashboard:export", args=[cast.project.slug, "stories", kind]))
    kept = tmp_path / f"stories.{kind}"
    before = most = resident_bytes()
    with kept.open("wb") as file:
        for part in answer:
            file.write(part)
            most = max(most, resident_bytes())
    assert most - before < MOST_BYTES
    assert _rows(kind, kept) == ROWS[kind]


def resident_bytes() -> int:
    """Memory of this process at this moment."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_SIZE


def _rows(kind: str, kept: Path) -> int:
    if kind == "json":
        return len(json.loads(kept.read_bytes()))
    if kind == "csv":
        return sum(b"copy-" in line or b"story-" in line for line in kept.read_bytes().splitlines())
    with closing(openpyxl.load_workbook(kept, read_only=True)) as book:  # it keeps its file open
        sheet = book.active
        assert sheet
        return sum(1 for _row in sheet.iter_rows()) - 1
