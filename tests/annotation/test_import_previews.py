"""What a preview of an import costs: a file is decoded once, and statements are counted by batch."""

import io
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from openpyxl import Workbook

from annotation.importer import ITEMS
from corpus.models import Upload, UploadStep
from corpus.outcome import Preview
from corpus.services import find_preview, import_upload, keep_upload, order_import, preview_upload
from corpus.upload import STORIES
from parable.formats import source_file
from parable.formats.xlsx_reader import Workbook as WorkbookRead
from tests.factories import Cast, make_project
from tests.parable.hostile_files import crmus

pytestmark = pytest.mark.django_db

FEW, MANY = 10, 1000
MORE_A_BATCH = 4
HEADER = ("id", "story", "question", "A", "B", "answer")


@pytest.fixture
def cast() -> Cast:
    return make_project(language="en")


def row(number: int) -> tuple[str, ...]:
    return f"i-{number}", f"A crow saw jar {number // 4}.", f"Why pebble {number}?", "thirst", "play", "A"


def csv_file(count: int, begin: int = 0) -> bytes:
    rows = [HEADER, *map(row, range(begin, begin + count))]
    return "".join(",".join(cells) + "\n" for cells in rows).encode()


def spreadsheet(header: tuple[str, ...] = HEADER) -> bytes:
    book, file = Workbook(write_only=True), io.BytesIO()
    items = book.create_sheet("Items")
    for cells in (header, *map(row, range(20))):
        items.append(cells)
    notes = book.create_sheet("Notes")
    for number in range(20):
        notes.append((f"line {number}", "of notes"))
    book.save(file)
    return file.getvalue()


def json_lines(**names: str) -> bytes:
    """Lines of JSON with the fields of a table, some of them called otherwise."""
    found = [
        {names.get(name, name): cell for name, cell in zip(HEADER, row(n), strict=True)} for n in range(20)
    ]
    return "".join(f"{json.dumps(one)}\n" for one in found).encode()


STORY_LINES = b"".join(b'{"id": "s%d", "text": "A hare saw jar %d."}\n' % (n, n) for n in range(20))


def kept(cast: Cast, *files: bytes, purpose: str = "items") -> Upload:
    return keep_upload(
        actor=cast.manager,
        project=cast.project,
        purpose=purpose,
        files=[(f"{number}.txt", ContentFile(data, "x")) for number, data in enumerate(files)],
        options={"format": "auto", "state": "in_review", "writer": "Imported"},
    )


def previewed(upload: Upload, importer: Any = ITEMS) -> Preview:
    preview_upload(upload_id=upload.pk, importer=importer)
    upload.refresh_from_db()
    return find_preview(upload)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often a text was decoded, a spreadsheet opened, and a sheet of it read to its end."""
    counted: Counter[str] = Counter()

    def count(owner: Any, name: str, what: Callable[..., str]) -> None:
        before = getattr(owner, name)

        def counting(*given: Any) -> Any:
            counted[what(*given)] += 1
            return before(*given)

        monkeypatch.setattr(owner, name, counting)

    count(source_file, "load_bytes", lambda _source: "loaded")
    count(source_file, "decode_any", lambda _data: "decoded")
    count(source_file, "Workbook", lambda _data: "opened")
    count(WorkbookRead, "_grid", lambda _book, tab, most: f"{tab.name} {'begun' if most else 'read'}")
    return counted


@pytest.mark.parametrize(
    "file",
    [csv_file(20), crmus(), json_lines(), json_lines(question="prompt", answer="gold"), csv_file(20)[2:]],
    ids=["table", "list", "lines", "of others", "table of others"],
)
def test_it_decodes_a_file_of_text_once_for_a_preview_and_once_to_import_it(
    cast: Cast, read: Counter[str], file: bytes
) -> None:
    upload = kept(cast, file)
    preview = previewed(upload)
    assert read == {"loaded": 1, "decoded": 1}
    read.clear()
    if preview.changes_anything:
        order_import(actor=cast.manager, upload=upload)
        assert import_upload(upload_id=upload.pk, importer=ITEMS) == cast.project.pk
        assert read == {"loaded": 1, "decoded": 1}


@pytest.mark.parametrize("header", [HEADER, ("id", "passage", "prompt", "option1", "option2", "label")])
def test_it_opens_a_spreadsheet_once_and_reads_each_sheet_once(
    cast: Cast, read: Counter[str], header: tuple[str, ...]
) -> None:
    assert previewed(kept(cast, spreadsheet(header))).counts["created"] == 20
    sheets = {f"{sheet} {what}": 1 for sheet in ("Items", "Notes") for what in ("begun", "read")}
    assert read == {"loaded": 1, "opened": 1} | sheets


def test_it_decodes_each_of_several_files_once(cast: Cast, read: Counter[str]) -> None:
    assert previewed(kept(cast, STORY_LINES, csv_file(20))).counts["created"] == 40
    assert read == {"loaded": 2, "decoded": 2}
    read.clear()
    previewed(kept(cast, STORY_LINES, purpose="stories"), STORIES)
    assert read == {"loaded": 1, "decoded": 1}


def test_it_asks_no_more_statements_to_preview_a_thousand_rows_than_ten(cast: Cast) -> None:
    def asked(count: int, begin: int) -> int:
        upload = kept(cast, csv_file(count, begin))
        with CaptureQueriesContext(connection) as statements:
            preview_upload(upload_id=upload.pk, importer=ITEMS)
        assert find_preview(upload).counts["created"] == count
        return len(statements)

    asked(FEW, 10_000)  # what is asked once is kept
    assert asked(MANY, 30_000) <= asked(FEW, 20_000) + MORE_A_BATCH


def test_it_says_which_step_a_preview_is_at_before_it_begins_it(cast: Cast) -> None:
    steps: list[int] = []
    upload = kept(cast, csv_file(20))
    preview_upload(upload_id=upload.pk, importer=ITEMS, report=lambda step, *_done: steps.append(step))
    assert list(dict.fromkeys(steps)) == [UploadStep.READING, UploadStep.COMPARING]
