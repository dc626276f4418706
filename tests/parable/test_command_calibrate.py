"""`calibrate`: both forms of a matrix, what it prints, and what it cannot use."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parable.__main__ import main
from parable.commands.matrices import UnusableMatrixError, read_matrix
from parable.formats.table_writer import Sheet, write_xlsx
from tests.parable.response_matrices import published, simulate

BASE = Path(__file__).resolve().parents[2]


@pytest.fixture
def matrix(tmp_path: Path) -> Path:
    """Write a simulated matrix with a missing cell."""
    simulated = simulate(1, 60, 5).matrix
    path = tmp_path / "matrix.csv"
    rows = [",".join(["model", *simulated.items])]
    for number, row in enumerate(simulated.cells):
        cells = ["" if number == 0 and index == 2 else str(int(cell)) for index, cell in enumerate(row)]
        rows.append(",".join([f"m{number}", *cells]))
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def _last(captured: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(captured.out.splitlines()[-1])
    return found


@pytest.mark.parametrize("model", ["1pl", "2pl", "3pl"])
def test_it_says_what_the_contract_promises(
    matrix: Path, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["calibrate", str(matrix), "--model", model, "--json"]) == 0
    found = _last(capsys.readouterr())
    assert list(found) == ["model", "examinees", "items", "log_likelihood", "item_parameters", "abilities"]
    assert (found["model"], found["examinees"], found["items"]) == (model, 60, 5)
    item, ability = found["item_parameters"][0], found["abilities"][0]
    assert list(item) == ["id", "discrimination", "difficulty", "guessing", "se"]
    assert list(item["se"]) == ["discrimination", "difficulty", "guessing"]
    assert list(ability) == ["id", "ability", "se"]
    slopes = {row["discrimination"] for row in found["item_parameters"]}
    assert len(slopes) == (1 if model == "1pl" else 5)
    assert all(row["se"] > 0 for row in found["abilities"])


def test_it_prints_the_priors_that_act(matrix: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["calibrate", str(matrix), "--model", "2pl"])
    assert "priors weak (auto)" in capsys.readouterr().out
    main(["calibrate", str(matrix), "--model", "2pl", "--priors", "none"])
    assert "priors none," in capsys.readouterr().out


def test_it_writes_the_same_object_to_a_file(
    matrix: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    main(["calibrate", str(matrix), "--model", "2pl", "--json", "--out", str(out)])
    assert json.loads(out.read_text(encoding="utf-8")) == _last(capsys.readouterr())
    assert main(["calibrate", str(matrix), "--model", "2pl", "--out", str(tmp_path / "no" / "x")]) == 2
    assert "x: cannot be written" in capsys.readouterr().err


def test_it_says_that_few_examinees_know_little(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "few.csv"
    path.write_text("m,a,b,c\nx,1,0,1\ny,0,1,1\nz,1,1,0\n", encoding="utf-8")
    assert main(["calibrate", str(path), "--model", "2pl"]) == 0
    assert "Only 3 examinees" in capsys.readouterr().out


def test_it_reads_what_py_irt_reads() -> None:
    found = read_matrix(published("pyirt_minitest.jsonlines"))
    assert found.examinees[:2] == ("pedro", "pinguino")
    assert found.items == ("q1", "q2", "q3", "q4")
    assert list(found.cells[0]) == [1, 0, 1, 0]


def test_it_reads_json_lines_with_gaps(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text(
        '{"subject_id": "a", "responses": {"q1": 1, "q2": 0.0}}\n\n'
        '{"subject_id": 7, "responses": {"q3": true, "q1": null}}\n',
        encoding="utf-8",
    )
    found = read_matrix(path)
    assert (found.examinees, found.items) == (("a", "7"), ("q1", "q2", "q3"))
    assert np.array_equal(found.cells, [[1, 0, np.nan], [np.nan, np.nan, 1]], equal_nan=True)


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("\ufeffm,a,b\r\nx,1,0\r\n", [[1, 0]]),
        ("m;a;b\nx;1.0;0.0\n\n", [[1, 0]]),
        ("m\ta\tb\nx\tTRUE\tNA\n", [[1, np.nan]]),
        ('"m","a, b","c"\n"x y"," 1 ",""\n', [[1, np.nan]]),
    ],
)
def test_it_is_lenient_about_how_a_table_is_written(
    text: str, cells: list[list[float]], tmp_path: Path
) -> None:
    path = tmp_path / "m.csv"
    path.write_text(text, encoding="utf-8", newline="")
    assert np.array_equal(read_matrix(path).cells, cells, equal_nan=True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no responses"),
        ("m,a,b\n", "holds no responses"),
        ("m\nx\n", "holds no responses"),
        ("m,a,b\nx,1,2\n", "line 2, b: '2' is neither 1, nor 0, nor empty"),
        ("m,a,b\nx,1\n", "line 2: 2 cells, where the first line has 3"),
        ("m,a,a\nx,1,1\n", "column 3: item 'a' stands twice"),
        ("m,a,\nx,1,1\n", "column 3: the item has no name"),
        ("m,a\nx,1\nx,0\n", "line 3: examinee 'x' stands twice"),
        ("m,a\n,1\n", "line 2: the examinee has no name"),
        ('m,a\n"x,1\n', "broken CSV"),
        ("{not json\n", "line 1: is not JSON"),
        ('{"subject_id": "a"}\n', "line 1, responses"),
        ('{"responses": {}}\n', "line 1, subject_id"),
        ('{"subject_id": "a", "responses": {"q": "yes"}}\n', "line 1, q: 'yes'"),
    ],
)
def test_it_names_the_place_of_what_it_cannot_use(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "broken.csv"
    path.write_text(text, encoding="utf-8")
    assert main(["calibrate", str(path), "--model", "2pl"]) == 2
    captured = capsys.readouterr()
    assert str(path) in captured.err
    assert said in captured.err


def test_it_refuses_what_is_no_file_no_text_or_says_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UnusableMatrixError, match="cannot be read"):
        read_matrix(tmp_path / "absent.csv")
    path = tmp_path / "m.csv"
    path.write_bytes(b"m,a\nx,\xff\n")
    with pytest.raises(UnusableMatrixError, match="not UTF-8"):
        read_matrix(path)
    path.write_text("m,a\nx,1\ny,1\n", encoding="utf-8")
    assert main(["calibrate", str(path), "--model", "2pl", "--priors", "none"]) == 2
    assert "nothing can be estimated" in capsys.readouterr().err


def test_manage_py_has_the_same_command(matrix: Path) -> None:
    answer = subprocess.run(
        [sys.executable, "manage.py", "calibrate", str(matrix), "--model", "1pl", "--json"],
        cwd=BASE, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    assert json.loads(answer.stdout.splitlines()[-1])["items"] == 5


def test_it_draws_the_same_pictures_each_time(matrix: Path, tmp_path: Path) -> None:
    drawn = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        assert main(["calibrate", str(matrix), "--model", "2pl", "--plots", str(folder)]) == 0
        drawn.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert set(drawn[0]) == {"wright_map.svg", "test_information.svg", "item_curves.svg"}
    assert drawn[0] == drawn[1]


def test_it_reports_what_few_examinees_would_show_by_chance(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = simulate(2, 8, 12).matrix.cells
    rows = [",".join(["model", *(f"i{n}" for n in range(12))])]
    rows += [",".join([f"m{n}", *(str(int(cell)) for cell in row)]) for n, row in enumerate(cells)]
    path = tmp_path / "few.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert main(["calibrate", str(path), "--model", "2pl"]) == 0
    output = capsys.readouterr().out
    assert "% of 12; sets without any would show" in output
    assert "Reliability (KR-20)" in output
    assert "of 8 examinees who answered every item." in output


def grouped(
    folder: Path, sizes: dict[str, int], hard_for: str = "", sure_for: str = "none"
) -> tuple[Path, Path]:
    """A matrix of 30 items, and the groups of its examinees; item i4 is harder for one, sure for another."""
    rng = np.random.default_rng(5)
    groups = [name for name, n in sizes.items() for _ in range(n)]
    chance = 1 / (1 + np.exp(-rng.standard_normal((len(groups), 1)) - np.zeros(30)))
    chance[[name == hard_for for name in groups], 4] *= 0.3
    chance[[name == sure_for for name in groups], 4] = 1.0
    cells = (rng.random(chance.shape) < chance).astype(int)
    matrix, file = folder / "m.csv", folder / "groups.csv"
    rows = [[f"p{n}", *map(str, row)] for n, row in enumerate(cells)]
    matrix.write_text(
        "\n".join(",".join(row) for row in [["m", *(f"i{n}" for n in range(30))], *rows]), encoding="utf-8"
    )
    named = [f"p{n},{name}" for n, name in enumerate(groups) if name != "nobody"]
    file.write_text("\n".join(["subject,group", *named]), encoding="utf-8")
    return matrix, file


def test_it_names_the_item_that_is_harder_for_one_group(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    matrix, file = grouped(tmp_path, {"east": 200, "west": 180, "few": 99, "nobody": 3}, hard_for="west")
    out = tmp_path / "out.json"
    asked = ["calibrate", str(matrix), "--model", "1pl", "--groups", str(file), "--out", str(out), "--json"]
    assert main(asked) == 0
    captured = capsys.readouterr()
    said = _last(captured)["differential_functioning"]
    assert json.loads(out.read_text(encoding="utf-8"))["differential_functioning"] == said
    assert said["groups"] == {"east": 200, "few": 99, "west": 180}
    [compared] = said["comparisons"]
    assert (compared["first"], compared["second"]) == ("east", "west")
    assert [(one["id"], one["size"]) for one in compared["items"]] == [("i4", "large")]
    assert compared["items"][0]["delta"] < -1.5
    assert "i4: harder for west, large" in captured.out
    assert "group few has 99 examinees; with fewer than 100" in captured.out
    assert "Without a group, and not compared: 3 examinees." in captured.out


def test_it_names_an_item_that_one_group_always_solves_without_an_infinite_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    matrix, file = grouped(tmp_path, {"east": 110, "west": 120}, sure_for="east")
    assert main(["calibrate", str(matrix), "--model", "1pl", "--groups", str(file), "--json"]) == 0
    captured = capsys.readouterr()
    [compared] = _last(captured)["differential_functioning"]["comparisons"]
    [item] = compared["items"]
    assert (item["id"], item["delta"], item["infinite"], item["harder_for"]) == ("i4", None, True, "west")
    assert item["p_adjusted"] < 1e-9
    assert "1 of 30 items." in captured.out
    assert "i4: harder for west, large (odds ratio infinite, adjusted p" in captured.out


def test_it_says_why_groups_are_not_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    matrix, file = grouped(tmp_path, {"east": 120})
    assert main(["calibrate", str(matrix), "--model", "1pl", "--groups", str(file)]) == 0
    output = capsys.readouterr().out
    assert "names one group only" in output
    assert "Differential functioning" not in output


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1, subject: the first line names the columns"),
        ("subject,team\np0,a\n", "line 1, group: the first line names the columns"),
        ("subject,group\n", "names no examinee"),
        ("subject,group\n,a\n", "line 2, subject: the examinee has no name"),
        ("Group,Subject\na,p0\na,q9\n", "line 3, subject: examinee 'q9' does not stand in the matrix"),
        ("subject,group\np0,a\np0,b\n", "line 3, subject: examinee 'p0' stands twice"),
        ("subject;group\np0;\n", "line 2, group: the examinee has no group"),
        ("subject,group\np0\n", "line 2: 1 cells"),
        ('subject,group\n"p0,a\n', "broken CSV"),
    ],
)
def test_it_names_the_place_of_a_mistake_in_the_groups(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    matrix, file = grouped(tmp_path, {"east": 3})
    file.write_text(text, encoding="utf-8")
    assert main(["calibrate", str(matrix), "--model", "1pl", "--groups", str(file)]) == 2
    captured = capsys.readouterr()
    assert str(file) in captured.err
    assert said in captured.err
    assert captured.out == ""
    assert main(["calibrate", str(matrix), "--model", "1pl", "--groups", str(tmp_path / "no.csv")]) == 2
    assert "no.csv: cannot be read" in capsys.readouterr().err


def test_it_names_the_kind_of_a_file_that_is_no_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, data, kind in (
        ("m.xlsx", write_xlsx([Sheet("m", ["who", "q0"], [["a", 1], ["b", 0]])]), "Excel (XLSX)"),
        ("m.parquet", b"PAR1\x15\x04\x15\xe0PAR1", "Parquet"),
    ):
        path = tmp_path / name
        path.write_bytes(data)
        assert main(["calibrate", str(path), "--model", "1pl"]) == 2
        assert f"{name}: is of the kind {kind}; save it as CSV." in capsys.readouterr().err


def test_it_says_which_items_a_file_of_stories_does_not_name(
    tmp_path: Path, matrix: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = matrix.read_text(encoding="utf-8").splitlines()[0].split(",")[1:]
    stories = tmp_path / "stories.csv"
    stories.write_text("item,story\n" + "".join(f"{item},s\n" for item in items[:-2]), encoding="utf-8")
    main(["calibrate", str(matrix), "--model", "1pl", "--stories", str(stories)])
    output = capsys.readouterr().err
    left = ", ".join(sorted(items[-2:]))
    assert output == f"{stories}: 2 of {len(items)} items have no story in this file: {left}.\n"
    stories.write_text("item,story\n" + "".join(f"{item},s\n" for item in items), encoding="utf-8")
    main(["calibrate", str(matrix), "--model", "1pl", "--stories", str(stories)])
    assert capsys.readouterr().err == ""
