"""Files of annotation tools, as the tools wrote them: items come in, and no answer of people is a key.

Each was made by the script of its name in `foreign/`.
"""

from __future__ import annotations

import io
import json
import random
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from parable.formats.errors import ErrorCode
from parable.formats.items import read_items
from parable.formats.limits import ANYBODYS
from parable.formats.mapped_items import offer_mapping
from parable.formats.records import ItemRecord, Reading
from parable.formats.stories import read_stories

FILES = Path(__file__).parent / "foreign"
OF_TOOLS = ("brat.z", "cas.", "doccano_", "label_studio_", "potato_")
CROW = "A thirsty crow 🐦 dropped pebbles into a pitcher."


def read(name: str, mapping: str = "") -> Reading[ItemRecord]:
    return read_items(FILES / name, name=name, mapping=mapping)


def marks(item: ItemRecord) -> list[list[tuple[str, str]]] | None:
    """What the marks of an item spell, by role; the words that it has must be those at their positions."""
    if item.own is None:
        return None
    for group in item.own["answer"]:
        for mark in group:
            assert "".join(item.story[at] for at in mark["positions"]) == mark["text"]
    return [[(mark["role"], mark["text"]) for mark in group] for group in item.own["answer"]]


def remarks(found: Reading[Any], code: ErrorCode) -> list[tuple[int, str, dict[str, int | str]]]:
    return [(one.count, one.field, one.params) for one in found.remarks if one.code == code]


def lines(*rows: object) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def test_doccano_items_have_their_own_key_and_not_that_of_annotators() -> None:
    found = read("doccano_items.jsonl")
    assert (found.format, found.errors) == ("doccano", ())
    assert [(one.id, one.story, one.choices, one.answer) for one in found.records] == [
        ("crow-1", CROW, ("To play", "To drink"), 1),
        ("crow-2", CROW, ("To play", "To drink"), 1),
    ]
    assert remarks(found, ErrorCode.ANSWERS_NOT_KEYS) == [(2, "answer", {"count": 1})]


def test_doccano_texts_are_stories_or_are_asked_one_question_without_a_key() -> None:
    assert [one.code for one in read("doccano_texts.jsonl").errors] == [ErrorCode.NO_QUESTIONS]
    found = read("doccano_texts.jsonl", "stem:What is taught?")
    assert [(one.question, one.choices, one.answer) for one in found.records] == [
        ("What is taught?", ("envy", "wisdom"), None)
    ] * 3
    assert remarks(found, ErrorCode.OPTIONS_FROM_LABELS) == [(1, "choices", {"found": "envy, wisdom"})]
    stories = read_stories(FILES / "doccano_texts.jsonl", name="texts")
    assert [one.text for one in stories.records] == [CROW, "狐狸吃不到葡萄。", "A hen."]


def test_doccano_spans_are_marks_whose_words_stay_the_same() -> None:
    found = read("doccano_spans.jsonl")
    assert found.errors == ()
    assert [(one.task, marks(one)) for one in found.records] == [
        ("anomaly_spans", [[("S1", "灯"), ("P1", "墙上"), ("P2", "桌上")]]),
        ("anomaly_spans", [[("S1", "pebbles"), ("P1", "into")]]),
        ("anomaly_spans", None),
    ]
    assert found.records[0].story == "灯挂在墙上，\n他把灯放在桌上。", "one line end, no blank before it"
    assert remarks(found, ErrorCode.SPANS_AS_ANSWER) == [(2, "spans", {})]
    offered = offer_mapping(FILES / "doccano_spans.jsonl")
    assert offered is not None
    assert offered.names == (), "nothing is to be chosen"


def test_doccano_relations_say_which_spans_belong_together() -> None:
    found = read("doccano_relations.jsonl")
    assert [marks(one) for one in found.records] == [
        [[("S1", "crow"), ("E1", "dropped")], [("S1", "pebbles"), ("P1", "into a pitcher")]]
    ]


def test_spans_that_nothing_links_belong_together() -> None:
    spans = [
        {"id": number, "label": role, "start_offset": number, "end_offset": number + 1}
        for number, role in enumerate(["S1", "P1", "E1", "S1", "S2", "P2"])
    ]
    links = [{"from_id": one, "to_id": other} for one, other in ((1, 2), (0, 2), (7, 3))]
    found = read_items(lines({"text": "012345", "entities": spans, "relations": links}), name="s.jsonl")
    assert [marks(one) for one in found.records] == [
        [[("S1", "0"), ("P1", "1"), ("E1", "2")], [("S1", "3"), ("S2", "4"), ("P2", "5")]]
    ]


