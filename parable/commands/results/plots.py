"""Charts of tables of results, for files, and for pages that show the table below."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, cast

from parable import charts
from parable.charts import Chart, Dot, Field, Scale
from parable.commands.results.layouts import cells
from parable.commands.results.numbers import decimal
from parable.commands.results.words import word
from parable.psychometrics.results.accuracy import LEAST
from parable.psychometrics.results.replication import EQUAL
from parable.psychometrics.results.sheets import OUTCOMES
from parable.psychometrics.results.tables import RANDOM, Kind, Row, Table
from parable.splits import DEV, TEST, TRAIN

MOST_SHOWN: Final = 60
"""Maximum number of rows in a chart; the table has all rows."""
UNDRAWN: Final = ("figures",)
"""Codes of tables without a chart, as their values have no common axis."""
_LEAST_FURTHEST: Final = 0.05
"""Smallest difference that can have the full colour; if all differences are smaller, all cells stay pale."""
_SURE: Final = 0.05

Cell = tuple[float | None, float | None, float | None]
Labelled = tuple[str, Row]


def plots(table: Table, language: str) -> list[Chart]:
    """Return one chart, or one for each task; [] if the table has no rows or no chart."""
    if not table.rows or table.code in UNDRAWN:
        return []
    return list(_PLOTS[table.code](TableWords(table, language)))


def plot(table: Table, language: str) -> str:
    """Return all charts of a table as one SVG file; "" if there are none."""
    found = plots(table, language)
    return charts.as_file(found, word(table.code, language), language) if found else ""


@dataclass(frozen=True, slots=True)
class TableWords:
    """A table with the language of its texts."""

    table: Table
    language: str

    @property
    def shares(self) -> Scale:
        """The scale of shares, from 0 to 100 %."""
        return charts.shares(self.language)

    def word(self, code: str) -> str:
        """Return the text of a code in the table's language."""
        return word(code, self.language)

    def cell(self, row: Row, at: int) -> str:
        """Return the text of a cell, with its interval."""
        return str(cells(self.table, row, self.language)[at])

    def named(self, task: str | None = None) -> list[Labelled]:
        """Return the rows of a task, or of all tasks, with labels.

        A label is the examinee and, if present, the option order.
        """
        orders = [at for at, column in enumerate(self.table.columns) if column.code == "orders"]
        at = None if task is None else self.table.column("task")
        rows = [
            row for row in self.table.rows if row.kind != RANDOM and (at is None or row.cells[at] == task)
        ]
        return [
            (" ".join([self.cell(row, 0), *(self.word(str(row.cells[at])) for at in orders)]), row)
            for row in rows[:MOST_SHOWN]
        ]

    def by_task(self) -> Iterator[tuple[str, list[Labelled]]]:
        """Yield each task with its labelled rows."""
        at = self.table.column("task")
        for task in dict.fromkeys(str(row.cells[at]) for row in self.table.rows):
            yield task, self.named(task)

    def dot(self, label: str, row: Row, at: int) -> charts.Row:
        """Return a row of a chart with a value as a dot and its interval."""
        value, low, high = _share(row, at)
        return charts.Row(label, self.cell(row, at), dots=[("dot", value)], span=(low, high))


def _share(row: Row, at: int) -> Cell:
    return cast("Cell", row.cells[at])


def _count(row: Row, at: int) -> int:
    return cast("int", row.cells[at])


def _accuracy(words: TableWords) -> Iterator[Chart]:
    """Yield a chart for each task and one for the score, with guessing as a dashed line."""
    guesses = [row for row in words.table.rows if row.kind == RANDOM]
    for at, column in enumerate(words.table.columns):
        if column.code in {"accuracy", "score"}:
            found = [words.dot(label, row, at) for label, row in words.named()]
            chance = next((_share(row, at)[0] for row in guesses), None)
            yield charts.by_row(words.word(column.of or "column_score"), found, words.shares, chance=chance)


def _measures(words: TableWords) -> Iterator[Chart]:
    """Yield a chart for each task, on a scale up to 1: the mean and its interval, chance as a dashed line."""
    mean, low, high = (words.table.column(code) for code in ("mean", "mean_low", "mean_high"))
    at = words.table.column("measure")
    for task, named in words.by_task():
        found = [
            charts.Row(
                label,
                words.cell(row, mean),
                dots=[("dot", _number(row, mean))],
                span=(_number(row, low), _number(row, high)),
            )
            for label, row in named
        ]
        least = min((LEAST.get(str(row.cells[at]), 0.0) for _label, row in named), default=0.0)
        yield charts.by_row(words.word(task), found, charts.numbers(least, 1.0), chance=0.0)


def _number(row: Row, at: int) -> float | None:
    return cast("float | None", row.cells[at])


