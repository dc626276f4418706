"""Small files that tools and people write, and what is right: read as they are, or it is said."""

import io
import json
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from parable.__main__ import main
from parable.formats import english, item_columns, read_items, read_stories
from parable.formats.errors import ErrorCode, RowError
from parable.formats.limits import ANYBODYS
from parable.formats.records import ItemRecord, Reading

CROW = (
    "A fox saw a crow with a piece of cheese in a tree."
    " He praised her voice, she opened her beak to sing, and the cheese fell."
)
HEAD = "id,story,question,A,B,C,D,answer\n"


def table(*rows: str, head: str = HEAD, story: str = CROW) -> bytes:
    return (head + "".join(row.replace("STORY", f'"{story}"') + "\n" for row in rows)).encode()


def keys(reading: Reading[ItemRecord]) -> dict[str, str | None]:
    """By id the text of the key."""
    return {one.id: None if one.answer is None else one.choices[one.answer] for one in reading.records}


def codes(found: Iterable[RowError]) -> list[tuple[int, str, str]]:
    return [(one.row, one.field, one.code.value) for one in found]


NUMBERS = (
    "k1,STORY,How many animals are in the story?,3,2,4,1,2",
    "k2,STORY,How many pieces of cheese fell?,2,3,1,4,1",
    "k3,STORY,How many trees are named?,4,1,3,2,1",
)


def test_a_number_that_is_a_place_and_another_options_text_is_ambiguous() -> None:
    assert codes(read_items(table(*NUMBERS), name="r02.csv").errors) == [(2, "answer", "open_numbers")]
    judged = read_items(table(*NUMBERS), name="r02.csv", rules=ANYBODYS, numbers=1)
    assert keys(judged) == {"k1": "2", "k2": None, "k3": None}
    assert [(one.code.value, one.rows) for one in judged.remarks] == [
        ("numbers_from", (2,)),
        ("ambiguous_key", (3, 4)),
    ]
    imported = read_items(table(*NUMBERS), name="r02.csv", numbers=1)
    assert codes(imported.errors) == [(3, "answer", "ambiguous_key"), (4, "answer", "ambiguous_key")]


COLUMNS = {"id": "id", "story": "context", "question": "question", "answer": "label"} | {
    letter: f"answer{number}" for number, letter in enumerate("ABCD")
}
ZERO_HEAD = "id,context,question,answer0,answer1,answer2,answer3,label\n"
ZEROS = (
    "z1,STORY,Who had the cheese at first?,the crow,the fox,the hen,nobody,0",
    "z2,STORY,Who praised whom?,the crow the fox,the fox the crow,the hen the fox,nobody,1",
    "z3,STORY,What fell?,the tree,the beak,the cheese,the fox,2",
)


@pytest.mark.parametrize("suffix", ["", ".0"])
@pytest.mark.parametrize("rows", [ZEROS, ZEROS[1:]], ids=["with a zero", "without"])
def test_labels_from_0_are_read_from_0_and_said(rows: tuple[str, ...], suffix: str) -> None:
    data = table(*(row + suffix for row in rows), head=ZERO_HEAD)
    reading = read_items(data, name="r03.csv", columns=COLUMNS)
    expected = {"z1": "the crow", "z2": "the fox the crow", "z3": "the cheese"}
    assert keys(reading) == dict([*expected.items()][-len(rows) :])
    (said,) = reading.remarks
    number, letter = ("0", "A") if len(rows) == 3 else ("1", "B")
    assert english(said).startswith(
        f"The numbers count from 0: “{number}{suffix}” is read as option {letter}."
    )


def test_numbers_that_reach_the_number_of_options_count_from_1() -> None:
    rows = ("a,STORY,Who?,w,x,y,z,4", "b,STORY,What?,w,x,y,z,1", "c,STORY,Why?,w,x,y,z,")
    reading = read_items(table(*rows), name="items.csv")
    assert (keys(reading), reading.errors) == ({"a": "z", "b": "w", "c": None}, ())


NO_STORY_TABLE = b"""question,A,B,C,D,answer
Which is the largest planet?,Mars,Jupiter,Venus,Earth,B
Which is a bird?,bat,hen,bee,fly,B
"""
NO_STORY = [
    {
        "question": "Which is the largest planet?",
        "options": ["Mars", "Jupiter", "Venus", "Earth"],
        "answer": "B",
    },
    {"question": "Which is a bird?", "options": ["bat", "hen", "bee", "fly"], "answer": "B"},
]


