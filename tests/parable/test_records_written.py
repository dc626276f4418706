"""Answers written as records of Every Eval Ever, and read again with the same totals."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from parable.__main__ import main
from tests.parable.release_folders import item, write_release

ITEMS = [
    *(item(f"crow{n}-c", split="dev" if n < 2 else "test") for n in range(6)),
    *(item(f"crow{n}-m", task="moral", style="human") for n in range(6)),
]
FILE = re.compile(
    r"data/[^/]+/[^/]+/[^/]+/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}_samples\.jsonl"
)
"""As the schema has the path of the instances."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_release(tmp_path / "release", ITEMS)


def responses(tmp_path: Path, *more: dict[str, Any]) -> Path:
    """Answers to all items but the last, in two repeats, of which `more` replace the first ones."""
    texts = ["B", "The answer is B.", "A or B", "", "C"]
    lines = [
        {"model": "org/m", "item_id": one.id, "repeat": again, "text": texts[(number + again) % len(texts)]}
        for again in (1, 2)
        for number, one in enumerate(ITEMS[:-1])
    ]
    for number, changed in enumerate(more):
        lines[number] = {name: value for name, value in lines[number].items() if name != "text"} | changed
    path = tmp_path / "responses.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


MORE = (
    {"choice": 2},
    {"outcome": "refused"},
    {"outcome": "failed"},
    {"text": "B", "order": [1, 0, 2, 3], "rotation": 0},
    {"choice": 0, "order": [3, 2, 1, 0]},
    {"text": "I would say B, since", "finish_reason": "length"},
)


def scored(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    assert main(["score", *map(str, arguments), "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return found


@pytest.mark.parametrize("more", [(), MORE])
def test_what_is_written_is_read_with_the_same_totals(
    more: tuple[dict[str, Any], ...], folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "records"
    before = scored(capsys, responses(tmp_path, *more), "--release", folder, "--every-eval-ever", out)
    [samples] = out.rglob("*_samples.jsonl")
    for path in (samples, samples.with_name(samples.name.replace("_samples.jsonl", ".json"))):
        after = scored(capsys, path, "--release", folder)
        judged = after.pop("tool_judged")["org/m"]
        assert after == before
        assert (judged["judged"], judged["differences"]) == (24, [])


def test_the_records_belong_together(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "records"
    found = scored(capsys, responses(tmp_path, *MORE), "--release", folder, "--every-eval-ever", out)
    [samples] = out.rglob("*_samples.jsonl")
    about = json.loads(samples.with_name(samples.name.replace("_samples.jsonl", ".json")).read_bytes())
    details = about["detailed_evaluation_results"]
    lines = [json.loads(line) for line in samples.read_text("utf-8").splitlines()]
    assert samples.relative_to(out).as_posix() == details["file_path"]
    assert FILE.fullmatch(details["file_path"])
    assert details["file_path"].split("/")[2:4] == ["org", "m"]
    assert (details["checksum"], details["total_rows"]) == (
        sha256(samples.read_bytes()).hexdigest(), len(lines),
    )  # fmt: skip
    results = {one["evaluation_result_id"]: one["score_details"] for one in about["evaluation_results"]}
    of = found["models"]["org/m"]
    assert {name: one["score"] for name, one in results.items()} == {
        f"{task}:accuracy": of[task]["accuracy"] for task in ("commonsense", "moral")
    }
    for name, score in results.items():
        told = [one["evaluation"] for one in lines if one["evaluation_result_id"] == name]
        assert score["uncertainty"]["num_samples"] == len(told)
        assert score["score"] == pytest.approx(sum(one["is_correct"] for one in told) / len(told))
    assert {one["evaluation_id"] for one in lines} == {about["evaluation_id"]}
    turned = lines[3]
    choices = ITEMS[3].choices
    assert turned["input"]["choices"] == [choices[1], choices[0], *choices[2:]]
    assert turned["input"]["reference"] == ["BACD"[ITEMS[3].answer or 0]]
    assert [one["error"] for one in lines[1:3]] == ["refused", "no answer was received"]
    assert [one["output"]["raw"] for one in lines[:2]] == [["C"], []]


def test_a_folder_that_cannot_be_written_is_named(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "file"
    place.write_text("")
    told = ["score", responses(tmp_path), "--release", folder, "--every-eval-ever", place]
    assert main([*map(str, told)]) == 2
    assert f"Cannot write {place}" in capsys.readouterr().err
