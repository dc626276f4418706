"""`score`: figures from the answers of others, files of every table, and input that cannot be used."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from parable.__main__ import main
from tests.parable.release_folders import item, write_release

ITEMS = [
    *(item(f"crow{n}-c", split="dev" if n < 2 else "test") for n in range(6)),
    *(item(f"crow{n}-m", task="moral", style="human") for n in range(6)),
    *(item(f"crow{n}-mm", task="moral", style="machine", generators=("glm-4",)) for n in range(6)),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a release with all its answers."""
    return write_release(tmp_path / "release", ITEMS)


def _responses(tmp_path: Path, texts: dict[str, list[str | None]]) -> Path:
    """For each model texts that are given to the items in turn; None: the line is missing."""
    path = tmp_path / "responses.jsonl"
    lines = [
        json.dumps({"model": model, "item_id": one.id, "repeat": 1, "text": text}) + "\n"
        for model, said in texts.items()
        for number, one in enumerate(ITEMS)
        if (text := said[number % len(said)]) is not None
    ]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def _last(captured: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(captured.out.splitlines()[-1])
    return found


def test_it_says_what_the_contract_promises(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _responses(tmp_path, {"glm-4": ["B", "The answer is B.", "A", "A or B", "", None]})
    assert main(["score", str(path), "--release", str(folder), "--json"]) == 0
    found = _last(capsys.readouterr())["models"]["glm-4"]
    moral = found["moral"]
    assert {name: moral[name] for name in ("n", "correct", "ambiguous", "unparsed", "refused", "failed")} == {
        "n": 12,
        "correct": 4,
        "ambiguous": 2,
        "unparsed": 2,
        "refused": 0,
        "failed": 2,
    }
    assert found["commonsense"]["accuracy"] == pytest.approx(2 / 6)
    assert found["commonsense"]["strict_accuracy"] == pytest.approx(1 / 6)
    assert found["score"] == pytest.approx(0.4 * 2 / 6 + 0.6 * 4 / 12)
    assert found["by_type"]["physical"] == {"n": 6, "wrong": 4, "error": pytest.approx(4 / 6)}
    assert found["by_style"]["machine"]["n"] == 6
    assert found["drafted_options"] is True


def test_it_reads_by_the_published_filter_where_asked(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _responses(tmp_path, {"m": ["Not A, so B."]})  # the filter looks at no context
    found = {}
    for rule in ("parable", "crmus"):
        assert main(["score", str(path), "--release", str(folder), "--rule", rule, "--json"]) == 0
        found[rule] = _last(capsys.readouterr())["models"]["m"]["moral"]
    assert (found["parable"]["correct"], found["parable"]["ambiguous"]) == (12, 0)
    assert (found["crmus"]["correct"], found["crmus"]["ambiguous"]) == (0, 12)


def test_it_has_no_score_without_both_tasks(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _responses(tmp_path, {"m": ["B"]})
    assert main(["score", str(path), "--release", str(folder), "--split", "dev", "--json"]) == 0
    found = _last(capsys.readouterr())["models"]["m"]
    assert (found["commonsense"]["n"], found["moral"], found["score"]) == (2, None, None)


def test_it_writes_every_table_in_every_form(folder: Path, tmp_path: Path) -> None:
    path = _responses(tmp_path, {"glm-4": ["B", "B", "A"], "晓鱼": ["B", "A", "C", "A or B"]})
    given = ["score", str(path), "--release", str(folder), "--language", "zh"]
    assert main([*given, "--out", str(tmp_path / "out")]) == 0
    written = {file.name: file.read_bytes().decode() for file in (tmp_path / "out").iterdir()}
    for table in ("accuracy", "outcomes", "types", "styles", "positions", "pairs"):
        assert {f"{table}.{ending}" for ending in ("csv", "md", "tex", "svg")} <= written.keys()
    assert "晓鱼" in written["accuracy.svg"]
    assert "glm-4*" in written["accuracy.md"].replace("\\", "")
    assert "起草过" in written["results.md"]


def test_it_marks_repeats_where_an_item_was_asked_twice(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "responses.jsonl"
    lines = [
        {"model": "m", "item_id": one.id, "repeat": repeat, "choice": repeat % 2}
        for one in ITEMS
        for repeat in (1, 2)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert main(["score", str(path), "--release", str(folder), "--out", str(tmp_path / "out")]) == 0
    assert "100.00" in (tmp_path / "out" / "repeats.md").read_text(encoding="utf-8")


def test_it_needs_the_answers_that_are_withheld(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_release(tmp_path / "withheld", ITEMS, withheld=True)
    path = _responses(tmp_path, {"m": ["B"]})
    assert main(["score", str(path), "--release", str(folder), "--json"]) == 2
    captured = capsys.readouterr()
    assert "--answers" in captured.err
    assert _last(captured)["errors"]
    answers = tmp_path / "answers.jsonl"
    keys = (json.dumps({"id": one.id, "answer": 1}) + "\n" for one in ITEMS if one.split == "test")
    answers.write_text("".join(keys), encoding="utf-8")
    assert main(["score", str(path), "--release", str(folder), "--answers", str(answers)]) == 0


@pytest.mark.parametrize("language", ["en", "zh"])
def test_it_names_file_line_and_field_of_what_it_cannot_use(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], language: str
) -> None:
    path = tmp_path / "responses.jsonl"
    path.write_text('{"model": "m", "item_id": "owl", "repeat": 1, "text": "B"}\n', encoding="utf-8")
    assert main(["score", str(path), "--release", str(folder), "--language", language, "--json"]) == 2
    captured = capsys.readouterr()
    assert "responses.jsonl" in captured.err
    assert _last(captured)["errors"][0]["field"] == "item_id"
    assert "Traceback" not in captured.err


def test_it_cannot_use_a_folder_without_a_release_or_one_it_may_not_write(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _responses(tmp_path, {"m": ["B"]})
    assert main(["score", str(path), "--release", str(tmp_path / "none")]) == 2
    assert main(["score", str(path), "--release", str(folder), "--out", str(path)]) == 2
    assert str(path) in capsys.readouterr().err


def test_a_file_of_another_kind_is_told_what_this_command_reads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_release(tmp_path / "release", [item("s1-c")])
    path = tmp_path / "answers.parquet"
    path.write_bytes(b"PAR1\x15\x04\x15\xe0PAR1")
    assert main(["score", str(path), "--release", str(folder)]) == 2
    output = capsys.readouterr().err
    assert (
        "of the kind Parquet. Expected: one JSON object a line, with model, item_id, repeat and text."
        in output
    )
    assert "XLSX" not in output


def test_one_model_is_scored_without_scipy_stats(folder: Path, tmp_path: Path) -> None:
    """It takes 50 MB, a sixth of what may be used for 200,000 answers (`make bench BENCH=logs`)."""
    path = _responses(tmp_path, {"glm-4": ["B", "The answer is B.", "A", "A or B", "", None]})
    program = (
        f"import sys; from parable.__main__ import main; main(['score', {str(path)!r}, '--release',"
        f" {str(folder)!r}]); sys.exit('scipy.stats' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "glm-4" in done.stdout
    assert done.returncode == 0, done.stderr