def _lines(rows: Iterable[dict[str, Any]], **names: str) -> bytes:
    renamed = ({names.get(name, name): value for name, value in row.items()} for row in rows)
    return "".join(json.dumps(row) + "\n" for row in renamed).encode()


@pytest.mark.parametrize(
    "data",
    [NO_STORY_TABLE, json.dumps(NO_STORY).encode(), _lines(NO_STORY), _lines(NO_STORY, options="choices")],
    ids=["table", "list", "lines", "choices"],
)
def test_an_audit_judges_items_without_stories(
    data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "items.x"
    path.write_bytes(data)
    main(["audit", str(path), "--json"])
    output = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (output["items"], "errors" in output) == (2, False)
    assert list(keys(read_items(data, name="items", rules=ANYBODYS)).values()) == ["Jupiter", "hen"]


@pytest.mark.parametrize(
    ("answers", "read", "code"),
    [
        (["E", "B"], [None, "sang"], "key_outside"),
        ([["B"], ["B", "C"]], ["sang", None], "two_keys"),
        (["sang", "walked"], ["sang", None], "bad_answer"),
    ],
)
def test_an_unusable_key_stops_no_audit(answers: list[Any], read: list[str | None], code: str) -> None:
    rows = [
        {
            "id": str(n),
            "task": "commonsense",
            "story": CROW,
            "question": "What?",
            "choices": ["ran", "sang", "flew", "hid"],
            "answer": answer,
        }
        for n, answer in enumerate(answers)
    ]
    for name in ("choices", "options"):
        reading = read_items(_lines(rows, choices=name), name="items", rules=ANYBODYS)
        assert (list(keys(reading).values()), reading.errors) == (read, ())
        assert code in {one.code.value for one in reading.remarks}
        imported = read_items(
            _lines(rows, choices=name), name="items", format="crmus" if name == "options" else "auto"
        )
        assert code in {one.code.value for one in imported.errors}


def test_the_words_of_an_option_are_read_as_its_key_and_said() -> None:
    row = {"id": "a1", "story": CROW, "question": "Why did the crow open her beak?", "task": "commonsense",
           "choices": ["to eat", "to sing", "to yawn", "to bite"]}  # fmt: skip
    reading = read_items(_lines([row | {"answer": "to sing"}]), name="r13.jsonl")
    assert (keys(reading), reading.errors) == ({"a1": "to sing"}, ())
    assert [english(one) for one in reading.remarks] == [
        "“to sing” is the text of option B and is read as that option."
    ]
    assert keys(read_items(_lines([row | {"answer": "B"}]), name="r13.jsonl")) == {"a1": "to sing"}


def test_options_by_their_letters_are_a_list() -> None:
    row = {"id": "d1", "story": CROW, "question": "Who sang?", "answer": "B"}
    options = {"A": "fox", "B": "crow", "C": "hen", "D": "dog"}
    reading = read_items(_lines([row | {"options": options}]), name="r13.jsonl", format="crmus")
    assert (keys(reading), reading.errors) == ({"d1": "crow"}, ())
    odd = read_items(_lines([row | {"options": {"A": "fox", "C": "hen"}}]), name="r13.jsonl", format="crmus")
    assert codes(odd.errors) == [(1, "options", "not_a_list")]


def test_2_cubed_and_23_are_two_options() -> None:
    reading = read_items(table("x1,STORY,How many steps is the last leg?,2³,23,6,12,A"), name="r16.csv")
    assert (keys(reading), reading.errors) == ({"x1": "2³"}, ())


def test_a_lost_option_in_the_middle_is_said() -> None:
    rows = (
        "g1,STORY,Who dropped the cheese?,the fox,,the crow,nobody,C",
        "g2,STORY,Who praised the crow?,the fox,the hen,the dog,nobody,A",
    )
    reading = read_items(table(*rows), name="r28.csv")
    assert (keys(reading), reading.errors) == ({"g1": "the crow", "g2": "the fox"}, ())
    assert codes(reading.remarks) == [(2, "B", "lost_option")]


def test_tables_have_as_many_options_as_letters_and_a_column_far_behind_is_none() -> None:
    letters = [chr(65 + index) for index in range(26)]
    head = f"story,question,{','.join(letters)},answer\n"
    row = f"STORY,Which?,{','.join(f'o{letter}' for letter in letters)},Z"
    (record,) = read_items(table(row, head=head), name="items.csv").records
    assert (len(record.choices), record.answer) == (26, 25)
    counted = read_items(
        table("STORY,Which?,a,b,7,A", head="story,question,A,B,N,answer\n"), name="items.csv"
    )
    assert counted.records[0].choices == ("a", "b")
    assert codes(counted.remarks) == [(1, "N", "unread_column")]


def test_a_row_without_words_is_said() -> None:
    reading = read_items(table("g1,STORY,,,,,,"), name="items.csv")
    assert codes(reading.remarks) == [(2, "question", "no_words")]


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_lines_end_alike_however_they_came(end: str) -> None:
    story = f"First line.{end}Second line."
    rows = [{"id": "s", "text": story, "moral": f"One.{end}Two."}]
    table_of_stories = f'id,text,moral\ns,"{story}","One.{end}Two."\n'.encode()
    for data in (json.dumps(rows).encode(), _lines(rows), table_of_stories):
        (record,) = read_stories(data, name="stories").records
        assert (record.text, record.moral) == ("First line.\nSecond line.", "One.\nTwo.")
    item = {"id": "i", "task": "commonsense", "story": story, "question": f"Who{end}?", "answer": 0,
            "choices": [f"a{end}b", "c"]}  # fmt: skip
    (row,) = read_items(_lines([item]), name="items").rows
    assert (row.record.story, row.record.question) == ("First line.\nSecond line.", "Who\n?")
    assert (row.record.choices, row.typed) == (("a\nb", "c"), ())
    item = {
        "id": "i",
        "story": story,
        "question": "Who?",
        "answer": "A",
        "options": [f"a{end}b", "c"],
        "type": None,
    }
    (row,) = read_items(json.dumps([item]).encode(), name="items").rows
    assert (row.record.story, row.record.choices) == ("First line.\nSecond line.", ("a\nb", "c"))


def test_an_audit_keeps_the_ids_of_files_apart_in_any_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = []
    for name, story in (("a", CROW), ("b", "An ant carried grain.")):
        rows = [
            {
                "id": n,
                "story": story,
                "question": f"Question {n} of {name}?",
                "choices": ["red", "", "blue"],
                "answer": 0,
            }
            for n in range(3)
        ]
        (tmp_path / f"{name}.jsonl").write_bytes(_lines(rows))
    for order in ("ab", "ba"):
        main(["audit", *(str(tmp_path / f"{name}.jsonl") for name in order), "--json"])
        found.append(json.loads(capsys.readouterr().out.splitlines()[-1]))
    assert found[0] == found[1]
    assert found[0]["item_checks"]["empty_option"] == [f"{name}:{n}" for name in "ab" for n in range(3)]
    assert [one["code"] for one in found[0]["remarks"]] == ["shared_ids", "shared_ids"]


def test_a_question_bank_in_chinese_is_guessed() -> None:
    head = "题号,题目,选项A,选项B,选项C,选项D,正确答案,解析,难度\n"
    guessed = {
        one.name: one.field for one in item_columns((head + "1,谁？,甲,乙,丙,丁,B,因为,易\n").encode())
    }
    assert [guessed[name] for name in ("题目", "正确答案", "解析", "难度")] == [
        "question", "answer", "explanation", "",
    ]  # fmt: skip
    reading = read_items((head + "1,谁？,甲,乙,丙,丁,B,因为,易\n").encode(), name="r15.csv", rules=ANYBODYS)
    assert keys(reading) == {"1": "乙"}
    (error,) = read_items("题干,答案\n谁？,B\n".encode("gbk"), name="r15_gbk.csv").errors
    assert "GBK" in english(error), "too short to be sure"


@pytest.mark.parametrize("encoding", ["GB18030", "UTF-16", "utf-16-le", "utf-16-be"])
def test_it_reads_a_table_as_a_spreadsheet_saves_it(encoding: str) -> None:
    table = "编号,题目,A,B,正确答案\n" + "".join(
        f"{n},乌鸦为什么要去找水喝？,它口渴了。,它很冷。,A\n" for n in range(5)
    )
    reading = read_items(table.encode(encoding), name="excel.csv", rules=ANYBODYS)
    assert reading.errors == ()
    assert [row.record.question for row in reading.rows] == ["乌鸦为什么要去找水喝？"] * 5
    told = [one.params["encoding"] for one in reading.remarks if one.code == ErrorCode.ENCODING_READ]
    assert told == ["GB18030" if encoding == "GB18030" else "UTF-16"]


def test_it_takes_no_western_encoding_for_chinese() -> None:
    table = "id,question,A,B,answer\n" + "1,Où était l’étourneau déjà né à Cély?,là,près,A\n" * 3
    [error] = read_items(table.encode("cp1252"), name="excel.csv", rules=ANYBODYS).errors[:1]
    assert error.code == ErrorCode.NOT_UTF8


def _archive(*names: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return data.getvalue()


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (_archive("[Content_Types].xml", "word/document.xml"), "Word (DOCX)"),
        (_archive("mimetype", "content.xml"), "OpenDocument (ODS, ODT)"),
        (_archive("a.csv"), "ZIP"),
        (b"%PDF-1.7", "PDF"),
        (b"\x1f\x8b\x08\x00", "gzip"),
        (b'<?xml version="1.0"?><quiz></quiz>', "XML"),
        (b"<!DOCTYPE html><html></html>", "HTML"),
    ],
)
def test_a_refusal_names_the_kind_of_file_by_its_first_bytes_or_parts(data: bytes, kind: str) -> None:
    for reading in (
        read_items(data, name="file", rules=ANYBODYS),
        read_items(data, name="file", format="table"),
        read_stories(data, name="file"),
        read_stories(data, name="file", format="jsonl"),
    ):
        (error,) = reading.errors
        assert english(error).startswith(f"The file is of the kind {kind}. Supported: JSON")