def _generality(words: TableWords) -> Iterator[Chart]:
    """Yield two charts of accuracy for each task, one for each interval: `benchmark` and `generalised`.

    A chart without any interval (no item was asked twice) is left out, as dots alone would say nothing.
    """
    for task, named in words.by_task():
        for code in ("benchmark", "generalised"):
            found = [words.dot(label, row, words.table.column(code)) for label, row in named]
            if any(low is not None for low, _high in (row.span for row in found)):
                yield charts.by_row(
                    f"{words.word(task)} · {words.word(f'column_{code}')}", found, words.shares
                )


def _erratum(words: TableWords) -> Iterator[Chart]:
    """Yield two charts: accuracies by the earlier keys, and by the later ones."""
    for code in ("accuracy_before", "accuracy_after"):
        at = words.table.column(code)
        found = [words.dot(label, row, at) for label, row in words.named()]
        yield charts.by_row(words.word(f"column_{code}"), found, words.shares)


def _repeats(words: TableWords) -> Iterator[Chart]:
    at = words.table.column("differ")
    for task, named in words.by_task():
        yield charts.by_row(
            words.word(task), [words.dot(label, row, at) for label, row in named], words.shares
        )


def _ranks(words: TableWords) -> Iterator[Chart]:
    """Yield a chart for each task with ability on the x axis, accuracy on the y axis, and a dot per model."""
    accuracy, ability = words.table.column("first_accuracy"), words.table.column("ability")
    up = charts.shares(words.language, name=words.word("column_first_accuracy"))
    for task, named in words.by_task():
        found = []
        for label, row in named:
            at, share = row.cells[ability], _share(row, accuracy)[0]
            if isinstance(at, float | int) and share is not None:
                says = f"{label}: {words.cell(row, ability)}, {words.cell(row, accuracy)}"
                found.append(Dot(at, share, label, says))
        across = charts.around((one.x for one in found), words.word("column_ability"))
        yield charts.scatter(words.word(task), across, up, found)


def _contents(words: TableWords) -> Iterator[Chart]:
    """Yield a chart with bars of the numbers of items by split."""
    tones = {TRAIN: "part n1", DEV: "part refused", TEST: "part"}
    kinds = {column.of: tones[column.of] for column in words.table.columns if column.of in tones}
    legend = [(kind, words.word(split)) for split, kind in kinds.items()]
    most = max(_count(row, words.table.column("count", "all")) for row in words.table.rows)
    found = []
    for label, row in words.named():
        counts = {split: _count(row, words.table.column("count", split)) for split in kinds}
        parts = [
            (kind, counts[split], f"{words.word(split)}: {counts[split]}") for split, kind in kinds.items()
        ]
        found.append(charts.Row(label, str(sum(counts.values())), parts=parts))
    yield charts.by_row(words.word("column_items"), found, charts.counts(most), legend=legend)


def _type_counts(words: TableWords) -> Iterator[Chart]:
    """Yield a chart with a bar for each type: the number of its items, and their percentage."""
    at, share = words.table.column("count", "all"), words.table.column("share_of_items")
    found = [
        charts.Row(
            label, f"{_count(row, at)} ({words.cell(row, share)} %)", parts=[("part", _count(row, at), label)]
        )
        for label, row in words.named()
    ]
    most = max(_count(row, at) for row in words.table.rows)
    yield charts.by_row(words.word("column_items"), found, charts.counts(most))


def _outcomes(words: TableWords) -> Iterator[Chart]:
    """Yield charts with bars of the outcomes: right and wrong choices, and answers without a choice."""
    legend = [(f"part {kind}", words.word(f"plot_{kind}")) for kind in ("right", "wrong", *OUTCOMES[1:])]
    places = [words.table.column(code) for code in ("asked", "right", *OUTCOMES)]
    for task, named in words.by_task():
        found = []
        for label, row in named:
            n, right, chosen, *others = (_count(row, at) for at in places)
            numbers = (right, chosen - right, *others)
            parts = [
                (kind, number / max(n, 1), f"{said}: {number}")
                for (kind, said), number in zip(legend, numbers, strict=True)
            ]
            found.append(charts.Row(label, f"n = {n}", parts=parts))
        caption = f"{words.word(task)} · {words.word('share_of_answers')}"
        yield charts.by_row(caption, found, words.shares, legend=legend)


def _styles(words: TableWords) -> Iterator[Chart]:
    """Yield charts of accuracy by style: human style as a filled dot, machine style as an open one."""
    kinds = {"human": "dot", "machine": "open"}
    places = [words.table.column("accuracy", style) for style in kinds]
    legend = [(kind, words.word(style)) for style, kind in kinds.items()]
    for task, named in words.by_task():
        found = []
        for label, row in named:
            human, machine = (_share(row, at)[0] for at in places)
            note = " · ".join(cells(words.table, row, words.language)[at].text for at in places)
            dots = [("dot", human), ("open", machine)]
            found.append(charts.Row(label, note, dots=dots, span=(human, machine)))
        yield charts.by_row(words.word(task), found, words.shares, legend=legend)


