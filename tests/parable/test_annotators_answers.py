"""Answers of people in files of annotation tools: they are answers to items of ours, one row each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from parable.commands.matrices import UnusableMatrixError
from parable.commands.rating_rows import read_rows
from parable.formats.answer_log import log_of
from parable.formats.errors import ErrorCode, RowError
from parable.formats.responses import read_responses

FILES = Path(__file__).parent / "foreign"
OPTIONS = {"crow-1": 2, "lamp-1": 2, "text-1": 0, "order-1": 3}
TASKS = {"text-1": "anomaly_spans", "order-1": "ordering"}


def read(path: Path, options: Mapping[str, int] = OPTIONS) -> list[tuple[str, str, Any]]:
    found = read_responses([path], options=options, tasks=TASKS)
    assert found.errors == ()
    return [(one.model, one.item_id, one.text or one.choice or one.outcome) for one in found.records]


def refused(path: Path) -> list[RowError]:
    return [*read_responses([path], options=OPTIONS, tasks=TASKS).errors]


def written(folder: Path, *rows: object) -> Path:
    path = folder / "annotations.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_potato_has_the_answer_of_each_person() -> None:
    assert read(FILES / "potato_annotations.jsonl") == [
        ("ann", "crow-1", "B"),
        ("ann", "lamp-1", "A"),
        ("bo", "crow-1", "A"),
    ]


def potato(item: str, labels: object, spans: object = ()) -> dict[str, object]:
    return {"instance_id": item, "user_id": "ann", "labels": labels, "spans": spans, "links": {}}


ANSWERS: dict[str, tuple[object, object]] = {
    "the only question, whatever its name": ({"moral": {"B": "true"}}, "B"),
    "several labels": ({"answer": {"A": "A", "C": "C"}}, "A, C"),
    "words of a field": ({"answer": {"text_box": "the second"}}, "the second"),
    "a number": ({"answer": {"slider": 4}}, "4"),
    "nothing": ({}, "failed"),
    "another shape": ([["answer", "B"]], "failed"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_it_reads_the_label_that_a_person_chose(name: str, tmp_path: Path) -> None:
    labels, said = ANSWERS[name]
    assert read(written(tmp_path, potato("crow-1", labels))) == [("ann", "crow-1", said)]


def test_it_refuses_answers_to_several_questions_by_row(tmp_path: Path) -> None:
    first = potato("crow-1", {"answer": {"A": "A"}})
    second = potato("lamp-1", {"one": {"A": "A"}, "two": {"B": "B"}})
    [error] = refused(written(tmp_path, first, second))
    assert (error.row, error.code, error.params) == (2, ErrorCode.WHICH_QUESTION, {"found": "one, two"})


def test_spans_with_roles_are_marks_and_two_of_one_role_are_refused(tmp_path: Path) -> None:
    span = {"name": "S1", "start": 2, "end": 4, "text": "ab"}
    marked = potato("text-1", {"clear": {"4": "4"}}, {"marks": [span, {"name": "PER", "start": 0, "end": 1}]})
    mark = {"role": "S1", "text": "ab", "positions": [2, 3]}
    assert read(written(tmp_path, marked)) == [("ann", "text-1", {"answer": [[mark]]})]
    [error] = refused(written(tmp_path, marked, potato("text-1", {}, {"marks": [span, span]})))
    assert (error.row, error.code) == (2, ErrorCode.ROLE_TWICE)
    [error] = refused(written(tmp_path, potato("text-1", {}, {"marks": [span | {"end": 10**12}]})))
    assert error.code == ErrorCode.SPAN_OUTSIDE


def test_broken_lines_are_named(tmp_path: Path) -> None:
    path = written(tmp_path, potato("crow-1", {"answer": {"A": "A"}}))
    path.write_bytes(path.read_bytes() + b'{"instance_id": \n')
    [error] = refused(path)
    assert (error.row, error.code) == (2, ErrorCode.NOT_JSON)
    log = log_of(path, path.read_bytes())
    assert log is not None
    assert log.code == "potato"


def test_label_studio_has_choices_ranks_and_marks_of_people() -> None:
    assert read(FILES / "label_studio_items.json") == [("1", "crow-1", "A")]
    assert read(FILES / "label_studio_ranks.json") == [("1", "order-1", (1, 2, 0))]
    found = read_responses(
        [FILES / "label_studio_spans.json"],
        options={"text-1": 0, "text-2": 0},
        tasks={"text-1": "anomaly_spans", "text-2": "anomaly_spans"},
    )
    assert found.errors == ()
    assert [(one.item_id, one.repeat) for one in found.records] == [
        ("text-1", 1),
        ("text-2", 1),
        ("text-2", 2),
    ]
    groups = found.records[0].choice
    assert isinstance(groups, Mapping)
    assert [[mark["text"] for mark in group] for group in groups["answer"]] == [
        ["crow", "dropped"],
        ["pebbles", "pitcher"],
    ]


def labelled(result: object, **more: object) -> dict[str, object]:
    events = [{"id": "a", "title": "1"}, {"id": "b", "title": "2"}, {"id": "c", "title": "3"}]
    given = {"id": 1, "completed_by": {"id": 4, "email": "a@example.org"}, "result": result} | more
    return {"id": 9, "annotations": [given], "data": {"id": "order-1", "events": events}}


def said(name: str, **value: object) -> dict[str, object]:
    return {"from_name": name, "value": value}


RESULTS: dict[str, tuple[object, object]] = {
    "choices": ([said("moral", choices=["A", "C"])], "A, C"),
    "beside a rating": ([said("clear", rating=4), said("moral", choices=["A"])], "A"),
    "a taxonomy": ([said("why", taxonomy=[["sense", "cause"], ["time"]])], "sense > cause, time"),
    "a text": ([said("why", text=["because"])], "because"),
    "the one named so": ([said("why", text=["because"]), said("answer", choices=["B"])], "B"),
    "an order": ([said("r", ranker={"r": ["c", "a", "b"]})], (2, 0, 1)),
    "buckets": ([said("r", ranker={"best": ["c"], "_": ["a", "b"]})], "best: c; _: a, b"),
    "no entry of the list": ([said("r", ranker={"r": ["c", "x"]})], "r: c, x"),
    "nothing": ([], "failed"),
    "another shape": ([1, {"value": 2}, said("x", choices=3)], "failed"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_it_reads_the_answer_of_an_annotation(name: str, tmp_path: Path) -> None:
    result, answer = RESULTS[name]
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps([labelled(result)]))
    assert read(path) == [("a@example.org", "order-1", answer)]


def test_it_leaves_out_what_was_skipped_and_refuses_two_questions(tmp_path: Path) -> None:
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps([labelled([said("a", choices=["A"])], was_cancelled=True), labelled([])]))
    assert [one[2] for one in read(path)] == ["failed"]
    path.write_text(
        json.dumps([labelled([]), labelled([said("a", choices=["A"]), said("b", choices=["B"])])])
    )
    [error] = refused(path)
    assert (error.row, error.code) == (2, ErrorCode.WHICH_QUESTION)
    path.write_bytes(path.read_bytes()[:-9])
    assert [one.code for one in refused(path)] == [ErrorCode.NOT_JSON]


def test_raters_reads_ratings_and_letters_of_people(tmp_path: Path) -> None:
    found = read_rows([FILES / "potato_annotations.jsonl"])
    assert found.ratings == [("crow-1", "ann", 4), ("lamp-1", "ann", 4), ("crow-1", "bo", 4)]
    assert found.answers == [("crow-1", "ann", 1), ("lamp-1", "ann", 0), ("crow-1", "bo", 0)]
    found = read_rows([FILES / "label_studio_items.json"])
    assert (found.ratings, found.answers) == ([("crow-1", "1", 4)], [("crow-1", "1", 0)])
    with pytest.raises(UnusableMatrixError, match="no ratings and no answers"):
        read_rows([FILES / "label_studio_spans.json"])
    several = labelled([said("one", rating=2), said("two", rating=3), said("a", choices=["A"])])
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps([several]))
    assert read_rows([path]).ratings == []
    path.write_text(json.dumps([labelled([said("one", rating=2), said("rating", rating=0)])]))
    assert read_rows([path]).ratings == [("order-1", "a@example.org", 0)]
    path.write_text(json.dumps([labelled([said("a", choices=["A"]), said("b", choices=["B"])])]))
    with pytest.raises(UnusableMatrixError, match="line 1: Several questions"):
        read_rows([path])
    numbers = potato("crow-1", {"moral": {"B": "B"}, "clear": {"4": "4"}, "good": {"slider": "7"}})
    path = written(tmp_path, numbers)
    assert (read_rows([path]).ratings, read_rows([path]).answers) == ([], [("crow-1", "ann", 1)])