def test_a_refusal_names_the_fields_of_the_file_and_the_nearest_layout_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "others.jsonl"
    path.write_bytes(_lines({"wording": f"Who {n}?", "possible": ["a", "b"], "gold": 0} for n in range(1500)))
    assert main(["audit", str(path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "No row has a field “question, choices”. The fields of the file: wording, possible, gold." in line
    assert "The nearest layout, Parable JSONL, has: question, choices, answer." in line
    (error,) = read_items(b"prompt,gold\nWho?,A\n", name="t.csv").errors
    assert english(error) == "The table has no column “story”. Its columns: prompt, gold."


def test_one_error_in_every_row_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "many.jsonl"
    path.write_bytes(_lines({"question": "Who?", "choices": ["one"], "answer": 0} for _n in range(1500)))
    assert main(["audit", str(path), "--json"]) == 2
    output = capsys.readouterr()
    assert len(output.err.splitlines()) == 2
    assert "(1000 rows: 1, 2, 3, 4, 5, 6, 7, 8, …)" in output.err
    assert len(json.loads(output.out.splitlines()[-1])["errors"]) == 1001


def test_an_unusable_key_is_named_by_row_and_item_on_every_way_and_in_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        "e1,STORY,Who?,a,b,c,d,E",
        ",STORY,What?,a,b,c,d,F",
        "e3,STORY,Why?,a,b,c,d,G",
        "e4,STORY,When?,a,b,c,d,A",
    ]
    path = tmp_path / "items.csv"
    path.write_bytes(table(*rows))
    main(["audit", str(path), "--json", "--report", str(tmp_path / "report")])
    output = capsys.readouterr().out
    whole = "row 2, answer: The answer “E” is none of the 4 options. (3 rows: 2 (e1), 3, 4 (e3))"
    assert whole in output
    (remark,) = json.loads(output.splitlines()[-1])["remarks"]
    assert (remark["rows"], remark["items"]) == ([2, 3, 4], ["e1", "", "e3"])
    for name in ("audit.md", "audit.html"):
        report = (tmp_path / "report" / name).read_text(encoding="utf-8")
        assert "How the files were read" in report
        assert "(3 rows: 2 (e1), 3, 4 (e3))" in report
    (one, two, three) = read_items(table(*rows), name="items.csv").errors
    assert [english(error).partition("options.")[2] for error in (one, two, three)] == [
        " Item: e1.", "", " Item: e3.",
    ]  # fmt: skip
    (lettered,) = read_items(
        _lines([{"id": 7, "story": CROW, "question": "Who?", "options": ["a", "b"], "answer": "C"}]),
        name="items.jsonl", format="crmus",
    ).errors  # fmt: skip
    assert english(lettered).endswith("Item: 7.")
