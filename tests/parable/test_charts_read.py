"""Figures read off a chart's axes, as a person with a ruler reads them, are those of the table behind it."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
import pytest

from parable import charts
from parable.commands import pictures
from parable.commands.item_plots import plots
from parable.commands.results.numbers import decimal
from parable.commands.results.plots import plot
from parable.psychometrics.irt import Calibration, calibrate
from parable.psychometrics.irt.curves import curves
from parable.psychometrics.items.analysis import WRIGHT_BINS
from parable.psychometrics.items.fit import POINTS, whole_information
from parable.psychometrics.results.sheets import OUTCOMES
from parable.psychometrics.results.tables import RANDOM, Row, Table
from parable.quality.gates import GateResult
from parable.quality.phrases import Telling
from tests.parable.response_matrices import simulate
from tests.parable.test_results_charts import found

SVG: Final = "{http://www.w3.org/2000/svg}"
LANGUAGES: Final = ("en", "zh")


@dataclass(frozen=True, slots=True)
class Panel:
    """One chart of a file."""

    drawn: ET.Element

    def marks(self, kind: str) -> list[ET.Element]:
        """What is drawn of a kind, but what a legend shows."""
        return [one for one in self.drawn if one.get("class") == kind]

    def words(self, anchor: str) -> Iterator[tuple[float, float, str]]:
        """Position and text of words."""
        for one in self.drawn.iter(f"{SVG}text"):
            if one.get("text-anchor") == anchor:
                yield float(one.get("x") or 0), float(one.get("y") or 0), one.text or ""

    def across(self) -> Callable[[float], float]:
        """From a position to the figure that the ticks below say."""
        ticks = [
            (x, y, _number(words))
            for anchor in ("start", "middle", "end")
            for x, y, words in self.words(anchor)
        ]
        lowest = max(y for _x, y, figure in ticks if figure is not None)
        return _between([(x, figure) for x, y, figure in ticks if y == lowest and figure is not None])

    def up(self) -> Callable[[float], float]:
        """From a position to the figure that the ticks at the left say."""
        ticks = [
            (y - 4, figure) for _x, y, words in self.words("end") if (figure := _number(words)) is not None
        ]
        return _between(ticks)

    def row_figures(self, kind: str) -> list[float]:
        """Where dots of a kind are."""
        across = self.across()
        return [across(float(dot.get("cx") or 0)) for dot in self.marks(kind) if dot.tag == f"{SVG}circle"]

    def widths(self, kind: str) -> list[float]:
        """How far bars of a kind go, by the axis below."""
        across = self.across()
        return [across(_at(one, "x") + _at(one, "width")) - across(_at(one, "x")) for one in self.marks(kind)]

    def heights(self, kind: str) -> list[float]:
        """How high bars of a kind are."""
        up = self.up()
        return [up(_at(one, "y")) - up(_at(one, "y") + _at(one, "height")) for one in self.marks(kind)]

    def spans(self) -> list[tuple[float, float]]:
        """From where to where lines go."""
        across = self.across()
        return [(across(_at(one, "x1")), across(_at(one, "x2"))) for one in self.marks("span")]


def _at(mark: ET.Element, name: str) -> float:
    return float(mark.get(name) or 0)


def _number(words: str) -> float | None:
    found = re.fullmatch(r"(-?[\d.]+)( ?%)?", words)
    return float(found[1]) / (100 if found[2] else 1) if found else None


def _between(ticks: list[tuple[float, float]]) -> Callable[[float], float]:
    (x1, low), (x2, high) = min(ticks), max(ticks)
    assert len(ticks) > 1
    assert all(
        abs(low + (x - x1) / (x2 - x1) * (high - low) - value) < 1e-2 * abs(high - low) for x, value in ticks
    )
    return lambda x: low + (x - x1) / (x2 - x1) * (high - low)


def _panels(file: str) -> list[Panel]:
    root = ET.fromstring(file)  # noqa: S314 - ours
    return [Panel(group[-1]) for group in root if group.tag == f"{SVG}g"]


def _table(code: str, language: str) -> tuple[Table, list[Panel]]:
    return found()[code], _panels(plot(found()[code], language))


def _of_tasks(table: Table) -> list[list[Row]]:
    at = table.column("task")
    tasks = dict.fromkeys(row.cells[at] for row in table.rows)
    return [[row for row in table.rows if row.cells[at] == task and row.kind != RANDOM] for task in tasks]


def _column(rows: list[Row], at: int) -> list[Any]:
    return [row.cells[at] for row in rows]


def _near(found: list[float], wanted: list[Any], room: float = 0.001) -> None:
    assert found == pytest.approx(wanted, abs=room)
    assert wanted


@pytest.mark.parametrize("language", LANGUAGES)
def test_accuracies_and_repeats_are_where_they_should_be_with_their_intervals(language: str) -> None:
    table, panels = _table("accuracy", language)
    rows = [row for row in table.rows if row.kind != RANDOM]
    places = [at for at, column in enumerate(table.columns) if column.code in {"accuracy", "score"}]
    read = [(panel, _column(rows, at)) for panel, at in zip(panels, places, strict=True)]
    repeats, panels = _table("repeats", language)
    at = repeats.column("differ")
    read += [(panel, _column(rows, at)) for panel, rows in zip(panels, _of_tasks(repeats), strict=True)]
    for panel, cells in read:
        _near(panel.row_figures("dot"), [value for value, _low, _high in cells])
        intervals = [(low, high) for _value, low, high in cells if low is not None]
        _near([end for span in panel.spans() for end in span], [end for one in intervals for end in one])


@pytest.mark.parametrize("language", LANGUAGES)
def test_parts_of_answers_and_counts_of_items_are_as_wide_as_they_should_be(language: str) -> None:
    table, panels = _table("outcomes", language)
    for panel, rows in zip(panels, _of_tasks(table), strict=True):
        asked, right, chosen, several = (
            _column(rows, table.column(code)) for code in ("asked", "right", *OUTCOMES[:2])
        )
        shares = [n / of for n, of in zip(right, asked, strict=True)]
        _near(panel.widths("part right")[:-1], shares, 0.002)
        wrong = [(n - r) / of for n, r, of in zip(chosen, right, asked, strict=True) if n != r]
        _near(panel.widths("part wrong")[:-1], wrong, 0.002)
        _near(
            panel.widths("part ambiguous")[:-1],
            [n / of for n, of in zip(several, asked, strict=True) if n],
            0.002,
        )
    table, (panel,) = _table("contents", language)
    for split, kind in (("dev", "part refused"), ("test", "part")):
        _near(panel.widths(kind)[:-1], _column([*table.rows], table.column("count", split)), 0.02)
    table, (panel,) = _table("type_counts", language)
    _near(panel.widths("part"), _column([*table.rows], table.column("count", "all")), 0.02)


@pytest.mark.parametrize("language", LANGUAGES)
def test_styles_and_ranks_are_where_they_should_be(language: str) -> None:
    table, panels = _table("styles", language)
    for panel, rows in zip(panels, _of_tasks(table), strict=True):
        for kind, style in (("dot", "human"), ("open", "machine")):
            _near(
                panel.row_figures(kind)[:-1],
                [cell[0] for cell in _column(rows, table.column("accuracy", style))],
            )
    table, panels = _table("ranks", language)
    for panel, rows in zip(panels, _of_tasks(table), strict=True):
        up, dots = panel.up(), panel.marks("dot")
        _near(panel.row_figures("dot"), _column(rows, table.column("ability")), 0.005)
        accuracies = [cell[0] for cell in _column(rows, table.column("first_accuracy"))]
        _near([up(_at(one, "cy")) for one in dots], accuracies)


@pytest.mark.parametrize("language", LANGUAGES)
def test_grids_say_every_figure_of_their_table(language: str) -> None:
    for code, columns in (("types", {"error"}), ("positions", {"excess"})):
        table, (panel,) = _table(code, language)
        places = [at for at, column in enumerate(table.columns) if column.code in columns]
        cells = [row.cells[at] for row in table.rows if row.kind != RANDOM for at in places]
        figures = [
            decimal(100 * cell[0], digits=1)
            for cell in cells
            if isinstance(cell, tuple) and cell[0] is not None
        ]
        assert [one.text for one in panel.marks("on-field")] == figures
    table, panels = _table("pairs", language)
    for panel, rows in zip(panels, _of_tasks(table), strict=True):
        values = [cell[0] for cell in _column(rows, table.column("difference"))]
        wanted = sorted(decimal(100 * value, digits=1) for one in values for value in (one, -one))
        assert sorted((one.text or "").rstrip("*") for one in panel.marks("on-field")) == wanted


@cache
def _calibrated() -> Calibration:
    return calibrate(simulate(2, 60, 15).matrix, "2pl")


@pytest.mark.parametrize("language", LANGUAGES)
def test_plots_of_a_calibration_have_its_figures(language: str) -> None:
    found = _calibrated()
    drawn = {name: _panels(file) for name, file in plots(found, language).items()}
    people, items = drawn["wright_map.svg"]
    for panel, values in ((people, np.clip(found.ability, -4, 4)), (items, found.difficulty)):
        _near(panel.heights("bar"), [n for n in np.histogram(values, WRIGHT_BINS)[0] if n], 0.05)
    (information,) = drawn["test_information.svg"]
    _near(_heights_of_curve(information), whole_information(found).tolist(), 0.02)
    assert len(drawn["item_curves.svg"]) == 12
    least = np.argsort(found.discrimination, kind="stable")[:12]
    right = curves(found.slope_intercept[least], POINTS).right
    for panel, chances in zip(drawn["item_curves.svg"], right, strict=True):
        _near(_heights_of_curve(panel), chances.tolist(), 0.005)


def _heights_of_curve(panel: Panel) -> list[float]:
    (curve,), up = panel.marks("curve"), panel.up()
    return [up(float(point.split(",")[1])) for point in (curve.get("points") or "").split()]


@pytest.mark.parametrize("language", LANGUAGES)
def test_plots_of_an_audit_have_its_figures(language: str) -> None:
    def result(task: str, **detail: Any) -> GateResult:
        return GateResult("length_artefact", task, "ok", looked_at=10, detail=detail)

    lengths = [result("moral", margins=[5.5, 2, 1]), result("commonsense", margins=[1, 2, 3.0])]
    keys = [result("moral", cells=[("dev", 3, [2, 1, 4])])]
    types = [
        result("commonsense", types={"dev": {"social": 3, "spatial": 0}, "test": {"social": 1, "spatial": 7}})
    ]
    phrases = [Telling("always", 3, 30, 1, 90), Telling("从不", 2, 30, 4, 90)]
    found = [
        pictures.length_plot(lengths, language), pictures.position_plot(keys, language),
        pictures.type_plot(types, language), pictures.phrase_plot(phrases, language),
        pictures.similarity_plot([0.5, 0.6, 0.61, 0.999, 1.0], language),
    ]  # fmt: skip
    panels = _panels(charts.as_file([one for one in found if one], "", language))
    lengths_read, keys_read, types_read, phrases_read, pairs_read = panels
    _near(lengths_read.heights("part")[:-1], [1, 2, 3], 0.02)
    _near(lengths_read.heights("part refused")[:-1], [5.5, 2, 1], 0.02)
    _near(keys_read.heights("part"), [2, 1, 4], 0.02)
    _near(types_read.heights("part")[:-1], [3, 0], 0.03)
    _near(types_read.heights("part refused")[:-1], [1, 7], 0.03)
    _near(phrases_read.row_figures("dot"), [0.1, 2 / 30])
    _near(phrases_read.row_figures("open"), [1 / 90, 4 / 90])
    _near(pairs_read.heights("bar"), [1, 0, 2, 0, 0, 0, 0, 0, 0, 2], 0.02)