SPANS: dict[str, tuple[list[object], list[ErrorCode]]] = {
    "beyond the end": ([[0, 2, "S1"], [3, 9, "P1"]], [ErrorCode.SPAN_OUTSIDE]),
    "before the beginning": ([[0, 2, "S1"], [-1, 2, "P1"]], [ErrorCode.SPAN_OUTSIDE]),
    "backwards": ([[0, 2, "S1"], [2, 1, "P1"]], [ErrorCode.SPAN_OUTSIDE]),
    "no number": ([[0, 2, "S1"], [True, 2, "P1"]], [ErrorCode.SPAN_OUTSIDE]),
    "a blank before the text": ([[0, 1, "S1"]], [ErrorCode.SPAN_OUTSIDE]),
    "a role twice": ([[1, 2, "S1"], [2, 3, "S1"]], [ErrorCode.ROLE_TWICE]),
    "more than the text": ([[0, 9_999_999, "S1"]] * 50, [ErrorCode.TOO_MANY_ENTRIES]),
    "none": ([], []),
    "the whole": ([[0, 5, "S1"]], []),
}


@pytest.mark.parametrize("name", SPANS)
def test_spans_that_are_none_are_refused_with_their_row(name: str) -> None:
    spans, codes = SPANS[name]
    first = {"id": 1, "text": "A hen sat.", "label": [[0, 1, "S1"]], "Comments": []}
    found = read_items(lines(first, {"id": 2, "text": " abcd", "label": spans}), name="s.jsonl")
    assert [(one.row, one.field, one.code) for one in found.errors] == [(2, "spans", code) for code in codes]


def test_labels_decide_the_kind_and_others_are_named() -> None:
    given = [[0, 1, "空间实体"], [1, 2, "处所"], [2, 3, "PER"]]
    found = read_items(lines({"text": "猫在家。", "label": given, "Comments": []}), name="s.jsonl")
    assert [(one.task, marks(one)) for one in found.records] == [
        ("step_tuples", [[("空间实体", "猫"), ("处所", "在")]])
    ]
    [(_count, field, params)] = remarks(found, ErrorCode.LABEL_NO_ROLE)
    assert (field, params["found"]) == ("PER", "PER")
    given = [[0, 1, "S1"], [1, 2, "处所"], [0, 1, "空间实体"]]
    found = read_items(lines({"text": "猫在家。", "label": given, "Comments": []}), name="s.jsonl")
    assert [one.task for one in found.records] == ["step_tuples"], "the kind of most spans"
    given = [[0, 1, "PER"]]
    found = read_items(lines({"text": "猫在家。", "label": given, "Comments": []}), name="s.jsonl")
    assert [one.code for one in found.errors] == [ErrorCode.NO_QUESTIONS]
    assert len(remarks(found, ErrorCode.LABEL_NO_ROLE)) == 1


BROKEN = [
    {"text": "A", "label": {"a": 1}, "Comments": 1},
    {"text": None, "label": [None, [], [1], [1, 2, 3], {"start_offset": []}]},
    {"id": {"a": 1}, "text": "A hen.", "label": [[0, 1, "S1"]], "story": 7},
    {"text": "A hen.", "entities": [{"start_offset": 0, "end_offset": 1, "label": "S1"}], "relations": [{}]},
    5,
]


def test_doccano_records_of_another_shape_are_read_or_refused() -> None:
    first = {"text": "A hen.", "label": [[0, 1, "S1"]], "Comments": []}
    for broken in BROKEN:
        found = read_items(json.dumps([first, broken]).encode(), name="s.json", rules=ANYBODYS)
        assert found.format == "doccano"
        assert len(found.records) + len(found.errors) >= 2


def test_potato_data_are_items_and_its_annotations_are_none() -> None:
    found = read("potato_items.jsonl")
    assert found.errors == ()
    assert [(one.id, one.story, one.answer) for one in found.records] == [
        ("crow-1", CROW, 1),
        ("lamp-1", "灯挂在墙上，他把灯放在桌上。", 0),
    ]
    for errors in (
        read("potato_annotations.jsonl").errors,
        read_stories(FILES / "potato_annotations.jsonl", name="p").errors,
    ):
        assert [one.code for one in errors] == [ErrorCode.NO_ITEMS]


