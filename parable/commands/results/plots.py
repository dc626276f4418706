"""The plot of each table, as SVG: dots with intervals, bars of what came back, coloured grids."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from parable.commands.results.layouts import cells
from parable.commands.results.numbers import decimal
from parable.commands.results.words import word
from parable.commands.svg import BLUE, GREY, STYLE, as_svg, plain
from parable.psychometrics.results.sheets import OUTCOMES
from parable.psychometrics.results.tables import RANDOM, Row, Table

WIDTH: Final = 7.2
ROW_HEIGHT: Final = 0.26
MARGIN: Final = 1.0
MOST_SHOWN: Final = 60
"""Rows of a plot; the tables have them all."""
_COLOURS: Final = {
    "right": BLUE,
    "wrong": "#c9d6ea",
    "ambiguous": "#e0a030",
    "unparsed": "#8a8f98",
    "refused": "#a3211b",
    "failed": "#1c2430",
}
_SURE: Final = 0.05
_ONE_AT_A_TIME: Final = threading.Lock()


def plot(table: Table, language: str) -> str:
    """The plot that belongs to a table; "" where it has no rows."""
    if not table.rows:
        return ""
    # Settings of matplotlib are the whole process's, and workers draw in several threads.
    with _ONE_AT_A_TIME, mpl.rc_context(STYLE):
        return as_svg(_PLOTS[table.code](table, language))


def _figure(rows: int, panels: int, *, width: float = WIDTH) -> tuple[Figure, list[Axes]]:
    height = MARGIN + ROW_HEIGHT * min(max(rows, 2), MOST_SHOWN)
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(1, panels, sharey=True, squeeze=False)
    return figure, list(axes[0])


def _names(table: Table, rows: Sequence[Row], language: str) -> list[str]:
    return [plain(str(cells(table, row, language)[0])) for row in rows]


def _label_rows(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)


def _dots(axes: Axes, found: Sequence[Any], colour: str = BLUE) -> None:
    """Figures as dots, with a line from bound to bound where there is an interval."""
    for place, cell in enumerate(found):
        value, low, high = cell
        if value is None:
            continue
        if low is not None and high is not None:
            axes.plot([100 * low, 100 * high], [place, place], color=colour, lw=1.4)
        axes.plot([100 * value], [place], "o", color=colour, ms=4.5)


def _accuracy(table: Table, language: str) -> Figure:
    """A panel a task and one for the score; blind guessing as a dashed line."""
    rows = [row for row in table.rows if row.kind != RANDOM][:MOST_SHOWN]
    guesses = [row for row in table.rows if row.kind == RANDOM]
    shown = [at for at, column in enumerate(table.columns) if column.code in {"accuracy", "score"}]
    figure, panels = _figure(len(rows), len(shown))
    for axes, at in zip(panels, shown, strict=True):
        column = table.columns[at]
        _dots(axes, [row.cells[at] for row in rows])
        for row in guesses:
            axes.axvline(100 * _value(row, at), color=GREY, ls="--", lw=1)
        axes.set_title(word(column.of, language) if column.of else word("column_score", language), size=9)
        axes.set_xlabel(word("percent", language))
        axes.set_xlim(0, 100)
    _label_rows(panels[0], _names(table, rows, language))
    return figure


def _value(row: Row, at: int) -> float:
    cell: Any = row.cells[at]
    return float(cell[0]) if cell[0] is not None else float("nan")


Labelled = tuple[tuple[Any, ...], Row]
"""A row and what distinguishes it in its task: the examinee, and the order of options if given."""


def _by_task(table: Table) -> dict[str, list[Labelled]]:
    """The rows of each task, as many as a plot shows."""
    at = table.column("task")
    found: dict[str, list[Labelled]] = {}
    for row in table.rows:
        if len(rows := found.setdefault(str(row.cells[at]), [])) < MOST_SHOWN:
            rows.append((_label(table, row), row))
    return found


def _label(table: Table, row: Row) -> tuple[Any, ...]:
    orders = [at for at, column in enumerate(table.columns) if column.code == "orders"]
    return (row.cells[0], *(row.cells[at] for at in orders))


def _lines(table: Table) -> dict[tuple[Any, ...], int]:
    """The line of each label: the same in every task."""
    labels = dict.fromkeys(label for rows in _by_task(table).values() for label, _row in rows)
    return {label: line for line, label in enumerate(labels)}


def _label_lines(axes: Axes, table: Table, language: str) -> None:
    """Write the examinees beside their lines."""
    named = {_label(table, row): str(cells(table, row, language)[0]) for row in table.rows}
    lines = _lines(table)
    _label_rows(
        axes, [plain(" ".join([named[key], *(word(str(one), language) for one in key[1:])])) for key in lines]
    )


def _outcomes(table: Table, language: str) -> Figure:
    """Bars of what came back: right and wrong choices, and whatever was no choice."""
    tasks, lines = _by_task(table), _lines(table)
    figure, panels = _figure(len(lines) + 1, len(tasks))
    for axes, (task, rows) in zip(panels, tasks.items(), strict=True):
        places = [lines[label] for label, _row in rows]
        starts = np.zeros(len(rows))
        for kind, shares in _stacked(table, [row for _label, row in rows]):
            axes.barh(places, shares, left=starts, color=_COLOURS[kind], height=0.7)
            starts = starts + shares
        axes.set_title(word(task, language), size=9)
        axes.set_xlabel(word("share_of_answers", language))
        axes.set_xlim(0, 100)
    _label_lines(panels[0], table, language)
    handles = [mpl.patches.Patch(color=colour) for colour in _COLOURS.values()]
    labels = [word(f"plot_{kind}", language) for kind in _COLOURS]
    figure.legend(handles, labels, loc="outside lower center", ncols=6, frameon=False, fontsize=8)
    return figure


def _stacked(table: Table, rows: Sequence[Row]) -> Iterator[tuple[str, Any]]:
    def column(code: str) -> Any:
        return np.array([row.cells[table.column(code)] for row in rows], dtype=np.float64)

    asked = column("asked") / 100
    yield "right", column("right") / asked
    yield "wrong", (column("chosen") - column("right")) / asked
    yield from ((kind, column(kind) / asked) for kind in OUTCOMES[1:])


def _types(table: Table, language: str) -> Figure:
    columns = range(1, len(table.columns))
    labels = [word(table.columns[at].of, language) for at in columns]
    rows = table.rows[:MOST_SHOWN]
    figure, panels = _figure(len(rows), 1)
    values = [[_value(row, at) for at in columns] for row in rows]
    _grid(panels[0], values, labels, colours="Blues", low=0, high=100)
    _label_rows(panels[0], _names(table, rows, language))
    return figure


def _grid(
    axes: Axes,
    shares: Sequence[Sequence[float]],
    labels: Sequence[str],
    *,
    colours: str,
    low: float,
    high: float,
    marks: Callable[[int, int], str] = lambda _row, _column: "",
) -> None:
    """A coloured field a figure, in percent; nothing where there is none."""
    values = 100 * np.array(shares, dtype=np.float64)
    edges = [np.arange(size + 1) - 0.5 for size in reversed(values.shape)]
    axes.pcolormesh(
        *edges, np.ma.masked_invalid(values), cmap=colours, vmin=low, vmax=high, edgecolors="white", lw=1
    )
    for row, column in np.argwhere(~np.isnan(values)).tolist():
        value = values[row, column]
        is_dark = abs(value - (low if low == 0 else 0)) > 0.6 * (high - (low if low == 0 else 0))
        said = decimal(float(value), digits=1) + marks(row, column)
        axes.text(
            column, row, said, ha="center", va="center", size=8,
            color="white" if is_dark else "black",
        )  # fmt: skip
    axes.set_xticks(np.arange(values.shape[1]), [plain(label) for label in labels])
    axes.tick_params(length=0)


def _styles(table: Table, language: str) -> Figure:
    """Human style filled, machine style open, a line between them."""
    tasks, lines = _by_task(table), _lines(table)
    figure, panels = _figure(len(lines), len(tasks))
    human, machine = table.column("accuracy", "human"), table.column("accuracy", "machine")
    for axes, (task, rows) in zip(panels, tasks.items(), strict=True):
        for label, row in rows:
            axes.plot([100 * _value(row, human), 100 * _value(row, machine)], [lines[label]] * 2, color=GREY)
        places = [lines[label] for label, _row in rows]
        for style, at, face in (("human", human, BLUE), ("machine", machine, "white")):
            values = [100 * _value(row, at) for _label, row in rows]
            axes.plot(values, places, "o", mfc=face, mec=BLUE, ms=5, label=word(style, language))
        axes.set_title(word(task, language), size=9)
        axes.set_xlabel(word("percent", language))
    _label_lines(panels[0], table, language)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
    return figure


def _repeats(table: Table, language: str) -> Figure:
    tasks, lines = _by_task(table), _lines(table)
    figure, panels = _figure(len(lines), len(tasks))
    at = table.column("differ")
    for axes, (task, rows) in zip(panels, tasks.items(), strict=True):
        by_line = {lines[label]: row.cells[at] for label, row in rows}
        _dots(axes, [by_line.get(line, (None, None, None)) for line in range(len(lines))])
        axes.set_title(word(task, language), size=9)
        axes.set_xlabel(word("percent", language))
        axes.set_xlim(left=0)
    _label_lines(panels[0], table, language)
    return figure


def _ranks(table: Table, language: str) -> Figure:
    """Ability across, accuracy up, a dot a model, a panel a task."""
    tasks = _by_task(table)
    figure = Figure(figsize=(WIDTH, 3.4), layout="constrained")
    panels = list(figure.subplots(1, len(tasks), squeeze=False)[0])
    accuracy, ability = table.column("first_accuracy"), table.column("ability")
    for axes, (task, rows) in zip(panels, tasks.items(), strict=True):
        for _label, row in rows:
            at: Any = row.cells[ability], 100 * _value(row, accuracy)
            axes.plot(*([one] for one in at), "o", color=BLUE, ms=4.5)
            name = plain(str(cells(table, row, language)[0]))
            axes.annotate(name, at, (4, 3), textcoords="offset points", size=7)
        axes.set_title(word(task, language), size=9)
        axes.set_xlabel(word("column_ability", language))
        axes.set_ylabel(word("percent", language))
        axes.margins(x=0.25)
    return figure


def _contents(table: Table, language: str) -> Figure:
    """Bars of dev and test for each task, their items counted."""
    figure, (axes,) = _figure(len(table.rows) + 1, 1)
    starts = np.zeros(len(table.rows))
    for split, colour in (("dev", _COLOURS["wrong"]), ("test", BLUE)):
        at = table.column("count", split)
        values = np.array([row.cells[at] for row in table.rows], dtype=np.float64)
        axes.barh(range(len(values)), values, left=starts, color=colour, label=word(split, language))
        starts = starts + values
    _write_at_ends(axes, starts, [str(int(total)) for total in starts])
    _label_rows(axes, _names(table, table.rows, language))
    axes.set_xlabel(word("column_items", language))
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
    return figure


def _type_counts(table: Table, language: str) -> Figure:
    """A bar a type: its items, and their percent of the items."""
    figure, (axes,) = _figure(len(table.rows), 1)
    at, share = table.column("count", "all"), table.column("share_of_items")
    counts = np.array([row.cells[at] for row in table.rows], dtype=np.float64)
    axes.barh(range(len(counts)), counts, color=BLUE, height=0.7)
    said = [
        f"{int(count)} ({cells(table, row, language)[share]} %)"
        for count, row in zip(counts, table.rows, strict=True)
    ]
    _write_at_ends(axes, counts, said)
    _label_rows(axes, _names(table, table.rows, language))
    axes.set_xlabel(word("column_items", language))
    return figure


def _write_at_ends(axes: Axes, ends: Any, said: Sequence[str]) -> None:
    for place, (end, text) in enumerate(zip(ends, said, strict=True)):
        axes.text(float(end), place, f" {text}", va="center", size=8)
    axes.margins(x=0.2)
    axes.set_xlim(left=0)


def _positions(table: Table, language: str) -> Figure:
    places = [at for at, column in enumerate(table.columns) if column.code == "excess"]
    rows = table.rows[:MOST_SHOWN]
    figure, panels = _figure(len(rows), 1)
    values = [[_value(row, at) for at in places] for row in rows]
    furthest = max(5.0, 100 * float(np.nanmax(np.abs(values))))
    _grid(
        panels[0], values, [table.columns[at].of for at in places],
        colours="RdBu_r", low=-furthest, high=furthest,
    )  # fmt: skip
    _label_rows(panels[0], _names(table, rows, language))
    return figure


def _pairs(table: Table, language: str) -> Figure:
    """A field a pair: row less column, in points; a star where Holm's p is below 0.05."""
    tasks = _by_task(table)
    names = list(dict.fromkeys(str(name) for row in table.rows for name in row.cells[:2]))[:MOST_SHOWN]
    height = MARGIN + (0.3 + ROW_HEIGHT * len(names)) * len(tasks)
    figure = Figure(figsize=(max(WIDTH, 0.5 * len(names) + 2), height), layout="constrained")
    panels = list(figure.subplots(len(tasks), 1, sharex=True, squeeze=False)[:, 0])
    for axes, task in zip(panels, tasks, strict=True):
        rows = [row for row in table.rows if row.cells[table.column("task")] == task]
        values, stars = _matrix(table, rows, names)
        furthest = max(5.0, 100 * float(np.nanmax(np.abs(values))))

        def star(row: int, column: int, found: Any = stars) -> str:
            return "*" if found[row, column] else ""

        _grid(axes, values, names, colours="RdBu", low=-furthest, high=furthest, marks=star)
        axes.tick_params(axis="x", rotation=90)
        axes.set_title(word(task, language), size=9)
        _label_rows(axes, [plain(name) for name in names])
    return figure


def _matrix(table: Table, rows: Sequence[Row], names: Sequence[str]) -> tuple[Any, Any]:
    where = {name: at for at, name in enumerate(names)}
    values = np.full((len(names), len(names)), np.nan)
    stars = np.zeros(values.shape, dtype=np.bool_)
    difference, holm = table.column("difference"), table.column("holm")
    for row in rows:
        first, second = (where.get(str(name)) for name in row.cells[:2])
        if first is None or second is None:
            continue
        values[first, second] = _value(row, difference)
        values[second, first] = -values[first, second]
        p: Any = row.cells[holm]
        stars[first, second] = stars[second, first] = p < _SURE
    return values, stars


_PLOTS: Final[Mapping[str, Callable[[Table, str], Figure]]] = MappingProxyType(
    {
        "accuracy": _accuracy,
        "outcomes": _outcomes,
        "types": _types,
        "styles": _styles,
        "repeats": _repeats,
        "ranks": _ranks,
        "contents": _contents,
        "type_counts": _type_counts,
        "positions": _positions,
        "pairs": _pairs,
    }
)
