"""The table of task-specific statistics of a release: one row per statistic, one column per split."""

from collections.abc import Iterable, Mapping, Sequence

from parable.kinds import KINDS
from parable.kinds.published import figures_of
from parable.kinds.question import Released
from parable.psychometrics.results.contents import ALL
from parable.psychometrics.results.tables import Cell, Column, Kind, Row, Table
from parable.splits import splits_among

Figures = Mapping[tuple[str, str], float]
"""Values of statistics, by (name of the statistic, role or number that it counts)."""


def has_figures(task: str) -> bool:
    """Return whether a task defines statistics of its own."""
    published = KINDS[task].published if task in KINDS else None
    return published is not None and bool(published.figures)


def figures_table(items: Iterable[Released]) -> Table:
    """Return the table of task-specific statistics, computed from the items whose answers are known."""
    known, found_in = [], set()
    for item in items:
        found_in.add(item["split"])
        if has_figures(item["task"]) and KINDS[item["task"]].question.right(item) is not None:
            known.append(item)
    splits = splits_among(found_in)
    columns = (
        Column("task", Kind.CODE),
        Column("figure", Kind.SENTENCE),
        Column("figure_of", Kind.SENTENCE),
        *(Column("value", Kind.FIGURE, name) for name in (*splits, ALL)),
    )
    rows: list[Row] = []
    for task in KINDS:
        of_task = [one for one in known if one["task"] == task]
        by_split = [_counted(task, [one for one in of_task if one["split"] == split]) for split in splits]
        for (name, of), value in _counted(task, of_task).items():
            cells: list[Cell] = [found.get((name, of), 0 if found else None) for found in by_split]
            rows.append(Row((task, name, of, *cells, value)))
    return Table("figures", columns, tuple(rows))


def _counted(task: str, items: Sequence[Released]) -> Figures:
    published = KINDS[task].published
    if published is None or not items:
        return {}
    return {(one.name, one.of): one.value for one in figures_of(published, items)}
