"""What the published scorers of SpaCE2023 said of thousands of answers, read from the shared data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from parable.formats.kind_files import read_answers
from parable.formats.layouts import Layout, read_layout


def lines(path: Path) -> Iterator[Any]:
    """The objects of a file of JSON lines."""
    return map(json.loads, path.read_text(encoding="utf-8").splitlines())


@cache
def expected_items(oracle: Path) -> dict[tuple[int, str, str], dict[str, Any]]:
    """By task, case and measure ("" in task 2), the expected item by qid."""
    found: dict[tuple[int, str, str], dict[str, Any]] = {}
    for one in lines(oracle / "expected_items.jsonl"):
        found.setdefault((one["task"], one["case"], one.get("level", "")), {})[one["qid"]] = one
    return found


def gold_records(data: Path, task: str, layout: Layout[Any]) -> dict[str, Any]:
    """The gold set of a task by qid, in its order."""
    files = json.loads((data / "oracle" / "gold_ids.json").read_text(encoding="utf-8"))[task]
    read = {
        record.id: record
        for name in files
        for record in read_layout(data / name, name=name, layout=layout).records
    }
    return {name: read[name] for names in files.values() for name in names}


def small_cases(data: Path, task: int) -> list[dict[str, Any]]:
    """The hand-made and random cases of a task."""
    return [one for one in lines(data / "oracle" / "small_cases.jsonl") if one["task"] == task]


def one_record(layout: Layout[Any], results: Any, **more: Any) -> Any:
    """The value of a small case, read as a file with one line."""
    line = json.dumps({"qid": "1", "results": results, **more}, ensure_ascii=False)
    answers = read_answers(line.encode(), name="case", layout=layout)
    assert not answers.errors, answers.errors
    return answers.records["1"]
