"""No command writes nan or inf, whatever it is given: one examinee, one item, all right, wrong or alike."""

import ast
import json
import re
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from parable.__main__ import COMMANDS, main
from parable.commands.outcome import print_json, write_json
from parable.commands.results.numbers import decimal, figure, finite, p_is, p_value, percent
from parable.formats.table_writer import Sheet, write_csv, write_xlsx
from tests.parable.release_folders import item, write_release

BASE: Final = Path(__file__).parents[2]
NOT_A_FIGURE: Final = re.compile(r"(?<![\w-])[+-]?(nan|inf|infinity)(?!\w)", re.IGNORECASE)
MATRICES: Final = {
    "one answer": np.ones((1, 1)),
    "one examinee": np.array([[1, 0, 1, 1, 0, 1, 0, 1]]),
    "one item": np.arange(40)[:, None] % 2,
    "all right": np.ones((40, 6)),
    "all wrong": np.zeros((40, 6)),
    "all alike": np.tile([1, 0, 1, 1, 0, 1], (40, 1)),
    "one item with spread": np.tile([1, 0, 1, 1, 0, 1], (40, 1))
    ^ (np.arange(40)[:, None] % 2) * [1, 0, 0, 0, 0, 0],
    "items alike": np.tile(np.arange(40)[:, None] % 2, (1, 6)),
    "half never asked": np.where(np.arange(40)[:, None] % 2 == np.arange(6) % 2, np.nan, 1.0),
}
RATERS: Final = {
    "one rating": "a,b,1,A,s",
    "one rater": "\n".join(f"i{n},a,{n % 3},{'ABC'[n % 3]},s{n}" for n in range(40)),
    "one item": "\n".join(f"i,r{n},{n % 3},{'ABC'[n % 3]},s" for n in range(40)),
    "all alike": "\n".join(f"i{n},r{r},1,A,s{n // 5}" for n in range(40) for r in range(4)),
    "full agreement": "\n".join(
        f"i{n},r{r},{n % 3},{'ABC'[n % 3]},s{n // 5}" for n in range(40) for r in range(4)
    ),
    "one story": "\n".join(f"i{n},r{r},{(n + r) % 3},{'ABC'[n % 3]},s" for n in range(40) for r in range(4)),
    "stories alike": "\n".join(
        f"i{n},r{r},{(n % 3 + (r == n % 4)) % 3},A,s{n // 12}" for n in range(60) for r in range(4)
    ),
    "opposites": "\n".join(
        f"i{n},r{r},{2 * ((n + r) % 2)},{'AB'[(n + r) % 2]},s{n}" for n in range(40) for r in range(2)
    ),
}
ANSWERS: Final = {
    "all right": (1,),
    "all wrong": (0,),
    "all the same letter": (3,),
    "in turns": (0, 1, 2, 3),
    "nothing": (None,),
}


def _refuse(name: str) -> Any:
    raise AssertionError(f"{name} in JSON")


def _check(text: str, of: str) -> None:
    found = NOT_A_FIGURE.search(text)
    assert found is None, f"{of}: {text[max(0, found.start() - 60) : found.end() + 20]}"


def _run(capsys: pytest.CaptureFixture[str], folder: Path, *arguments: str) -> None:
    """A command's text and JSON, and every file that it writes."""
    folder.mkdir(exist_ok=True)
    code = main(arguments)
    out, err = capsys.readouterr()
    assert code in (0, 1, 2), arguments
    _check(out, str(arguments))
    _check(err, str(arguments))
    if code == 0 and "--json" in arguments:
        json.loads(out.splitlines()[-1], parse_constant=_refuse)
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix in {".csv", ".json", ".jsonl", ".md", ".tex", ".html", ".svg"}:
            _check(path.read_text(encoding="utf-8"), f"{arguments}: {path.name}")