CROW_MARKS = [[("S1", "crow"), ("E1", "dropped")], [("S1", "pebbles"), ("P1", "pitcher")]]


def packed(**parts: str) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as made:
        for name, text in parts.items():
            made.writestr(name.replace("_", "."), text)
    return held.getvalue()


def test_brat_texts_have_marks_with_gaps_by_relation_and_event() -> None:
    found = read("brat.zip")
    assert (found.format, found.errors) == ("brat", ())
    crow, lamp = found.records
    assert (crow.id, lamp.id) == ("fables/crow", "fables/lamp")
    assert marks(crow) == [
        [("S1", "crow"), ("E1", "droppedinto")],
        [("S1", "pebbles"), ("P1", "pitcher")],
    ]
    assert marks(lamp) == [[("S1", "灯"), ("P1", "墙上")]]
    assert [one[1:] for one in remarks(found, ErrorCode.MARKS_NOT_READ)] == [("Sure", {"kind": "Sure"})]
    assert [one[1] for one in remarks(found, ErrorCode.LABEL_NO_ROLE)] == ["Bird"]


def test_a_folder_of_brat_is_read_as_its_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(FILES / "brat.zip") as archive:
        archive.extractall(tmp_path / "marked")
    found = read_items(tmp_path / "marked", name="marked")
    assert (found.format, found.records) == ("brat", read("brat.zip").records)
    assert read_items(tmp_path, name="above").records[0].id == "marked/fables/crow"
    monkeypatch.setattr("parable.formats.limits.MAX_FILE_BYTES", 100)
    (error,) = read_items(tmp_path, name="large").errors
    assert error.code == ErrorCode.FILE_TOO_LARGE
    (tmp_path / "other").mkdir()
    (error,) = read_items(tmp_path / "other", name="other").errors
    assert error.code == ErrorCode.UNREADABLE_FILE


BRAT: dict[str, tuple[str, list[tuple[str, ErrorCode]]]] = {
    "a line of no layout": ("T1\tS1 0 1\ta\nnonsense\n", [("a.ann:2", ErrorCode.OUTSIDE_LAYOUT)]),
    "no number": ("T1\tS1 0 x\ta\n", [("a.ann:1", ErrorCode.OUTSIDE_LAYOUT)]),
    "backwards": ("T1\tS1 2 1\ta\n", [("a.ann:1", ErrorCode.OUTSIDE_LAYOUT)]),
    "beyond the text": ("T1\tS1 2 99999999\tc\n", [("spans", ErrorCode.SPAN_OUTSIDE)]),
    "other words": ("T1\tS1 0 2\tbc\n", [("spans", ErrorCode.SPAN_MISSPELLED)]),
    "pieces without end": (f"T1\tS1 {'0 3;' * 99}0 3\tabc\n", [("a.ann:1", ErrorCode.OUTSIDE_LAYOUT)]),
    "marked too often": ("T1\tS1 0 3\tabc\n" * 21, [("a.txt", ErrorCode.TOO_MANY_ENTRIES)]),
    "just beyond": ("T1\tS1 2 4\tc\n", [("spans", ErrorCode.SPAN_OUTSIDE)]),
    "links of nothing": ("T1\tS1 0 1\ta\nR1\tX Arg1:T8 Arg2:T1\nE1\tX:T9 Y:E1\nA1\tN T7 v\n\n", []),
}


@pytest.mark.parametrize("name", BRAT)
def test_a_line_of_brat_that_is_none_is_named(name: str) -> None:
    lines, told = BRAT[name]
    found = read_items(packed(a_txt="abc", a_ann=lines, b_txt="abc", b_ann="T1\tS1 0 1\ta\n"), name="b.zip")
    assert [(one.field, one.code) for one in found.errors] == told
    assert all(one.row == 1 for one in found.errors)


def test_a_relation_of_brat_may_join_an_event() -> None:
    given = "T1\tS1 0 1\ta\nT2\tS1 1 2\tb\nT3\tP1 2 3\tc\nE1\tS1:T1\nR1\tIn Arg1:E1 Arg2:T3\n"
    [item] = read_items(packed(a_txt="abc", a_ann=given), name="b.zip").records
    assert marks(item) == [[("S1", "a"), ("P1", "c")], [("S1", "b")]]


