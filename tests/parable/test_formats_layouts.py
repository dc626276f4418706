"""Published sets beyond choices: read whole, written as they were published, refused with their places."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from parable.formats.epic import NARRATIVES
from parable.formats.errors import ErrorCode, english_with_place
from parable.formats.kind_files import LAYOUTS, layout_of, read_answers
from parable.formats.layouts import Layout, compare, layout_chunks, read_layout
from parable.formats.space import (
    ANOMALY,
    JUDGED_2021,
    JUDGED_2022,
    QUESTION_2024,
    REASONS_2022,
    SCENE,
    SLOTS_2022,
    STEP,
)
from parable.kinds.spans import Span

PUBLISHED = [
    ("space2021/task1-train-with-answer.json", "space2021-1", 800),
    ("space2021/task2-train-with-answer.json", "space2021-2", 800),
    ("space2022/task1_dev.jsonl", "space2022-1", 800),
    ("space2022/task1_train.jsonl", "space2022-1", 1000),
    ("space2022/task2_dev.jsonl", "space2022-2", 496),
    ("space2022/task3_dev.jsonl", "space2022-3", 131),
    ("space2023/task1_dev.jsonl", "space2023-1", 496),
    ("space2023/task1_test_input.jsonl", "space2023-1", 915),
    ("space2023/task1_train.jsonl", "space2023-1", 3367),
    ("space2023/task2_dev.jsonl", "space2023-2", 131),
    ("space2023/task2_test_input.jsonl", "space2023-1", 293),  # without answers both look the same
    ("space2023/task2_train.jsonl", "space2023-2", 1060),
    ("space2023/task3_examples.jsonl", "space2023-3", 7),
    ("space2024/SpaCE2024_train.jsonl", "space2024", 3420),
    ("space2024/SpaCE_dev_answer.jsonl", "space2024", 1021),
    ("epic/published_format/all_proverbs.json", "epic-proverbs", 175),
    ("epic/published_format/full_dataset.json", "epic-narratives", 1750),
]


@pytest.mark.parametrize(("name", "code", "records"), PUBLISHED)
def test_it_reads_the_published_files_and_writes_the_same_bytes(
    shared_data: Path, name: str, code: str, records: int
) -> None:
    path = shared_data / name
    layout = layout_of(path)
    assert layout is not None
    assert layout.code == code
    reading = read_layout(path, name=name, layout=layout)
    assert (reading.errors, reading.ignored, len(reading.rows)) == ((), (), records)
    assert b"".join(layout_chunks(reading.records, layout)) == path.read_bytes()


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_list_is_written_piece_by_piece_as_json_would_write_it_whole(count: int) -> None:
    rows: list[Any] = [{"pk": "Q1", "fields": {"quote": "a\nb", "spans": [], "all": [1, [{}]]}}] * count
    layout: Layout[Any] = Layout("any", ("pk",), read=lambda node: node, write=lambda row: row, is_list=True)
    whole = json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
    assert b"".join(layout_chunks(rows, layout)).decode() == whole


def test_it_reads_test_texts_as_either_task(shared_data: Path) -> None:
    path = shared_data / "space2023" / "task2_test_input.jsonl"
    records = read_layout(path, name="test", layout=STEP).records
    assert b"".join(layout_chunks(records, STEP)) == path.read_bytes()


def test_it_reads_eighteen_slots_as_the_tuples_that_were_made_of_them(shared_data: Path) -> None:
    older = read_layout(shared_data / "space2022" / "task3_dev.jsonl", name="2022", layout=SLOTS_2022)
    newer = read_layout(shared_data / "space2023" / "task2_dev.jsonl", name="2023", layout=STEP)
    by_text = {one.context: one for one in newer.records}
    assert len(older.records) == 131
    for one in older.records:
        found, made = Counter(one.tuples), Counter(by_text[one.context].tuples)
        assert found == made, "the same tuples, since then sorted by their entities"


def test_it_keeps_positions_as_they_are_spelled(shared_data: Path) -> None:
    records = read_layout(
        shared_data / "space2023" / "task1_train.jsonl", name="train", layout=ANOMALY
    ).records
    spans = {
        (record.id, fragment.span)
        for record in records
        for alternative in record.alternatives or ()
        for fragment in alternative.fragments
    }
    assert any(span.positions != tuple(sorted(span.positions)) for _id, span in spans)
    repeats = {name for name, span in spans if len(set(span.positions)) < len(span.positions)}
    assert repeats <= {"1-train-912"}


FRAGMENT = {"role": "S1", "text": "猫", "idxes": [0]}
TEXT = {"qid": "1", "context": "猫在", "results": [[FRAGMENT]]}
TUPLE = {"qid": "1", "context": "猫在", "corefs": [], "non_corefs": [], "results": []}
LABEL = {"role": "时间", "label": "过去"}
REASONS = {"qid": "1", "context": "", "reasons": [{"type": "A"}]}
SLOTS = {**{name: TUPLE[name] for name in ("qid", "context", "corefs", "non_corefs")}, "outputs": []}
QUESTION = {"qid": "1", "text": "t", "question": "q", "option": dict.fromkeys("ABCD", "x"), "answer": ["A"]}
SPANS = {f"span_{side}_{n}": "" for side in ("quote", "narrative") for n in range(1, 6)}
NARRATIVE = {"pk": "Q1N1", "fields": {"quote": "q", "narrative": "n", **SPANS}}


def with_span(**changes: Any) -> dict[str, Any]:
    return {**TEXT, "results": [[FRAGMENT, {**FRAGMENT, **changes}]]}


@pytest.mark.parametrize(
    ("layout", "row", "field", "code"),
    [
        (ANOMALY, {"context": "猫"}, "qid", ErrorCode.MISSING),
        (ANOMALY, {**TEXT, "qid": 1}, "qid", ErrorCode.NOT_TEXT),
        (ANOMALY, {**TEXT, "context": ["猫"]}, "context", ErrorCode.NOT_TEXT),
        (ANOMALY, {**TEXT, "results": {}}, "results", ErrorCode.NOT_A_LIST),
        (ANOMALY, {**TEXT, "results": [FRAGMENT]}, "results[1]", ErrorCode.NOT_A_LIST),
        (ANOMALY, {**TEXT, "results": [["猫"]]}, "results[1][1]", ErrorCode.NOT_AN_OBJECT),
        (ANOMALY, with_span(role=None), "results[1][2].role", ErrorCode.MISSING),
        (ANOMALY, with_span(text=5), "results[1][2].text", ErrorCode.NOT_TEXT),
        (ANOMALY, with_span(idxes=None), "results[1][2].idxes", ErrorCode.MISSING),
        (ANOMALY, with_span(idxes="0"), "results[1][2].idxes", ErrorCode.NOT_A_LIST),
        (ANOMALY, with_span(idxes=[0, "1"]), "results[1][2].idxes[2]", ErrorCode.NOT_WHOLE_NUMBER),
        (ANOMALY, with_span(idxes=[True]), "results[1][2].idxes[1]", ErrorCode.NOT_WHOLE_NUMBER),
        (ANOMALY, with_span(idxes=[1.0]), "results[1][2].idxes[1]", ErrorCode.NOT_WHOLE_NUMBER),
        (ANOMALY, with_span(text="\ud800"), "results[1][2].text", ErrorCode.LONE_SURROGATE),
        (ANOMALY, with_span(role="S" * 201), "results[1][2].role", ErrorCode.TOO_LONG),
        (STEP, {**TUPLE, "results": [[{"label": "假"}]]}, "results[1][1].role", ErrorCode.MISSING),
        (STEP, {**TUPLE, "results": [[LABEL | {"label": 1}]]}, "results[1][1].label", ErrorCode.NOT_TEXT),
        (STEP, {**TUPLE, "corefs": [{}]}, "corefs[1]", ErrorCode.NOT_A_LIST),
        (SLOTS_2022, {**SLOTS, "outputs": [[None] * 17]}, "outputs[1]", ErrorCode.OUTSIDE_LAYOUT),
        (
            SLOTS_2022,
            {**SLOTS, "outputs": [[None] * 4 + [FRAGMENT, FRAGMENT] + [None] * 12]},
            "outputs[1]",
            ErrorCode.OUTSIDE_LAYOUT,
        ),
        (SCENE, {"qid": "3", "results": [{"judge": True}]}, "results[1].judge", ErrorCode.UNKNOWN_VALUE),
        (JUDGED_2021, {"qID": "1", "context": "", "judge1": 1}, "judge1", ErrorCode.UNKNOWN_VALUE),
        (JUDGED_2022, {"qid": "1", "context": "", "judge": True}, "judge", ErrorCode.UNKNOWN_VALUE),
        (JUDGED_2022, {"qid": "1", "context": "", "judge": 2}, "judge", ErrorCode.UNKNOWN_VALUE),
        (REASONS_2022, REASONS, "reasons[1].fragments", ErrorCode.MISSING),
        (QUESTION_2024, {**QUESTION, "option": {"A": "x"}}, "option.B", ErrorCode.MISSING),
        (QUESTION_2024, {**QUESTION, "option": dict.fromkeys("ABCD", True)}, "option.A", ErrorCode.NOT_TEXT),
        (NARRATIVES, {"pk": "Q1N1", "fields": {"quote": "q"}}, "fields.narrative", ErrorCode.MISSING),
        (NARRATIVES, {"pk": "Q1N1", "fields": []}, "fields", ErrorCode.NOT_AN_OBJECT),
    ],
)  # fmt: skip
def test_it_names_the_place_of_what_cannot_be_read(
    layout: Layout[Any], row: Any, field: str, code: ErrorCode
) -> None:
    reading = read_layout(json.dumps(row).encode(), name="file", layout=layout)
    assert reading.records == ()
    (error,) = reading.errors
    assert (error.row, error.field, error.code) == (1, field, code)
    assert english_with_place(error).startswith(f"file, row 1, {field}: ")


def test_it_notes_fields_that_a_layout_does_not_have_and_repeated_ids() -> None:
    extra = {**TEXT, "genre": "news", "results": [[{**FRAGMENT, "sure": True}]]}
    other = {**TEXT, "context": "狗在"}
    data = "\n".join(json.dumps(one) for one in (extra, TEXT, other)).encode()
    reading = read_layout(data, name="file", layout=ANOMALY)
    assert reading.ignored == ("genre", "results[1][1].sure")
    assert len(reading.records) == 2
    assert [(one.row, one.code) for one in reading.errors] == [(3, ErrorCode.DUPLICATE_ID)]


@pytest.mark.parametrize(
    ("values", "written", "changed", "ignored"),
    [
        ({"a": 1}, {"a": 1}, [], []),
        ({"a": 1}, {"a": 2}, ["a"], []),
        ({"a": 1}, {"a": True}, ["a"], []),
        ({"a": 1.0}, {"a": 1}, ["a"], []),
        ({"a": [1, 2]}, {"a": [2, 1]}, ["a[1]", "a[2]"], []),
        ({"a": [1]}, {"a": [1, 1]}, ["a"], []),
        ({"a": [{"b": 1, "c": 2}]}, {"a": [{"b": 1}]}, [], ["a[1].c"]),
        ({}, {"a": 1}, ["file"], []),
        ({"a": {}}, {"a": {"b": 1}}, ["a"], []),
    ],
)
def test_it_compares_what_was_read_with_what_would_be_written(
    values: Any, written: Any, changed: list[str], ignored: list[str]
) -> None:
    assert compare(values, written) == (changed, ignored)


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ([{"qid": "1", "results": []}, {"qid": "2", "results": [[FRAGMENT]]}], "space2023-1"),
        ([{"qid": "1", "results": []}, {"qid": "2", "results": [[LABEL]]}], "space2023-2"),
        ([{"qid": "1", "results": [{"judge": "true"}]}], "space2023-3"),
        ([{"qid": "1", "results": [{"judge": "true", "reason": "r"}]}], "space2023-3"),
        ([TUPLE], "space2023-2"),
        ([NARRATIVE], "epic-narratives"),
        ([QUESTION], "space2024"),
        ([{"id": "1", "question": "q", "choices": []}], None),
        ([{"qid": "1", "context": "", "judge": 1, "more": 2}], None),
    ],
)  # fmt: skip
def test_it_finds_the_layout_by_the_fields(rows: list[Any], code: str | None) -> None:
    layout = layout_of("\n".join(map(json.dumps, rows)).encode())
    assert (layout.code if layout else None) == code


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"id,task\n", b"{", b"[1]"])
def test_it_finds_no_layout_in_what_is_no_json(data: bytes) -> None:
    assert layout_of(data) is None


def test_it_reads_answers_as_the_official_scorers_do() -> None:
    rows: list[Any] = [
        {"results": [[FRAGMENT]]},
        {"qid": "1", "results": []},
        {"qid": "1", "results": [[FRAGMENT]]},
        {"qid": None},
    ]
    found = read_answers("\n".join(map(json.dumps, rows)).encode(), name="answers", layout=ANOMALY)
    assert not found.errors
    assert [fragment.span for one in found.records["1"].alternatives or () for fragment in one.fragments] == [
        Span("猫", (0,))
    ]
    broken = read_answers(b'{"qid": "2"}\n{"qid": 3, "results": []}\n[]', name="answers", layout=ANOMALY)
    assert [(one.row, one.field, one.code) for one in broken.errors] == [
        (1, "results", ErrorCode.MISSING),
        (2, "qid", ErrorCode.NOT_TEXT),
        (3, "row", ErrorCode.NOT_AN_OBJECT),
    ]
    assert read_answers(b"", name="answers", layout=ANOMALY).errors == ()


def test_every_layout_is_listed_once() -> None:
    assert len(LAYOUTS) == 11
