"""Every format of the registry: its names, its section of the docs, and that what it writes is read back."""

import runpy
from collections.abc import Sequence
from pathlib import Path

import pytest

from parable.formats import read_items
from parable.formats.answer_log import AnswerLog, answer_logs
from parable.formats.format import Format, foreign_formats
from parable.formats.items import AUTO, FORMATS, ITEM_FORMATS, MAPPED
from parable.formats.limits import ANYBODYS
from parable.formats.records import ItemRecord
from parable.formats.source_file import SourceFile
from tests.foreign_layouts import FOREIGN

BASE = Path(__file__).parents[2]
DOCS = BASE / "docs"
SCRIPT = runpy.run_path(str(BASE / "scripts" / "formats.py"))
WRITTEN = [one for one in FORMATS.values() if one.writer is not None]
CROW = "A crow found a jug.\n\nIt dropped pebbles into it: {stones} = water ~ 50%."
USUAL = (
    ItemRecord(
        "crow-1", "commonsense", None, "", CROW, "谁渴了？", ("乌鸦", "兔子", "%5% of them"), 1, ("social",)
    ),
    ItemRecord("crow-2", "commonsense", None, "", CROW, "Who drank?", ("a hare", "a crow"), 1, ("physical",)),
)
SEVERAL = ItemRecord(
    "2-1",
    "multiple",
    "2-1",
    "",
    "狐狸在架下。",
    "下列哪些正确？",
    ("在下", "在上", "在外", "在旁"),
    None,
    answers=(0, 3),
)
SETS: Sequence[Sequence[ItemRecord]] = (USUAL, (SEVERAL,))


def told(item: ItemRecord) -> tuple[object, ...]:
    return item.question, item.choices, item.answer, item.answers


def test_each_format_has_one_way_to_be_read_and_a_name_of_its_own() -> None:
    assert [*FORMATS] == [*dict.fromkeys(one.code for one in FORMATS.values())]
    assert (AUTO, *(code for code in FORMATS if code != "potato")) == ITEM_FORMATS  # it holds answers alone
    for one in FORMATS.values():
        assert [one.read, one.rows, one.book].count(None) == 2, one.code
        assert one.code.isidentifier()
        assert one.code == one.code.lower()


def test_each_module_of_the_folder_is_a_format() -> None:
    folder = Path(__file__).parents[2] / "parable" / "formats" / "foreign"
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert {one.code for one in foreign_formats()} == modules
    assert modules <= {*FORMATS}


@pytest.mark.parametrize("one", FORMATS.values(), ids=FORMATS)
def test_each_format_has_labels_in_both_languages_and_is_in_the_docs(one: Format) -> None:
    assert one.label_in("en") == one.label != ""
    assert one.label_in("zh-hans") == one.label_zh != ""
    assert len(SCRIPT["about"](one).splitlines()[0]) > 20
    text = (DOCS / "formats.md").read_text(encoding="utf-8")
    assert text.count(f"\n## `{one.code}`: {one.label}\n") == 1


@pytest.mark.parametrize("page", SCRIPT["PAGES"])
def test_a_page_of_the_docs_is_what_the_script_writes(page: str) -> None:
    assert (DOCS / page).read_text(encoding="utf-8") == SCRIPT["PAGES"][page]()


@pytest.mark.parametrize("one", [*FORMATS.values(), *answer_logs()], ids=lambda one: f"{one.label}")
def test_each_section_is_of_its_own_module_and_says_what_makes_the_file(one: Format | AnswerLog) -> None:
    made, tried = SCRIPT["origin"](one)
    assert made
    assert tried
    texts = [SCRIPT["about"](other) for other in (*FORMATS.values(), *answer_logs())]
    assert texts.count(SCRIPT["about"](one)) == 1


@pytest.mark.parametrize("one", WRITTEN, ids=lambda one: one.code)
def test_what_a_format_writes_it_finds_and_reads_as_it_was(one: Format) -> None:
    assert one.writer is not None
    done = 0
    for items in SETS:
        try:
            data = one.writer.whole(items)
        except (ValueError, KeyError):
            continue  # the format says that it cannot hold them
        for format_said in (AUTO, one.code):
            found = read_items(data, name="dev.txt", format=format_said, rules=ANYBODYS)
            assert found.errors == ()
            assert found.format == one.code
            assert list(map(told, found.records)) == list(map(told, items))
        done += 1
    assert done


@pytest.mark.parametrize("one", FOREIGN, ids=lambda one: one.name)
def test_no_format_of_a_tool_takes_a_file_of_another_layout(one: object) -> None:
    assert isinstance(one, type(FOREIGN[0]))
    found = SourceFile(one.data).format
    assert found is None or found.code in one.source.lower() + one.name.lower()


@pytest.mark.parametrize("one", [one for one in foreign_formats() if one.has_items], ids=lambda one: one.code)
def test_a_file_that_is_not_of_the_format_that_is_said_is_refused_in_words(one: Format) -> None:
    found = read_items(b"Two lines\nof a letter.\n", name="t.txt", format=one.code, rules=ANYBODYS)
    assert found.records == ()
    assert found.errors != ()


def test_any_layout_may_be_said_to_be_mapped() -> None:
    data = b'[{"id": "1", "question": "Who?", "options": ["A. a", "B. b"], "answer": "B", "story": "S."}]'
    found = read_items(data, name="t.json", format=MAPPED)
    assert found.format == MAPPED
    assert [told(one) for one in found.records] == [("Who?", ("a", "b"), 1, ())]