def test_a_value_of_brat_is_the_label_of_its_role() -> None:
    text, given = "猫到家之前睡。", "T1\t空间实体 0 1\t猫\nT2\t时间 1 3\t到家\nA1\tWhen T2 之前\n"
    [item] = read_items(packed(a_txt=text, a_ann=given), name="b.zip").records
    assert item.task == "step_tuples"
    assert item.own is not None
    assert [mark.get("label") for mark in item.own["answer"][0]] == [None, "之前"]


def test_texts_of_brat_with_other_labels_are_stories() -> None:
    data = packed(a_txt="A hen.", a_ann="T1\tBird 2 5\then\n")
    assert [one.text for one in read_stories(data, name="b.zip").records] == ["A hen."]
    assert [one.code for one in read_items(data, name="b.zip").errors] == [ErrorCode.NO_QUESTIONS]


@pytest.mark.parametrize("name", ["cas.xmi", "cas.json"])
def test_uima_positions_count_code_points_after_reading(name: str) -> None:
    found = read(name)
    assert (found.format, found.errors) == ("uima", ())
    assert [(one.id, marks(one)) for one in found.records] == [("1", CROW_MARKS)]
    assert [one[1] for one in remarks(found, ErrorCode.LABEL_NO_ROLE)] == ["Sentence"]


CAS_TEXT = {"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaString": "🐦🐦🐦"}
UIMA: dict[str, tuple[object, list[ErrorCode]]] = {
    "the end": ({"begin": 4, "end": 6}, []),
    "beyond the end": ({"begin": 4, "end": 7}, [ErrorCode.SPAN_OUTSIDE]),
    "no number": ({"begin": "x", "end": [1]}, [ErrorCode.SPAN_OUTSIDE]),
    "a long number": ({"begin": 0, "end": 10**18}, [ErrorCode.SPAN_OUTSIDE]),
    "no end": ({"begin": 0}, [ErrorCode.SPAN_OUTSIDE]),
    "of another text": ({"begin": 0, "end": 99, "@sofa": [2]}, []),
}


@pytest.mark.parametrize("name", UIMA)
def test_a_span_of_uima_outside_its_text_is_refused(name: str) -> None:
    place, codes = UIMA[name]
    assert isinstance(place, dict)
    first = {"%ID": 2, "%TYPE": "custom.P1", "@sofa": 1, "begin": 0, "end": 2}
    span = {"%ID": 3, "%TYPE": "custom.Span", "@sofa": 1, "label": "S1"} | place
    data = json.dumps({"%TYPES": {}, "%FEATURE_STRUCTURES": [CAS_TEXT, first, span, 5, {}]}).encode()
    found = read_items(data, name="cas.json")
    assert [(one.row, one.code) for one in found.errors] == [(1, code) for code in codes]
    if name == "the end":
        assert [marks(one) for one in found.records] == [[[("S1", "🐦"), ("P1", "🐦")]]]


def test_xml_of_uima_is_read_within_limits() -> None:
    data = (FILES / "cas.xmi").read_bytes()
    found = read_items(data.replace(b"<xmi:XMI", b"<!DOCTYPE x><xmi:XMI", 1), name="cas.xmi")
    assert [one.code for one in found.errors] == [ErrorCode.XML_DOCTYPE]
    found = read_items(data.replace(b"</xmi:XMI>", b""), name="cas.xmi")
    assert [one.code for one in found.errors] == [ErrorCode.NOT_XML]


def test_label_studio_items_have_plain_text_and_the_key_of_the_data() -> None:
    found = read("label_studio_items.json")
    assert found.errors == ()
    assert [(one.id, one.story, one.choices, one.answer) for one in found.records] == [
        ("crow-1", CROW, ("To play", "To drink"), 1)
    ]
    assert remarks(found, ErrorCode.ANSWERS_NOT_KEYS) == [(1, "answer", {"count": 2})]
    assert [one[1] for one in remarks(found, ErrorCode.HTML_AS_TEXT)] == ["story"]


def test_label_studio_lists_for_ranking_are_items_of_ordering_without_a_key() -> None:
    found = read("label_studio_ranks.json")
    assert found.errors == ()
    assert [(one.task, one.question, one.choices, one.answers) for one in found.records] == [
        ("ordering", "In which order?", ("It drank.", "It saw a pitcher.", "It dropped stones."), ())
    ]
    assert len(remarks(found, ErrorCode.ANSWERS_NOT_KEYS)) == 1


