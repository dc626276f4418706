"""Layouts of public repositories, each read as it was meant."""

from io import BytesIO
from pathlib import Path

import openpyxl
import pytest

from parable.formats import read_items
from parable.formats.limits import ANYBODYS
from tests.foreign_layouts import FOREIGN, Foreign, Meant


def read(one: Foreign, *, is_import: bool = False) -> list[Meant]:
    mapping = one.for_import if is_import else one.mapping
    rules = {} if is_import else {"rules": ANYBODYS}
    reading = read_items(one.data, name=one.name, mapping=mapping, **rules)  # type: ignore[arg-type]
    assert reading.errors == ()
    return [(item.story, item.question, item.choices, item.answer) for item in reading.records]


@pytest.mark.parametrize("one", FOREIGN, ids=lambda one: one.name)
def test_each_layout_is_read_as_it_was_meant(one: Foreign) -> None:
    assert read(one) == [*one.meant]
    told = one.for_import.partition("story:")[2]
    assert read(one, is_import=True) == [(told or meant[0], *meant[1:]) for meant in one.meant]


def test_the_documentation_names_each_layout_and_what_is_said_of_it() -> None:
    text = (Path(__file__).parents[2] / "docs" / "layouts.md").read_text(encoding="utf-8")
    assert [one.row for one in FOREIGN if one.row not in text.splitlines()] == []


def test_a_layout_is_read_from_the_sheet_that_is_named() -> None:
    book = openpyxl.Workbook()
    for name, place in (("easy", 0), ("hard", 1)):
        sheet = book.create_sheet(name)
        sheet.append(["passage", "question", "choice0", "choice1", "label"])
        sheet.append([f"A fox met a {name} crow.", "Who met the crow?", "A hen", "A fox", place])
    del book["Sheet"]
    data = BytesIO()
    book.save(data)
    for name, place in (("easy", 0), ("hard", 1)):
        found = read_items(data.getvalue(), name="items.xlsx", rules=ANYBODYS, sheet=name, numbers=0)
        assert [(one.story, one.choices, one.answer) for one in found.records] == [
            (f"A fox met a {name} crow.", ("A hen", "A fox"), place)
        ]
