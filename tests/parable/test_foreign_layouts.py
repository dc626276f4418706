"""Layouts of public repositories, each read as it was meant."""

from pathlib import Path

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
