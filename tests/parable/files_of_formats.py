"""A file of each format of items, as its tool wrote it where one did; `foreign/README.md` says how."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from parable.formats.items import FORMATS
from tests.foreign_layouts import FOREIGN
from tests.parable.test_command_convert import FULL, OTHER
from tests.parable.test_formats_foreign import EXAM, TASKS
from tests.parable.test_formats_items import CHINESE_TABLE
from tests.parable.test_formats_ods import ROW, items, plain, row

OF_TOOLS: Final = Path(__file__).parent / "foreign"
"""Files that tools wrote."""
_WRITTEN: Final = {
    "anki": "anki_genanki.apkg",
    "brat": "brat.zip",
    "canvas": "canvas_text2qti.zip",
    "doccano": "doccano_items.jsonl",
    "hub": "hub_datasets.zip",
    "label_studio": "label_studio_items.json",
    "qti3": "qti3_incept.zip",
    "parquet": "hub_pyarrow.parquet",
    "uima": "cas.xmi",
    "word": "word_python_docx.docx",
}
_LAYOUTS: Final = {"logiqa": "logiqa.txt", "mctest": "mctest.tsv", "mapped": "race.json"}
_SPACE: Final = {
    "qid": "1",
    "text": "灯挂在墙上，他把灯放在桌上。",
    "question": "灯最后在哪里？",
    "option": {"A": "墙上", "B": "桌上", "C": "地上", "D": "门上"},
    "answer": ["B"],
}


def file_of(code: str) -> bytes:
    """Return a file of a format: a tool's, a published layout, or one that we write."""
    if code in _WRITTEN:
        return (OF_TOOLS / _WRITTEN[code]).read_bytes()
    if code in _LAYOUTS:
        [found] = [one.data for one in FOREIGN if one.name == _LAYOUTS[code]]
        return found
    if code in _TYPED:
        return _TYPED[code]
    writer = FORMATS[code].writer
    assert writer is not None, code
    return writer.whole([FULL, OTHER])


_TYPED: Final[Mapping[str, bytes]] = {
    "table": CHINESE_TABLE.encode("utf-8-sig"),
    "published": json.dumps([_SPACE]).encode(),
    "ods": items(row(plain(*ROW))),
    "surveyjs": TASKS["surveyjs"],
    "exam": EXAM["chinese"][0].encode(),
}
