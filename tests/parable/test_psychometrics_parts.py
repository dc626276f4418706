"""Examinees and items that no answer connects: found, named, and not put on one scale."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from parable.__main__ import main
from parable.psychometrics.irt import calibrate
from parable.psychometrics.items.analysis import Answered, analyse
from parable.psychometrics.responses import ResponseMatrix, connected_parts

WEAK, STRONG = 200, 150


def disconnected(*, bridge: bool = False) -> ResponseMatrix:
    """The weak (mean ability 0) on items 0 to 9, the strong (mean 2) on 10 to 19, all equally difficult."""
    rng = np.random.default_rng(31)
    ability = np.concatenate([rng.normal(0, 1, WEAK), rng.normal(2, 1, STRONG)])
    difficulty = np.tile(np.linspace(-1, 2, 10), 2)
    cells = (rng.random((len(ability), 20)) < 1 / (1 + np.exp(difficulty - ability[:, None]))).astype(float)
    cells[:WEAK, 10:] = np.nan
    cells[WEAK + (60 if bridge else 0) :, :10] = np.nan
    if not bridge:
        cells[WEAK:, :10] = np.nan
    names = [f"{'weak' if row < WEAK else 'strong'}{row}" for row in range(len(ability))]
    return ResponseMatrix(tuple(names), tuple(f"i{item}" for item in range(20)), cells)


def write(path: Path, matrix: ResponseMatrix) -> Path:
    lines = [",".join(["examinee", *matrix.items])]
    for name, row in zip(matrix.examinees, matrix.cells, strict=True):
        lines.append(",".join([name, *("" if np.isnan(cell) else str(int(cell)) for cell in row)]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_parts_are_connected_by_answers_the_largest_first() -> None:
    answered = np.array([
        [1, 0, 0, 0, 0],
        [0, 1, 1, 0, 0],
        [0, 0, 1, 1, 0],
        [0, 0, 0, 0, 0],
    ], dtype=bool)  # fmt: skip
    found = connected_parts(answered)
    assert found.examinees.tolist() == [1, 0, 0, -1]
    assert found.items.tolist() == [1, 0, 0, 0, -1]
    assert found.sizes() == [(2, 3), (1, 1)]
    assert connected_parts(np.ones((3, 2), dtype=bool)).sizes() == [(3, 2)]
    assert connected_parts(np.zeros((3, 2), dtype=bool)).count == 0


def test_an_item_that_everybody_solves_connects_nobody() -> None:
    matrix = disconnected()
    cells = np.column_stack([matrix.cells, np.ones(len(matrix.examinees))])
    found = calibrate(ResponseMatrix(matrix.examinees, (*matrix.items, "easy"), cells), "2pl")
    assert found.parts.sizes() == [(WEAK, 10), (STRONG, 10)]
    assert calibrate(disconnected(bridge=True), "2pl").parts.count == 1


def test_calibrate_names_the_parts_and_lists_each_by_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Means of 0 and 2 came out equal on one scale, and nothing said so."""
    file, plots = write(tmp_path / "m.csv", disconnected()), tmp_path / "plots"
    assert main(["calibrate", str(file), "--model", "2pl", "--json", "--plots", str(plots)]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    found = json.loads(last)
    assert found["parts"] == [{"examinees": WEAK, "items": 10}, {"examinees": STRONG, "items": 10}]
    assert {(row["id"][:4], row["part"]) for row in found["abilities"]} == {("weak", 1), ("stro", 2)}
    assert [row["part"] for row in found["item_parameters"]] == [1] * 10 + [2] * 10
    assert any("2 parts of the matrix share no examinee and no item." in line for line in lines)
    second = lines.index(f"Part 2: {STRONG} examinees, 10 items.")
    assert not any("strong" in line for line in lines[:second])
    assert not any("weak" in line for line in lines[second:])
    assert "Part 2" in (plots / "wright_map.svg").read_text(encoding="utf-8")
    bridged = write(tmp_path / "b.csv", disconnected(bridge=True))
    assert main(["calibrate", str(bridged), "--model", "2pl", "--json"]) == 0
    output = capsys.readouterr().out
    assert "part" not in output.splitlines()[-1]
    assert "parts of the matrix" not in output


def test_link_brings_over_only_those_whom_answers_connect_with_the_common_items(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = disconnected()
    weak = ResponseMatrix(whole.examinees[:WEAK], whole.items[:10], whole.cells[:WEAK, :10])
    before, after = write(tmp_path / "before.csv", weak), write(tmp_path / "after.csv", whole)
    for given, version in (((before, after), "after"), ((after, before), "before")):
        assert main(["link", *map(str, given), "--json"]) == 0
        *lines, last = capsys.readouterr().out.splitlines()
        found = json.loads(last)
        assert found["items"]["common"] == 10
        assert len(found["abilities"]) == 2 * WEAK
        assert {row["version"] for row in found["not_compared"]} == {version}
        assert len(found["not_compared"]) == STRONG
        assert any(line.endswith(f"common items: {STRONG} examinees") for line in lines)


def test_an_analysis_keeps_parts_and_compares_nobody_across_them() -> None:
    whole = disconnected()
    matrix = ResponseMatrix(whole.examinees[::5], whole.items, whole.cells[::5])
    choices = np.where(np.isnan(matrix.cells), -1, 1 - np.nan_to_num(matrix.cells)).astype(np.int64)
    given = Answered(
        matrix, choices, np.zeros(20, dtype=np.int64), [2] * 20,
        [f"s{item // 2}" for item in range(20)], np.arange(20) % 2 == 0,
    )  # fmt: skip
    found = analyse(given, "2pl", seed=1, draws=2)
    assert [one["examinees"] for one in found.summary["parts"]] == [WEAK // 5, STRONG // 5]
    people = found.summary["people"]
    assert [one["part"] for one in people] == [1] * (WEAK // 5) + [2] * (STRONG // 5)
    assert not any("place" in one for one in people)
    assert {row["part"] for row in found.items} == {1, 2}
    assert "difficulties" not in found.summary
    json.dumps([found.summary, found.items], allow_nan=False)
