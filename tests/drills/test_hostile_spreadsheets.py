"""A small spreadsheet made to cost much costs little, in an audit and in an upload, and is refused in words.

Each is harmless to other programs: large in one thing only, and by megabytes, not by gigabytes.
"""

from __future__ import annotations

import gc
import io
import re
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import openpyxl
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from parable.__main__ import main
from tests.factories import Cast, make_project
from tests.parable.test_formats_spreadsheets import (
    HEAD,
    HEADER,
    NAMESPACE,
    shared_texts,
    sheet,
    with_parts,
    with_sheet,
)
from tests.work import work_off

pytestmark = [pytest.mark.drill, pytest.mark.django_db]

MOST_SECONDS, MOST_MB = 2.0, 200.0
STATUS: Final = Path("/proc/self/status")
# Just below what a small file may unpack to, which is the dearest, and far beyond it.
BELOW, BEYOND = 1_950_000, 20_000_000


def filled(unit: str, size: int) -> bytes:
    """A spreadsheet whose sheet repeats this, row by row."""
    row = f"<row>{unit * 60}</row>"
    return with_sheet(sheet(HEAD + row * (size // len(row))))


def merged() -> bytes:
    ranges = b'<mergeCell ref="A1:BL200000"/>' * (BELOW // 40)
    return with_sheet(
        sheet(HEAD).replace(b"</worksheet>", b"<mergeCells>" + ranges + b"</mergeCells></worksheet>")
    )


def repeating() -> bytes:
    """One long text that each of many cells repeats."""
    rows = '<row><c t="s"><v>1</v></c><c t="s"><v>1</v></c></row>' * 1000
    texts = f"<si><t>story</t></si><si><t>{'x' * 90_000}</t></si>"
    return with_parts(shared_texts(texts), f'<row><c t="s"><v>0</v></c></row>{rows}')


HOSTILE: Final[dict[str, Callable[[], bytes]]] = {
    "empty cells": lambda: filled("<c/>", BELOW),
    "numbers": lambda: filled("<c><v>1</v></c>", BELOW),
    "dates": lambda: filled('<c t="d"><v>1</v></c>', BELOW),
    "errors": lambda: filled('<c t="e"><v>1</v></c>', BELOW),
    "texts": lambda: filled('<c t="str"><v>ab</v></c>', BELOW),
    "empty rows": lambda: with_sheet(sheet(HEAD + "<row/>" * (BELOW // 6))),
    "many cells": lambda: filled("<c><v>1</v></c>", BEYOND),
    "shared texts": lambda: with_parts(shared_texts("<si/>" * (BELOW // 5))),
    "runs": lambda: with_parts(shared_texts(f"<si>{'<r><t>a</t></r>' * (BELOW // 15)}</si>")),
    "one text": repeating,
    "merged cells": merged,
    "formats": lambda: with_parts(
        {"xl/styles.xml": f'<a xmlns="{NAMESPACE}"><cellXfs>{"<xf/>" * (BELOW // 5)}</cellXfs></a>'.encode()}
    ),
    "a comment": lambda: with_sheet(sheet(f"{HEAD}<!--{'x' * BELOW}-->")),
    "a nest": lambda: with_sheet(sheet(HEAD + "<a>" * (BELOW // 3))),
    "blanks": lambda: with_sheet(sheet(HEAD + " " * BEYOND)),
}  # fmt: skip

EMPTY: Final = {"empty cells", "empty rows", "shared texts", "runs", "merged cells"}
"""These say nothing beside their header, and pass for a file without items."""


def usual() -> bytes:
    """A spreadsheet of a few items, to compare with."""
    book = openpyxl.Workbook()
    book.worksheets[0].append(HEADER)
    for number in range(50):
        book.worksheets[0].append(
            [number, f"故事{number}", "为什么？", "甲", "乙", "丙", "丁", "ABCD"[number % 4], "社会常识"]
        )
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def cost(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds of the processor, and megabytes that were taken beside what was held."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before, began = peak(), time.process_time()
    work()
    return time.process_time() - began, peak() - before


def peak() -> float:
    found = re.search(r"VmHWM:\s+(\d+)", STATUS.read_text(encoding="ascii"))
    assert found is not None
    return int(found[1]) / 1024


@pytest.mark.skipif(not STATUS.exists(), reason="the system does not say how much memory a process took")
def test_it_costs_little_and_is_refused_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cast = make_project()
    client = Client()
    client.force_login(cast.manager)

    def audit(data: bytes) -> None:
        path = tmp_path / "items.xlsx"
        path.write_bytes(data)
        main(["audit", str(path)])

    def upload(data: bytes) -> None:
        shown.append(preview(client, cast, data))

    shown: list[str] = []
    for way in (audit, upload):
        cost(partial(way, usual()))  # loads what the first one needs
        usual_seconds, usual_mb = cost(partial(way, usual()))
        capsys.readouterr()
        for label, make in HOSTILE.items():
            data, named = make(), (way.__name__, label)
            assert len(data) < 150_000, label
            shown.clear()
            seconds, megabytes = cost(partial(way, data))
            output = "".join(shown) or "".join(capsys.readouterr())
            with capsys.disabled():
                size = f"{len(data) / 1000:5.0f} KB"
                print(f"{way.__name__:7}{label:14}{size} {seconds:6.2f} s {megabytes:5.0f} MB")
            assert seconds < MOST_SECONDS + usual_seconds, named
            assert megabytes < MOST_MB + usual_mb, named
            assert "items.xlsx" in output or label in EMPTY, (*named, output)


def preview(client: Client, cast: Cast, data: bytes) -> str:
    """What the page says of an upload, once a worker has read it."""
    sent = {
        "format": "auto",
        "state": "in_review",
        "writer": "W",
        "file": [SimpleUploadedFile("items.xlsx", data)],
    }
    asked = client.post(f"/p/{cast.project.slug}/items/import", sent)
    work_off()
    return client.get(asked["Location"]).content.decode() if "Location" in asked else asked.content.decode()
