"""Damaged files of every format end in records or in words, soon and in little memory, and no page breaks.

`FUZZ=10000 make drill TESTS=tests/drills/test_fuzzed_files.py` damages so many of each kind.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, Final

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from jobs.models import Job, JobState
from parable.formats.errors import ErrorCode
from parable.formats.items import FORMATS, read_items
from parable.formats.limits import ANYBODYS
from tests.architecture import BASE
from tests.drills.fuzzed_reading import MEMORY
from tests.drills.fuzzing import KINDS, LOGS, damaged, sources
from tests.evaluation.measuring import make_release
from tests.factories import make_project
from tests.work import work_off

pytestmark = pytest.mark.drill

FILES: Final = int(os.environ.get("FUZZ", "150"))
SHARES: Final = 4
MOST_SECONDS: Final = 1.5
"""Seconds of the processor in which a file is read in one way; most have a few thousand bytes."""
MOST_TRACED: Final = 160 * 1024 * 1024
"""Bytes that reading may take: 64 MB of them are what a file is loaded into, whatever its size."""
SAMPLE: Final = 5
LOOKED_AT: Final = 40


def test_each_kind_has_a_sound_file() -> None:
    assert {kind: len(files) for kind, files in sources().items() if not files} == {}
    assert {*FORMATS} <= {*KINDS}
    for kind in FORMATS:
        name, data = damaged(kind, 0)
        found = read_items(data, name=name, rules=ANYBODYS)
        assert found.records or ErrorCode.NO_ITEMS in {one.code for one in found.errors}, kind


@pytest.mark.parametrize("share", range(SHARES))
def test_damaged_files_end_in_records_or_in_words(share: int, capsys: pytest.CaptureFixture[str]) -> None:
    kinds = KINDS[share::SHARES]
    done = subprocess.run(
        [sys.executable, "-m", "tests.drills.fuzzed_reading", "0", str(FILES), *kinds],
        cwd=BASE, capture_output=True, text=True, check=False,
    )  # fmt: skip
    found: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["kind"] for one in found] == [*kinds], done.stderr[-3000:]
    for one in found:
        with capsys.disabled():
            print(
                "\n{kind:18}{files:6} files {records:7} records {refusals:6} refused".format(**one),
                f"{one['slowest']:5.2f} s {one['most_memory'] / 1e6:4.0f} MB",
                end="",
            )
        assert one["crashes"] == {}, one["kind"]
        assert one["refusals"] < one["files"] or one["kind"] == "potato"
        assert one["slowest"] < MOST_SECONDS, (one["kind"], one["slowest_file"])
        assert one["most_memory"] < MOST_TRACED < MEMORY, one["kind"]


def distinct(kind: str) -> Iterator[SimpleUploadedFile]:
    """A few damaged files of a kind that are refused for different reasons, or read."""
    seen: set[frozenset[str]] = set()
    for number in range(1, LOOKED_AT):
        name, data = damaged(kind, number)
        outcome = frozenset(error.code for error in read_items(data, name=name).errors)
        if outcome not in seen and data:
            seen.add(outcome)
            yield SimpleUploadedFile(f"{number}-{name}", data)
        if len(seen) == SAMPLE:
            return


@pytest.mark.django_db
@pytest.mark.parametrize("kind", FORMATS)
def test_no_page_of_an_import_breaks(kind: str) -> None:
    cast = make_project()
    client = Client()
    client.force_login(cast.manager)
    sent = {"format": "auto", "state": "in_review", "writer": "W"}
    for page in ("items", "stories"):
        files = [*distinct(kind)]
        asked = client.post(f"/p/{cast.project.slug}/{page}/import", {**sent, "file": files})
        work_off()
        assert asked.status_code == 302, asked.content.decode()[-3000:]
        preview = client.get(asked["Location"])
        assert preview.status_code == 200
        assert not Job.objects.filter(state=JobState.FAILED).exists()
        shown = preview.content.decode()
        assert [file.name for file in files if str(file.name) not in shown] == []


@pytest.mark.django_db
def test_no_page_of_responses_breaks() -> None:
    cast, release = make_release()
    client = Client()
    client.force_login(cast.manager)
    address = reverse("evaluation:import", args=[cast.project.slug])
    for code in LOGS:
        for number in range(1, SAMPLE + 1):
            name, data = damaged(f"log {code}", number)
            sent = {"release": release.pk, "file": SimpleUploadedFile(name, data or b"{}")}
            asked = client.post(address, sent)
            work_off()
            assert asked.status_code in {200, 302, 400}, (code, number)  # 400 says what the file is not
            if "Location" in asked:
                assert client.get(asked["Location"]).status_code == 200
            assert not Job.objects.filter(state=JobState.FAILED).exists(), (code, number)
