"""`link` and `erratum`: what they print, and what they cannot use."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from parable.__main__ import main
from parable.psychometrics.responses import ResponseMatrix
from tests.parable.release_folders import item, write_release
from tests.parable.response_matrices import two_versions


def _write(path: Path, matrix: ResponseMatrix) -> Path:
    lines = [",".join(["model", *matrix.items])]
    for name, row in zip(matrix.examinees, matrix.cells, strict=True):
        lines.append(",".join([name, *(str(int(cell)) for cell in row)]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def versions(tmp_path: Path) -> tuple[Path, Path]:
    before, after, _ = two_versions(3, examinees=400, drifted=2)
    return _write(tmp_path / "before.csv", before), _write(tmp_path / "after.csv", after)


def test_it_puts_two_versions_on_one_scale(
    tmp_path: Path, versions: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    stories = tmp_path / "stories.csv"
    rows = [f"common{n},s{n // 3}" for n in range(30)]
    stories.write_text("item,story\n" + "\n".join(rows) + "\n", encoding="utf-8")
    out = tmp_path / "out.json"
    given = [*map(str, versions), "--stories", str(stories), "--out", str(out), "--json"]
    assert main(["link", *given]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    found = json.loads(last)
    assert found == json.loads(out.read_text(encoding="utf-8"))
    assert found["items"] == {"before": 40, "after": 40, "common": 30}
    line = found["links"]["stocking_lord"]
    assert (line["stretch"], line["shift"]) == (pytest.approx(1.2, abs=0.2), pytest.approx(0.5, abs=0.2))
    assert line["stories"] == 10
    assert found["links"]["mean_sigma"]["shift"] == pytest.approx(0.5, abs=0.2)
    assert {row["item"] for row in found["drift"] if row["moved"]} >= {"common0"}
    assert len(found["abilities"]) == 800
    means = [
        np.mean([r["ability"] for r in found["abilities"] if r["version"] == v]) for v in ("before", "after")
    ]
    assert means == pytest.approx([0, 0.5], abs=0.2)
    assert all(0 < row["expected"] < 1 and row["se"] > 0 for row in found["abilities"])
    assert any(line.startswith("  common0: ") and "harder" in line for line in lines)


def test_it_refuses_versions_with_too_few_items_in_common(
    tmp_path: Path, versions: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.csv"
    other.write_text(versions[1].read_text(encoding="utf-8").replace("common", "else"), encoding="utf-8")
    assert main(["link", str(versions[0]), str(other)]) == 2
    assert "0 items in common" in capsys.readouterr().err
    assert main(["link", str(versions[0]), str(tmp_path / "none.csv")]) == 2


def test_an_erratum_counts_the_same_answers_by_both_versions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = [item(f"s{n // 2}-{n}") for n in range(20)]
    later = [replace(one, answer=(one.answer or 0) + 1) if one.id == "s0-0" else one for one in items[:-1]]
    before, after = (write_release(tmp_path / name, of) for name, of in (("1", items), ("2", later)))
    lines = [
        json.dumps({"model": name, "item_id": one.id, "repeat": 1, "choice": ((one.answer or 0) + step) % 3})
        for name, step in (("always right", 0), ("never", 1))
        for one in items
    ]
    responses = tmp_path / "r.jsonl"
    responses.write_text("\n".join(lines), encoding="utf-8")
    assert main(["erratum", str(before), str(after), str(responses), "--json"]) == 0
    *said, last = capsys.readouterr().out.splitlines()
    found = json.loads(last)
    assert (found["items_before"], found["items_after"], found["changed"]) == (20, 19, ["s0-0", "s9-19"])
    one, other = found["changes"]
    assert (one["before"]["value"], one["after"]["value"]) == (1.0, pytest.approx(18 / 19))
    assert (other["before"]["value"], other["after"]["value"]) == (0.0, pytest.approx(1 / 19))
    assert other["difference"]["low"] < other["difference"]["value"] < other["difference"]["high"]
    assert said[0].startswith("2 items count otherwise: 20 items before, 19 after")
    assert main(["erratum", str(before), str(tmp_path / "none"), str(responses)]) == 2
    responses.write_text("", encoding="utf-8")
    assert main(["erratum", str(before), str(after), str(responses)]) == 2
