"""The table of all pairs of examinees that share items, by task."""

from collections.abc import Sequence

from parable.psychometrics.results.differences import Difference, paired_differences
from parable.psychometrics.results.sheets import PEOPLE, Items, ResponseColumns
from parable.psychometrics.results.tables import Cell, Column, Kind, Row, Table, figure


def pair_table(items: Items, sheets: Sequence[ResponseColumns], tasks: Sequence[str]) -> Table:
    """Return the table of all pairs, with a row per pair and task.

    The parameters name the examinees that drafted options, and those that are people.
    """
    columns = (
        Column("first", Kind.NAME),
        Column("second", Kind.NAME),
        Column("task", Kind.CODE),
        *(Column(code, Kind.COUNT) for code in ("items", "stories", "only_first", "only_second")),
        Column("difference", Kind.POINTS),
        *(Column(code, Kind.P_VALUE) for code in ("sign_flips", "holm", "clustered")),
        Column("design_effect", Kind.NUMBER),
        Column("needed", Kind.COUNT),
    )
    drafters = {sheet.name for sheet in sheets if sheet.has_drafted}
    rows = [
        Row(
            _pair_cells(pair, task),
            has_drafted=bool(drafters & {pair.first, pair.second}),
        )
        for task in tasks
        for pair in paired_differences(sheets, items, items.of_task(task))
    ]
    people = sorted(sheet.name for sheet in sheets if sheet.kind == PEOPLE)
    return Table("pairs", columns, tuple(rows), {"drafters": sorted(drafters), "people": people})


def _pair_cells(pair: Difference, task: str) -> tuple[Cell, ...]:
    return (
        pair.first,
        pair.second,
        task,
        pair.items,
        pair.stories,
        pair.only_first,
        pair.only_second,
        figure(pair.difference),
        pair.p_value,
        pair.holm,
        pair.clustered,
        pair.design_effect,
        pair.needed,
    )