@pytest.mark.parametrize("name", MATRICES)
def test_no_figure_of_a_matrix_is_nan_or_inf(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = MATRICES[name]
    items = [f"i{n}" for n in range(cells.shape[1])]
    lines = [",".join(["model", *items])]
    lines += [
        ",".join([f"m{row}", *("" if np.isnan(cell) else str(int(cell)) for cell in own)])
        for row, own in enumerate(cells)
    ]
    matrix, groups, stories = (tmp_path / f"{of}.csv" for of in ("matrix", "groups", "stories"))
    matrix.write_text("\n".join(lines), encoding="utf-8")
    groups.write_text(
        "subject,group\n" + "".join(f"m{n},{'ab'[n % 2]}\n" for n in range(len(cells))), encoding="utf-8"
    )
    stories.write_text(
        "item,story\n" + "".join(f"{one},s{n // 3}\n" for n, one in enumerate(items)), encoding="utf-8"
    )
    out = tmp_path / "out"
    for model in ("1pl", "2pl"):
        _run(
            capsys, out, "calibrate", str(matrix), "--model", model, "--groups", str(groups), "--stories",
            str(stories), "--fit", "--plots", str(out / model), "--out", str(out / f"{model}.json"), "--json",
        )  # fmt: skip
    _run(capsys, out, "short-form", str(matrix), "--items", "3", "--out", str(out / "form.json"), "--json")
    _run(capsys, out, "link", str(matrix), str(matrix), "--stories", str(stories), "--json")


@pytest.mark.parametrize("name", RATERS)
def test_no_figure_of_raters_is_nan_or_inf(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "raters.csv", tmp_path / "out"
    path.write_text(f"item,rater,rating,answer,story\n{RATERS[name]}\n", encoding="utf-8")
    rater = RATERS[name].split(",")[1]
    for more in ([], ["--model", rater], ["--model", rater, "--allowance", "0"]):
        _run(capsys, out, "raters", str(path), *more, "--out", str(out / "raters.json"), "--json")


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("items", [1, 6])
def test_no_figure_of_answers_to_a_release_is_nan_or_inf(
    name: str, items: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [item(f"s{n // 2}-{n}") for n in range(items)]
    folder, out = write_release(tmp_path / "release", records), tmp_path / "out"
    lines = [
        {"model": model, "item_id": one.id, "repeat": 1, "choice": ANSWERS[name][n % len(ANSWERS[name])]}
        for model in ("one", "other")
        for n, one in enumerate(records)
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    release, answers = str(folder), str(path)
    _run(capsys, out, "score", answers, "--release", release, "--out", str(out / "score"), "--json")
    _run(capsys, out, "plan", release, "--responses", answers, "--json")
    _run(capsys, out, "plan", release, "--json")
    items_file = str(folder / "test" / "commonsense.jsonl")
    _run(capsys, out, "convert", items_file, "--to", "moodle", "--out", str(tmp_path / "quiz.xml"), "--json")
    _run(capsys, out, "erratum", release, release, answers, "--json")
    _run(capsys, out, "probes", release, "--whole", answers, "--probe", answers, "--json")
    _run(
        capsys,
        out,
        "audit",
        str(folder / "test" / "commonsense.jsonl"),
        "--report",
        str(out / "audit"),
        "--json",
    )


def test_every_command_is_walked() -> None:
    """`evaluate` and `remote` ask a server; the tables of the first are those of `score`.."""
    walked = set(re.findall(r'_run\([^"]*?"([a-z-]+)"', Path(__file__).read_text(encoding="utf-8")))
    assert walked == set(COMMANDS) - {"datacite", "deposit", "evaluate", "push", "remote"}


@pytest.mark.parametrize("value", [None, float("nan"), float("inf"), -float("inf"), np.float64("nan")])
def test_what_is_no_figure_is_written_as_a_dash(value: float | None) -> None:
    for write in (figure, percent, decimal, p_value):
        assert write(value) == "–"
    assert finite({"a": [value, (1.5, value)]}) == {"a": [None, [1.5, None]]}


def test_figures_have_no_minus_before_nothing_and_no_p_of_nothing() -> None:
    assert [figure(-0.001), figure(-0.001, "+.2f"), figure(-0.01), figure(0.5, ".0%")] == [
        "0.00",
        "+0.00",
        "-0.01",
        "50%",
    ]
    assert [p_is(0.0312), p_is(0.0), p_is(None)] == ["p = 0.031", "p < 0.001", "p = –"]


def test_json_and_tables_hold_nothing_instead(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = {"a": float("nan"), "b": [np.float64("inf"), 1.0]}
    print_json(data)
    assert capsys.readouterr().out == '{"a": null, "b": [null, 1.0]}\n'
    write_json(tmp_path / "x.json", data)
    assert json.loads((tmp_path / "x.json").read_text(encoding="utf-8")) == {"a": None, "b": [None, 1.0]}
    sheet = Sheet("x", ["a", "b"], [[float("nan"), float("inf")]])
    assert write_csv(sheet).decode("utf-8-sig") == "a,b\r\n,\r\n"
    assert write_xlsx([sheet])


def test_commands_format_no_figure_by_themselves() -> None:
    """Only `results/numbers.py` may give a float a format, since it alone looks whether it is finite."""
    named = [
        f"{path.relative_to(BASE)}:{node.lineno}"
        for path in (BASE / "parable" / "commands").rglob("*.py")
        if path.name != "numbers.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FormattedValue)
        and isinstance(node.format_spec, ast.JoinedStr)
        and re.search(r"\.\d+[fgeE%]", ast.unparse(node.format_spec))
    ]
    assert named == []