def test_label_studio_spans_are_an_answer_where_one_person_marked_a_text() -> None:
    found = read("label_studio_spans.json")
    assert found.errors == ()
    assert [(one.id, one.task, marks(one)) for one in found.records] == [
        ("text-1", "anomaly_spans", CROW_MARKS),
        ("text-2", "anomaly_spans", None),
    ]
    assert [one[2] for one in remarks(found, ErrorCode.ANSWERS_NOT_KEYS)] == [{"count": 2}]


def labelled(data: Mapping[str, object], *results: list[object], **more: object) -> dict[str, object]:
    return {"id": 7, "data": data, "annotations": [{"id": 1, "result": one} | more for one in results]}


def region(start: object, end: object, text: str = "", role: str = "S1") -> dict[str, object]:
    return {
        "type": "labels",
        "id": f"{start}",
        "value": {"start": start, "end": end, "text": text, "labels": [role]},
    }


def test_label_studio_spans_are_sought_in_the_column_that_has_their_words() -> None:
    task = labelled({"title": "A hen", "text": "The hen sat."}, [region(4, 7, "hen")])
    [item] = read_items(json.dumps([task]).encode(), name="t.json").records
    assert (item.story, item.title, marks(item)) == ("The hen sat.", "A hen", [[("S1", "hen")]])


def test_label_studio_spans_with_other_words_are_refused_by_row() -> None:
    tasks = [
        labelled({"text": "A hen."}, [region(2, 5, "hen")]),
        labelled({"text": "A hen."}, [region(0, 3, "hen")]),
    ]
    found = read_items(json.dumps(tasks).encode(), name="t.json")
    assert [(one.row, one.code) for one in found.errors] == [(2, ErrorCode.SPAN_MISSPELLED)]


def test_label_studio_spans_of_skipped_tasks_and_in_items_are_no_answers() -> None:
    item = {"story": "A hen.", "question": "Who?", "options": ["hen", "fox"], "gold": "A"}
    tasks = [labelled(item, [region(2, 5, "hen")])]
    [record] = read_items(json.dumps(tasks).encode(), name="t.json").records
    assert (record.question, record.answer, record.own) == ("Who?", 0, None)
    tasks = [labelled({"text": "A hen."}, [region(2, 5, "hen")], was_cancelled=True)]
    assert read_items(json.dumps(tasks).encode(), name="t.json").records == ()


def test_what_is_lost_of_html_in_label_studio_is_said() -> None:
    ranked = [{"id": 1, "html": "<p>It <b>sat</b>.</p>"}, {"id": 2, "title": "It", "body": "ran."}]
    data = {"story": "<img src=x>A hen.", "question": "Order?", "events": ranked, "answer": "BA"}
    found = read_items(json.dumps([labelled(data)]).encode(), name="t.json")
    assert [(one.choices, one.answers) for one in found.records] == [(("It sat.", "It\nran."), (1, 0))]
    assert [(field, params) for _count, field, params in remarks(found, ErrorCode.MARKUP_LOST)] == [
        ("story", {"found": "img"})
    ]


def broken(data: bytes, chance: random.Random) -> bytes:
    made = bytearray(data)
    for _ in range(chance.randint(1, 5)):
        place = chance.randrange(len(made) + 1)
        if chance.random() < 0.5:
            del made[place : place + chance.randint(1, 40)]
        else:
            made[place:place] = chance.choice(
                [b"<", b"[", b"{", b"\t", b"\n", b"-1", b"9999", b"null", b"\xff"]
            )
    return bytes(made)


@pytest.mark.parametrize("name", sorted(one.name for one in FILES.glob("*") if one.name.startswith(OF_TOOLS)))
def test_it_reads_or_refuses_whatever_is_broken(name: str) -> None:
    chance = random.Random(name)  # noqa: S311 - any breaks will do
    data = (FILES / name).read_bytes()
    for _ in range(60):
        read_items(broken(data, chance), name=name, rules=ANYBODYS)
        if name.endswith(".zip"):
            with zipfile.ZipFile(io.BytesIO(data)) as held:
                parts = {part: held.read(part).decode() for part in held.namelist()}
            parts["fables/crow.ann"] = broken(parts["fables/crow.ann"].encode(), chance).decode(
                "utf-8", "replace"
            )
            read_items(packed(**parts), name=name, rules=ANYBODYS)