def _positions(words: TableWords) -> Iterator[Chart]:
    columns = words.table.columns
    places = [at for at, column in enumerate(columns) if column.code == "excess"]
    named = words.named()
    furthest = _furthest(_share(row, at)[0] for _label, row in named for at in places)
    found = [(label, [_field(_share(row, at)[0], furthest) for at in places]) for label, row in named]
    yield charts.grid(words.word("points"), [columns[at].of for at in places], found)


def _pairs(words: TableWords) -> Iterator[Chart]:
    """Yield a grid for each task: row minus column, in points; a star for Holm's p below 0.05."""
    table = words.table
    names = list(dict.fromkeys(str(name) for row in table.rows for name in row.cells[:2]))[:MOST_SHOWN]
    at, holm, of_task = table.column("difference"), table.column("holm"), table.column("task")
    for task in dict.fromkeys(str(row.cells[of_task]) for row in table.rows):
        rows = [row for row in table.rows if row.cells[of_task] == task]
        furthest = _furthest(_share(row, at)[0] for row in rows)
        found: dict[tuple[str, str], Field | None] = {}
        for row in rows:
            first, second = map(str, row.cells[:2])
            value, p = _share(row, at)[0], row.cells[holm]
            star = "*" if isinstance(p, float | int) and p < _SURE else ""
            found[first, second] = _field(value, furthest, star)
            found[second, first] = _field(None if value is None else -value, furthest, star)
        fields = [(name, [found.get((name, other)) for other in names]) for name in names]
        yield charts.grid(f"{words.word(task)} · {words.word('points')}", names, fields)


def _furthest(values: Iterable[float | None]) -> float:
    return max([_LEAST_FURTHEST, *(abs(value) for value in values if value is not None)])


def _field(value: float | None, furthest: float, mark: str = "") -> Field | None:
    return None if value is None else Field(decimal(100 * value, digits=1) + mark, value / furthest)


def _neighbours(words: TableWords) -> Iterator[Chart]:
    """Yield charts of differences between neighbours (filled), and smallest detectable differences (open)."""
    kinds = {"distance": "dot", "least": "open"}
    places = [words.table.column(code) for code in kinds]
    legend = [(kind, words.word(f"column_{code}")) for code, kind in kinds.items()]
    for task, named in words.by_task():
        found = []
        for label, row in named:
            apart, least = (_share(row, at)[0] for at in places)
            note = " · ".join(cells(words.table, row, words.language)[at].text for at in places)
            dots = [("dot", apart), ("open", least)]
            found.append(charts.Row(f"{label} – {words.cell(row, 1)}", note, dots=dots, span=(apart, least)))
        yield charts.by_row(
            f"{words.word(task)} · {words.word('points')}", found, words.shares, legend=legend
        )


def _shares(words: TableWords) -> Iterator[Chart]:
    """Yield a grid with the shares of each row in percent, by type or by source of variance."""
    columns = words.table.columns
    places = [at for at, column in enumerate(columns) if column.kind == Kind.SHARE]
    found = [(label, [_field(_share(row, at)[0], 1) for at in places]) for label, row in words.named()]
    yield charts.grid(words.word("percent"), [words.word(columns[at].of) for at in places], found)


def _replication(words: TableWords) -> Iterator[Chart]:
    """Yield a chart of published percentages against ours; dots are open where the values differ."""
    published, ours, result = (words.table.column(code) for code in ("published", "ours", "result"))
    found = []
    for row in words.table.rows:
        across, up = str(row.cells[published]), str(row.cells[ours])
        if "." in across and up and 0 <= float(across) <= 100:
            says = f"{' · '.join(str(cell) for cell in row.cells[:4] if cell)}: {across}, {up}"
            kind = "dot" if row.cells[result] == EQUAL else "open"
            found.append(Dot(float(across), float(up), says=says, kind=kind))
    caption = f"{words.word('replication')} · {words.word('percent')}"
    scales = [charts.counts(100, words.word(f"column_{code}")) for code in ("published", "ours")]
    yield charts.scatter(caption, scales[0], scales[1], found, is_square=True)


_PLOTS: Final[Mapping[str, Callable[[TableWords], Iterator[Chart]]]] = MappingProxyType(
    {
        "accuracy": _accuracy,
        "measures": _measures,
        "generality": _generality,
        "outcomes": _outcomes,
        "types": _shares,
        "styles": _styles,
        "repeats": _repeats,
        "erratum": _erratum,
        "replication": _replication,
        "ranks": _ranks,
        "contents": _contents,
        "type_counts": _type_counts,
        "positions": _positions,
        "pairs": _pairs,
        "neighbours": _neighbours,
        "variance": _shares,
    }
)
