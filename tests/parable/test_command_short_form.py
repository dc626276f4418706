"""`short-form`, and `calibrate --fit`: what they print and write, and what they cannot use."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from parable.__main__ import main
from tests.parable.response_matrices import simulate

BASE = Path(__file__).resolve().parents[2]


def _matrix(folder: Path, examinees: int, items: int = 30) -> Path:
    simulated = simulate(1, examinees, items).matrix
    rows = [",".join(["model", *simulated.items])]
    rows += [",".join([f"m{n}", *(str(int(cell)) for cell in row)]) for n, row in enumerate(simulated.cells)]
    path = folder / "matrix.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    """Write the type, style and story of each item."""
    rows = ["item,type,style,story"]
    rows += [f"item{n + 1},{'ab'[n % 2]},{'human' if n < 15 else 'machine'},s{n // 3}" for n in range(30)]
    path = tmp_path / "labels.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def _last(captured: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(captured.out.splitlines()[-1])
    return found


def test_it_writes_the_form_with_its_error(
    tmp_path: Path, labels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "form.json"
    asked = ["short-form", str(_matrix(tmp_path, 40)), "--items", "8", "--out", str(out), "--json"]
    for option in ("--types", "--styles", "--stories"):
        asked += [option, str(labels)]
    assert main(asked) == 0
    captured = capsys.readouterr()
    found = _last(captured)
    assert json.loads(out.read_text(encoding="utf-8")) == found
    assert (found["method"], found["examinees"], found["models"]) == ("informative", 40, 40)
    assert len(found["items"]) == 8
    assert len({one["story"] for one in found["items"]}) == 8
    assert sorted(one["style"] for one in found["items"]) == ["human"] * 4 + ["machine"] * 4
    assert len(found["left_out"]) == 40
    assert "Short form: 8 of 30 items (the most informative)." in captured.out
    assert "(40 of 40 models, each model left out in turn)" in captured.out
    assert "By style: human 4, machine 4." in captured.out


def test_a_form_scores_the_answers_of_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    matrix, out = _matrix(tmp_path, 40), tmp_path / "form.json"
    assert main(["short-form", str(matrix), "--out", str(out), "--json"]) == 0
    form = _last(capsys.readouterr())
    assert len(form["items"]) == 3
    names = [one["id"] for one in form["items"]]
    other = tmp_path / "other.csv"
    other.write_text(f"model,{','.join(names)}\nnew,1,1,1\nworse,0,0,0\ngap,1,,0\n", encoding="utf-8")
    assert main(["short-form", str(other), "--score", str(out), "--json"]) == 0
    captured = capsys.readouterr()
    found = _last(captured)
    scores = {one["id"]: one["score"] for one in found["scores"]}
    assert scores["new"] > scores["worse"]
    assert found["not_scored"] == ["gap"]
    assert found["half_width"] == form["error"]["half_width"]
    assert "Not scored, since answers are missing: gap." in captured.out


@pytest.mark.parametrize("written", ["no JSON", "{}", '{"items": [{"id": "item99"}]}'])
def test_it_names_a_form_that_it_cannot_read(
    tmp_path: Path, written: str, capsys: pytest.CaptureFixture[str]
) -> None:
    form = tmp_path / "form.json"
    form.write_text(written, encoding="utf-8")
    assert main(["short-form", str(_matrix(tmp_path, 40)), "--score", str(form)]) == 2
    assert str(form) in capsys.readouterr().err


@pytest.mark.parametrize(
    "asked", [["--items", "1"], ["--items", "30"], ["--share", "0.01"], ["--items", "-3"]]
)
def test_it_refuses_a_size_that_is_no_short_form(
    tmp_path: Path, asked: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["short-form", str(_matrix(tmp_path, 40)), *asked]) == 2
    assert "at least 2 items" in capsys.readouterr().err


def test_checkpoints_of_one_model_are_left_out_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    models = tmp_path / "models.csv"
    rows = "".join(f"m{n},maker{n // 10}\n" for n in range(40))
    models.write_text(f"subject,model\n{rows}", encoding="utf-8")
    assert main(["short-form", str(_matrix(tmp_path, 40)), "--models", str(models), "--json"]) == 0
    assert _last(capsys.readouterr())["models"] == 4


def test_few_examinees_have_a_stratified_form_and_fewer_than_five_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["short-form", str(_matrix(tmp_path, 12))]) == 0
    assert "a stratified draw: too few examinees" in capsys.readouterr().out
    assert main(["short-form", str(_matrix(tmp_path, 4))]) == 2
    assert "needs 5 examinees who answered every item" in capsys.readouterr().err


def test_manage_py_has_it_too(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "short-form", str(_matrix(tmp_path, 12)), "--json"],
        cwd=BASE, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["method"] == "stratified"


def test_calibrate_says_which_model_is_borne_and_what_does_not_fit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["calibrate", str(_matrix(tmp_path, 200, 8)), "--model", "1pl", "--fit", "--json"]) == 0
    captured = capsys.readouterr()
    found = _last(captured)["fit"]
    assert [one["model"] for one in found["models"]] == ["1pl", "2pl", "3pl"]
    assert found["borne"] == "1pl"
    assert found["pairs"]["df"] == 8 + 28 - 9
    assert found["items"]["examinees"] == 200
    assert list(found["item_fit"][0]) == [
        "id", "item_rest", "upper_lower", "upper_lower_low", "upper_lower_high",
        "s_x2", "s_x2_df", "s_x2_p", "s_x2_p_adjusted",
    ]  # fmt: skip
    assert found["person_fit"][0]["lz_star"] is None  # eight items say nothing of a person
    assert "The answers bear the 1pl (lowest BIC" in captured.out
    assert "M2 " in captured.out
    assert "upper and the lower 27 % (54.0 examinees each)" in captured.out


def test_calibrate_says_what_does_not_apply(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", str(_matrix(tmp_path, 29)), "--model", "1pl", "--fit", "--json"]) == 0
    captured = capsys.readouterr()
    for sentence in (
        "Models are not compared: that takes 200 examinees",
        "M2: not applicable",
        "S-X²: not applicable",
        "Person fit (l_z*): not applicable (needs 30 examinees).",
    ):
        assert sentence in captured.out
    found = _last(captured)["fit"]
    assert (found["models"], found["borne"], found["pairs"], found["items"]) == ([], None, None, None)
