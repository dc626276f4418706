"""Queries that compare published figures with tables of results."""

from typing import Final

from core.errors import Hidden
from evaluation.models import Calibration, PublishedFigures, ResponseModel, ResultTables
from evaluation.queries.result_item import CellItems, cells_of, runs_by_name, runs_of
from parable.psychometrics.results.contents import ALL
from parable.psychometrics.results.replication import (
    Compared,
    Key,
    Published,
    compare,
    figures,
    keys_of,
)
from parable.psychometrics.results.tables import Column, Kind, Row, Table, bare

NEGATIVE: Final = "parameters__analysis__summary__negative__share"


def published_beside(results: ResultTables) -> PublishedFigures | None:
    """Return the published figures that these results are compared with, or None."""
    return PublishedFigures.objects.filter(results=results).select_related("made_by").first()


def comparison(results: ResultTables, published: PublishedFigures | None) -> list[Compared]:
    """Return each published figure with the corresponding figure of these results.

    Raise `Hidden` if `published` is None.
    """
    if published is None:
        raise Hidden
    return compare([Published(**one) for one in published.figures], _tables(results))


def cells(results: ResultTables) -> list[Key]:
    """Return the keys of all cells of the tables that can be compared with published figures."""
    return list(figures(_tables(results)))


def items_of_cells(results: ResultTables) -> dict[Key, CellItems]:
    """Return the items counted in each cell of the tables, by the key of the cell."""
    runs = runs_by_name(list(runs_of(results)))
    found: dict[Key, CellItems] = {}
    for table in _tables(results):
        for row in table.rows:
            named = zip(keys_of(table, row), cells_of(table, row, runs, results.rule), strict=True)
            for key, cell in named:
                if key is not None and cell is not None:
                    found.setdefault(key, cell)
    return found


def _tables(results: ResultTables) -> list[Table]:
    return [*(Table.from_json(kept) for kept in results.tables), *_calibrated(results)]


def _calibrated(results: ResultTables) -> list[Table]:
    """Return a table of the share of negative discriminations in the newest 3PL calibration.

    Return [] if there is none.
    """
    known = Calibration.objects.filter(release=results.release, model=ResponseModel.THREE)
    share = known.exclude(**{NEGATIVE: None}).order_by("-pk").values_list(NEGATIVE, flat=True).first()
    if share is None:
        return []
    columns = (Column("examinee", Kind.CODE), Column("negative_discrimination", Kind.SHARE))
    return [Table("calibration", columns, (Row((ALL, bare(share))),))]
