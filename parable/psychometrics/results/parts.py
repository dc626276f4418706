"""The table of mean scores by genre and by the size of the right answer, such as its number of fragments."""

import math
from collections.abc import Iterator, Sequence
from typing import Final

from parable.kinds import kind_of
from parable.psychometrics.bootstrap import shared_ranks
from parable.psychometrics.results.accuracy import LEAST, accuracy, mean_score
from parable.psychometrics.results.sheets import Items, Mask, ResponseColumns
from parable.psychometrics.results.tables import Column, Kind, Row, Table

GENRE: Final = "genre"
SIZE: Final = "size"
MEAN_RIGHT: Final = "mean_right"
"""The measure of tasks without partial credit: the share of right answers."""


def parts_table(items: Items, sheets: Sequence[ResponseColumns], tasks: Sequence[str]) -> Table:
    """Return the mean score of each examinee on the parts of a task that has at least two of them.

    The score is partial credit or, for tasks without it, 1 for a right answer. An item of several sizes
    counts in each. Examinees whose intervals overlap share ranks.
    """
    columns = (
        Column("examinee", Kind.NAME),
        Column("task", Kind.CODE),
        Column("measure", Kind.CODE),
        Column("part", Kind.CODE),
        Column("part_of", Kind.TEXT),
        Column("rank", Kind.TEXT),
        Column("items", Kind.COUNT),
        *(Column(code, Kind.NUMBER) for code in ("mean", "mean_low", "mean_high")),
    )
    rows: list[Row] = []
    for task in tasks:
        measure = kind_of(task).measure or MEAN_RIGHT
        for part, name, chosen in _parts(items, items.of_task(task)):
            asked = [sheet for sheet in sheets if accuracy(sheet, items, chosen).asked]
            found = [mean_score(sheet, items, chosen, least=LEAST.get(measure, 0.0)) for sheet in asked]
            # an interval that cannot be estimated, of one story, overlaps with all
            spans = [
                (-math.inf if one.low is None else one.low, math.inf if one.high is None else one.high)
                for one in found
            ]
            ranks = shared_ranks(spans)
            for sheet, mean, (first, last) in zip(asked, found, ranks, strict=True):
                rank = str(first) if first == last else f"{first}–{last}"
                cells = (sheet.name, task, measure, part, name, rank, int(chosen.sum()))
                rows.append(Row((*cells, mean.value, mean.low, mean.high), sheet.kind, sheet.has_drafted))
    return Table("parts", columns, tuple(rows))


def _parts(items: Items, of_task: Mask) -> Iterator[tuple[str, str, Mask]]:
    """Yield what a part is about, its name, and the mask of its items."""
    facts = [fact for fact, is_in in zip(items.facts, of_task, strict=True) if is_in]
    genres = sorted({fact.genre for fact in facts if fact.genre})
    sizes = sorted({size for fact in facts for size in fact.sizes})
    if len(genres) > 1:
        yield from ((GENRE, genre, of_task & items.of_genre(genre)) for genre in genres)
    if len(sizes) > 1:
        yield from ((SIZE, str(size), of_task & items.of_size(size)) for size in sizes)
