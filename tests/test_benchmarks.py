"""Benches say what they promised and whether they kept it, and documents show what was measured."""

import re
import types
from importlib import import_module

import pytest

from benchmarks import __main__ as program
from benchmarks.documents import BASE, MARKED, documents, written
from benchmarks.lines import Line, line, skipped, table


@pytest.mark.parametrize(
    ("limits", "value", "is_missed"),
    [
        ({"most": 1.5}, 1.5, False),
        ({"most": 1.5}, 1.51, True),
        ({"most": 0}, 0, False),
        ({"most": 0}, 1, True),
        ({"least": 20}, 20, False),
        ({"least": 20}, 19.9, True),
        ({"least": 0.03, "most": 0.07}, 0.02, True),
        ({"least": 0.03, "most": 0.07}, 0.05, False),
        ({"beside": 0.1}, 1, False),
        ({}, 1e9, False),
    ],
)
def test_a_promise_is_missed_beyond_its_limit(
    limits: dict[str, float], value: float, *, is_missed: bool
) -> None:
    assert line("queue", "http", "p95", value, "ms", **limits).get("missed", False) is is_missed


@pytest.mark.parametrize(("value", "code"), [(1.5, 0), (1.6, 1)])
def test_a_run_ends_with_a_table_and_fails_where_a_promise_is_missed(
    value: float, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines: list[Line] = [
        line("desk", "open", "p95", 60, "ms", beside=50),
        line("desk", "open", "slower", value, "times", most=1.5),
        skipped("desk", "peer", "it is not installed"),
    ]
    monkeypatch.setattr(program, "import_module", lambda _name: types.SimpleNamespace(measure=lambda: lines))
    assert program.main(["desk"]) == code
    output = capsys.readouterr()
    missed = " **missed**" if code else ""
    assert f"| open | slower | {value} times |  |  | at most 1.5 |{missed} |" in output.out
    assert "not run: it is not installed" in output.out
    assert "| open | p95 |" not in output.out
    assert ("Promises were missed by: desk." in output.err) is bool(code)


def test_a_table_shows_a_figure_beside_what_it_is_compared_with() -> None:
    rows = table([line("import", "new", "rate", 3900, "rows/s", beside=7800, least=1000)]).splitlines()
    assert rows[-1] == "| new | rate | 3,900 rows/s | 7,800 rows/s | 0.50 | at least 1,000 | |"


def test_an_unknown_bench_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["desks"]) == 2
    assert "There is no bench 'desks'" in capsys.readouterr().err


@pytest.mark.parametrize("name", program.names())
def test_every_bench_can_be_loaded(name: str) -> None:
    assert callable(import_module(f"benchmarks.{name}").measure)


def test_documents_show_the_figures_that_were_kept() -> None:
    for path in documents():
        text = path.read_text(encoding="utf-8")
        assert written(text) == text, f"{path.name}: run the bench with --write, or undo the change"
        for found in MARKED.finditer(text):
            assert found["name"] in program.names(), f"{path.name}: there is no bench {found['name']}"


def test_the_page_of_benchmarks_names_every_bench() -> None:
    said = (BASE / "docs" / "benchmarks.md").read_text(encoding="utf-8").split("## ")[0]
    assert set(program.names()) <= set(re.findall(r"`(\w+)`", said))
