"""Files of annotation tools, as the tools wrote them: items come in, and no answer of people is a key.

Each was made by the script of its name in `foreign/`.
"""

from __future__ import annotations

import json
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
    assert offer_mapping(FILES / "doccano_spans.jsonl") is None, "nothing is to be chosen"


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
