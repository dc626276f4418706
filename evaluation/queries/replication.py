"""Published figures beside the tables of some runs. Reads only."""

from core.errors import Hidden
from evaluation.models import PublishedFigures, ResultTables
from parable.psychometrics.results.replication import (
    Compared,
    Key,
    Published,
    compare,
    figures,
)
from parable.psychometrics.results.tables import Table


def published_beside(results: ResultTables) -> PublishedFigures | None:
    """What was published, or none."""
    return PublishedFigures.objects.filter(results=results).select_related("made_by").first()


def comparison(results: ResultTables, published: PublishedFigures | None) -> list[Compared]:
    """Each published figure beside ours; raises `Hidden` where there are none."""
    if published is None:
        raise Hidden
    return compare([Published(**one) for one in published.figures], _tables(results))


def cells(results: ResultTables) -> list[Key]:
    """Every cell of the tables that can be compared."""
    return list(figures(_tables(results)))


def _tables(results: ResultTables) -> list[Table]:
    return [Table.from_json(kept) for kept in results.tables]
