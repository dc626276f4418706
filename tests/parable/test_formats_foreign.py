"""Files of other tools, as the tools themselves wrote them: every item comes in, or is named.

The files in `foreign/` were made by text2qti 0.8.0, python-docx 1.2.0, genanki 0.13.1, moodlexport 0.0.32,
incept-qti-sdk 0.6.2 and pyarrow, each from valid input; `foreign/README.md` says how.
"""

from __future__ import annotations

import io
import json
import random
import sqlite3
import zipfile
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from parable.formats.errors import ErrorCode
from parable.formats.format import foreign_formats
from parable.formats.items import read_items
from parable.formats.limits import ANYBODYS
from parable.formats.records import ItemRecord, Reading

FILES = Path(__file__).parent / "foreign"
CROW = "A thirsty crow dropped pebbles into a pitcher."


def read(name: str, mapping: str = "") -> Reading[ItemRecord]:
    return read_items(FILES / name, name=name, mapping=mapping)


def brief(item: ItemRecord) -> tuple[object, ...]:
    """What tests compare: story, stem, options and what is right."""
    return item.story, item.question, item.choices, item.answers or item.answer


READ = {
    "canvas_text2qti.zip": [
        (CROW, "Why did the crow drop pebbles in the pitcher?",
         ("To play", "To raise the water < level & drink", "To hide", "1986. 年"), 1),
        (CROW, "乌鸦为什么投石子？", ("为了喝水", "为了玩", "为了躲藏"), 0),
        (CROW, "Which are birds?", ("crow", "sparrow", "fox"), (0, 1)),
    ],
    "word_python_docx.docx": [
        ("A fox saw grapes. He could not reach them.", "Why did the fox leave?",
         ("He was full.", "He could not reach.", "It rained."), 1),
        ("A fox saw grapes. He could not reach them.", "What did he see?", ("Grapes", "Crows"), 0),
        ("乌鸦嘴里有一块肉。狐狸想吃。", "谁有肉？", ("乌鸦", "狐狸"), 0),
    ],
    "anki_genanki.apkg": [
        ("A fox & grapes", "What?", ("grapes", "crow", "wine"), 0),
        ("乌鸦\n喝水", "谁？", ("狐狸", "乌鸦", "兔"), 1),
    ],
    "qti3_incept.zip": [
        (CROW, "Why?", ("play", "drink", "hide"), 1),
        (f"{CROW}\n\nRead on.", "Who?", ("the crow", "a hen", "a fox"), 0),
    ],
    "hub_pyarrow.parquet": [
        ("A fox.", "Who?", ("fox", "crow"), 0),
        ("A hen.", "What?", ("egg", "hen"), 1),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_it_reads_every_item_of_a_file_that_a_tool_wrote(name: str) -> None:
    found = read(name)
    assert found.errors == ()
    assert [brief(row.record) for row in found.rows] == READ[name]


def test_it_reads_moodle_and_names_what_is_no_item() -> None:
    found = read("moodle_moodlexport.xml", mapping="story:A tale.")
    assert [brief(row.record) for row in found.rows] == [
        ("A tale.", "Why did the fox leave? Choose.",
         ("He was full.", "He could not reach & gave up.", "It rained."), 1),
        ("A tale.", "Which are birds?", ("crow", "hen", "fox"), (0, 1)),
    ]  # fmt: skip
    assert [one.params for one in found.remarks if one.code == ErrorCode.KIND_NOT_READ] == [{"kind": "essay"}]


def test_it_says_which_option_of_a_word_document_is_marked() -> None:
    [said] = [one for one in read("word_python_docx.docx").remarks if one.code == ErrorCode.KEY_BY_MARK]
    assert (said.params, said.count) == ({"letter": "B", "mark": "highlight"}, 2)


EXAM = {
    "chinese": (
        (
            "龟兔赛跑\n兔子和乌龟赛跑，兔子睡着了。\n\n1. 谁赢了？（ B ）\nA. 兔子　　B. 乌龟\n"
            "2．兔子为什么输？\nA、睡着了\nB、太慢\n【解析】文中说它睡着了。\n\n参考答案\n2. A\n"
        ),
        [
            ("兔子和乌龟赛跑，兔子睡着了。", "谁赢了？（　）", ("兔子", "乌龟"), 1),
            ("兔子和乌龟赛跑，兔子睡着了。", "兔子为什么输？", ("睡着了", "太慢"), 0),
        ],
    ),
    "english": (
        (
            f"The Crow\n{CROW}\n\nWhat did it drop?\nA) pebbles\nB) coins\nAnswer: A\n\n"
            "2) Why?\nA. fun\nB. thirst\n1-2 AB\n"
        ),
        [(CROW, "What did it drop?", ("pebbles", "coins"), 0), (CROW, "Why?", ("fun", "thirst"), 1)],
    ),
    "two stories": (
        "A fox ran.\n1. Who?\n(A) fox (B) hen\nAnswer: A\n\nA hen sat.\n2. Who?\nA. fox\nB. hen\nKey: B\n",
        [("A fox ran.", "Who?", ("fox", "hen"), 0), ("A hen sat.", "Who?", ("fox", "hen"), 1)],
    ),
}


@pytest.mark.parametrize("name", EXAM)
def test_it_reads_a_test_as_teachers_type_it(name: str) -> None:
    text, items = EXAM[name]
    found = read_items(text.encode(), name="exam.txt")
    assert found.errors == ()
    assert [brief(row.record) for row in found.rows] == items


TASKS = {
    "label_studio": b'[{"id": 5, "data": {"story": "A fox.", "question": "Who?", "options": ["fox", "crow"],'
    b' "gold": "A"}, "annotations": [{"id": 1, "result": [{"value": {"choices": ["crow"]}}]}]}]',
    "argilla": b'[{"id": "5", "status": "pending", "fields": {"story": "A fox.", "question": "Who?",'
    b' "A": "fox",'
    b' "B": "crow"}, "metadata": {"answer": "A"}, "responses": {"q": [{"value": "B"}]}, "suggestions": {}}]',
    "surveyjs": b'{"pages": [{"elements": [{"type": "html", "html": "<p>A fox.</p>"}, {"type": "radiogroup",'
    b' "name": "5", "title": "Who?", "choices": ["a|fox", {"value": "b", "text": "crow"}],'
    b' "correctAnswer": "a"}]}]}',
}


@pytest.mark.parametrize("code", TASKS)
def test_it_never_takes_an_answer_of_annotators_for_a_key(code: str) -> None:
    found = read_items(TASKS[code], name="tasks.json")
    assert found.errors == ()
    assert [(row.record.id, *brief(row.record)) for row in found.rows] == [
        ("5", "A fox.", "Who?", ("fox", "crow"), 0)
    ]
    told = [one.params for one in found.remarks if one.code == ErrorCode.ANSWERS_NOT_KEYS]
    assert told == ([] if code == "surveyjs" else [{"count": 1}])


ITEMS = [
    ItemRecord(
        id="cr-1", task="commonsense", story_id=None, title="",
        story='A fox & "grapes".\n\nTwo  blanks: 1 < 2.',
        question="Why?\nReally?", choices=("To play", "B & C <x>", "1986. 年", "]]>"), answer=2,
        explanation="Because]]> so.", language="en",
    ),
    ItemRecord(
        id="m/2", task="multiple", story_id=None, title="", story="乌鸦。", question="谁？",
        choices=("甲", "乙", "丙"), answer=None, answers=(0, 2), language="zh",
    ),
]  # fmt: skip
WRITERS = [
    one.code for one in foreign_formats() if one.writer and one.code in ("moodle", "qti", "label_studio")
]


@pytest.mark.parametrize("code", WRITERS)
def test_it_reads_what_it_wrote_without_loss(code: str) -> None:
    [form] = [one for one in foreign_formats() if one.code == code]
    assert form.writer is not None
    data = form.writer.whole(ITEMS)
    assert data == form.writer.whole(ITEMS), "the same items give the same bytes"
    found = read_items(data, name="written")
    assert found.errors == ()
    for before, row in zip(ITEMS, found.rows, strict=True):
        after = row.record
        assert (after.id, after.task, after.explanation) == (before.id, before.task, before.explanation)
        assert brief(after) == brief(before)


def archive(**parts: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in parts.items():
            made.writestr(name, data)
    return held.getvalue()


def deck_of_a_view() -> bytes:
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE VIEW notes AS SELECT 1 AS id, 2 AS mid, 'a' AS flds")
        return archive(**{"collection.anki2": database.serialize()})


def deck_of(models: str) -> bytes:
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE notes (id, mid, flds)")
        database.execute("CREATE TABLE col (models)")
        database.execute("INSERT INTO col VALUES (?)", [models])
        database.commit()
        return archive(**{"collection.anki2": database.serialize()})


ITEM = b'<assessmentItem identifier="a"><itemBody/></assessmentItem>'
MANIFEST = b'<manifest><resource type="imsqti_item_xmlv2p1" href="a.xml"/></manifest>'


def with_nameless_part() -> bytes:
    held = io.BytesIO(archive(**{"imsmanifest.xml": MANIFEST}))
    with zipfile.ZipFile(held, "a") as made:
        made.writestr(zipfile.ZipInfo(""), b"a")
    return held.getvalue()


HOSTILE = {
    "document type": (b'<?xml version="1.0"?><!DOCTYPE quiz><quiz><question/></quiz>', ErrorCode.XML_DOCTYPE),
    "broken XML": (b"<quiz><question></quiz>", ErrorCode.NOT_XML),
    "deep XML": (b"<quiz><question>" + b"<a>" * 200 + b"</a>" * 200 + b"</question>", ErrorCode.TOO_DEEP),
    "a part that unpacks to much": (
        archive(**{"imsmanifest.xml": MANIFEST, "a.xml": b" " * 20_000_000}), ErrorCode.ZIP_TOO_LARGE
    ),
    "a view in place of a table": (deck_of_a_view(), ErrorCode.NOT_ZIP),
    "a deck without a byte": (archive(**{"collection.anki2": b""}), ErrorCode.NOT_ZIP),
    "a deck whose note types nest": (deck_of("[" * 9000), ErrorCode.NOT_ZIP),
    "a part without a name": (with_nameless_part(), ErrorCode.NOT_OF_FORMAT),
}  # fmt: skip


def test_it_counts_the_lists_of_a_document_whose_numbers_are_broken() -> None:
    with zipfile.ZipFile(FILES / "word_python_docx.docx") as held:
        parts = {name: held.read(name) for name in held.namelist()}
    for name in ("word/numbering.xml", "word/document.xml"):
        broken_numbers = parts[name].replace(b'w:ilvl="0"', b'w:ilvl="X"')
        found = read_items(archive(**parts | {name: broken_numbers}), name="test.docx", rules=ANYBODYS)
        assert len(found.rows) > 0


def of_a_later_version() -> bytes:
    """An archive that says in its list of contents that a later reader is needed."""
    data = bytearray(archive(**{"word/document.xml": b"<a/>"}))
    data[data.index(b"PK\x01\x02") + 6] = 114
    return bytes(data)


def test_it_refuses_an_archive_that_needs_a_later_reader() -> None:
    found = read_items(of_a_later_version(), name="test.docx")
    assert [one.code for one in found.errors] == [ErrorCode.NOT_XLSX]


@pytest.mark.parametrize("name", HOSTILE)
def test_it_refuses_what_is_not_meant_to_be_read(name: str) -> None:
    data, code = HOSTILE[name]
    found = read_items(data, name="hostile")
    assert [one.code for one in found.errors] == [code]


@pytest.mark.parametrize("odd", [["radiogroup"], {"a": 1}, 5, None, True], ids=str)
@pytest.mark.parametrize("name", ["type", "choices", "name", "title", "correctAnswer", "html"])
def test_an_odd_value_in_a_survey_is_read_or_named(name: str, odd: object) -> None:
    survey = json.loads(TASKS["surveyjs"])
    for element in survey["pages"][0]["elements"]:
        element[name] = odd
    found = read_items(json.dumps(survey).encode(), name="survey.json", rules=ANYBODYS)
    assert found.records or found.errors


def parquet_of(rows: list[dict[str, object]], metadata: bytes = b"{}") -> bytes:
    held = io.BytesIO()
    table = pa.Table.from_pylist(rows).replace_schema_metadata({"huggingface": metadata})
    parquet.write_table(table, held)
    return held.getvalue()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (b"a fox", "a fox"),
        ("狐".encode(), "狐"),
        (b"\x89PNG" + b"\0" * 900, str(b"\x89PNG" + b"\0" * 16)),
        (datetime(2026, 1, 5, 8, 30, tzinfo=UTC), "2026-01-05 08:30:00+00:00"),
        (date(2026, 1, 5), "2026-01-05"),
        (Decimal("1.50"), "1.50"),
        (timedelta(hours=1), "1:00:00"),
    ],
    ids=str,
)
def test_a_cell_of_parquet_that_json_has_not_is_a_text(value: object, shown: str) -> None:
    row = {"story": "S.", "question": "Who?", "A": value, "B": "a hen", "answer": "B"}
    [item] = read_items(parquet_of([row]), name="t.parquet", rules=ANYBODYS).records
    assert item.choices == (shown, "a hen")


def test_metadata_and_types_of_parquet_may_be_anything() -> None:
    row: dict[str, object] = {"story": "S.", "question": "Who?", "A": "a fox", "B": "a hen", "answer": "B"}
    assert len(read_items(parquet_of([row], b"[" * 9000), name="t.parquet").records) == 1
    [form] = [one for one in foreign_formats() if one.code == "parquet"]
    assert form.writer is not None
    ours = parquet.read_table(io.BytesIO(form.writer.whole(ITEMS))).to_pylist()
    for types in (5, "social", [1, 2]):
        found = read_items(
            parquet_of([one | {"types": types} for one in ours]), name="t.parquet", rules=ANYBODYS
        )
        assert found.records or found.errors


def broken(data: bytes, chance: random.Random) -> bytes:
    made = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        place = chance.randrange(len(made) + 1)
        if chance.random() < 0.5:
            del made[place : place + chance.randint(1, 60)]
        else:
            made[place:place] = chance.choice(
                [b"<", b"&amp;", b"\x00", b"[", b"{", b"A.", b"\n\n", b"-1", b"\xff"]
            )
    return bytes(made)


def broken_inside(data: bytes, chance: random.Random) -> bytes:
    """Break one part of an archive, whose sums are right again."""
    with zipfile.ZipFile(io.BytesIO(data)) as held:
        parts = {name: held.read(name) for name in held.namelist() if not name.endswith("/")}
    name = chance.choice(sorted(parts))
    return archive(**parts | {name: broken(parts[name], chance)})


@pytest.mark.parametrize("name", [*READ, "moodle_moodlexport.xml"])
def test_it_reads_or_refuses_whatever_is_broken(name: str) -> None:
    chance = random.Random(name)  # noqa: S311 - any breaks will do
    data = (FILES / name).read_bytes()
    for _ in range(60):
        is_whole = data.startswith(b"PK") and chance.random() < 0.7
        read_items((broken_inside if is_whole else broken)(data, chance), name=name, rules=ANYBODYS)


RESOURCES = "<manifest><resources>{}</resources></manifest>"
REFERRING = (
    '<assessmentItem identifier="{0}"><responseDeclaration identifier="R"><correctResponse><value>a</value>'
    '</correctResponse></responseDeclaration><itemBody><assessmentStimulusRef href="{0}"/>'
    '<choiceInteraction responseIdentifier="R"><prompt>Who?</prompt>'
    '<simpleChoice identifier="a">a</simpleChoice><simpleChoice identifier="b">b</simpleChoice>'
    "</choiceInteraction></itemBody></assessmentItem>"
)
LACKING: Mapping[str, tuple[Mapping[str, str], list[tuple[int, str, str]], int]] = {
    "a stimulus of QTI": (
        {
            "imsmanifest.xml": RESOURCES.format(
                '<resource type="imsqti_item_xmlv2p1" href="items/1.xml"/>'
                '<resource type="imsqti_item_xmlv2p1" href="items/2.xml"/>'
                '<resource type="imsqti_item_xmlv2p1"><file href="items/3.xml"/></resource>'
            ),
            "items/1.xml": REFERRING.format("../there.xml"),
            "items/3.xml": REFERRING.format("../not.xml"),
            "there.xml": "<stimulus><stimulusBody>A crow.</stimulusBody></stimulus>",
        },
        [(2, "items/2.xml", "imsmanifest.xml"), (2, "../not.xml", "items/3.xml")],
        2,
    ),
    "a quiz of Canvas": (
        {
            "imsmanifest.xml": RESOURCES.format(
                '<resource type="imsqti_xmlv1p2" href="1.xml"><file href="1.xml"/><file href="2.xml"/>'
                "</resource>"
                '<resource type="webcontent" href="3.png"/>'
            ),
            "1.xml": "<questestinterop><item><presentation><material><mattext>Who?</mattext></material>"
            "<response_lid>"
            '<response_label ident="a"><material><mattext>a</mattext></material></response_label>'
            '<response_label ident="b"><material><mattext>b</mattext></material></response_label>'
            "</response_lid></presentation><respcondition><varequal>a</varequal><setvar>100</setvar>"
            "</respcondition></item></questestinterop>",
        },
        [(1, "2.xml", "imsmanifest.xml")],
        1,
    ),
    "a text of brat": ({"a.txt": "ab", "a.ann": "", "b.ann": ""}, [(1, "b.txt", "b.ann")], 0),
}  # fmt: skip


@pytest.mark.parametrize("name", LACKING)
def test_what_a_package_names_and_lacks_is_named_with_the_place_that_names_it(name: str) -> None:
    files, wanted, count = LACKING[name]
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for place, text in files.items():
            archive.writestr(place, text)
    found = read_items(held.getvalue(), name="p.zip", rules=ANYBODYS)
    missing = [one for one in found.remarks if one.code == ErrorCode.PART_MISSING]
    assert [(one.row, one.params["found"], one.params["place"]) for one in missing] == wanted
    assert len(found.records) == count


def test_a_mark_in_a_text_that_a_cas_lacks_is_named() -> None:
    found = read_items(
        b'<xmi:XMI xmlns:xmi="x" xmlns:cas="y"><cas:Sofa xmi:id="1" sofaString="ab"/>'
        b'<cas:Span xmi:id="7" sofa="9" begin="0" end="1"/></xmi:XMI>',
        name="c.xmi",
        rules=ANYBODYS,
    )
    missing = [one for one in found.remarks if one.code == ErrorCode.PART_MISSING]
    assert [(one.field, one.params) for one in missing] == [("9", {"found": "9", "place": "7"})]
