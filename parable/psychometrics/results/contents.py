"""Contents of a set: number of items by task and split, and frequencies of commonsense types."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from parable.psychometrics.results.tables import Cell, Column, Kind, Row, Table, bare
from parable.splits import splits_among

ALL: Final = "all"


@dataclass(frozen=True, slots=True)
class Content:
    """An item's task, split and types, as needed for counting."""

    task: str
    split: str
    types: tuple[str, ...] = ()


def contents_table(items: Sequence[Content], tasks: Iterable[str]) -> Table:
    """Return the table of numbers of items by task and split, with totals."""
    rows = [(task, [one for one in items if one.task == task]) for task in tasks]
    named = [*rows, (ALL, items)] if items else []
    splits = splits_among(one.split for one in items)
    return Table(
        "contents",
        (Column("task", Kind.CODE), *_counts(splits)),
        tuple(Row((name, *_by_split(found, splits))) for name, found in named),
    )


def type_counts_table(items: Sequence[Content], types: Iterable[str]) -> Table:
    """Return the table of items by type and split, and each type's share of items and of labels.

    An item of two types counts in both, so the shares of items may add up to more than 100 per cent.
    """
    typed = [one for one in items if one.types]
    labels = sum(len(one.types) for one in typed)
    rows = []
    splits = splits_among(one.split for one in items)
    for kind in types:
        found = [one for one in typed if kind in one.types]
        shares = (bare(len(found) / len(typed)), bare(len(found) / labels))
        rows.append(Row((kind, *_by_split(found, splits), *shares)))
    columns = (Column("type", Kind.CODE), *_counts(splits))
    shares_of = (Column("share_of_items", Kind.SHARE), Column("share_of_labels", Kind.SHARE))
    params = {"items": len(typed), "labels": labels}
    return Table("type_counts", (*columns, *shares_of), tuple(rows), params)


def _counts(splits: Iterable[str]) -> Iterable[Column]:
    return [Column("count", Kind.COUNT, name) for name in (*splits, ALL)]


def _by_split(items: Sequence[Content], splits: Iterable[str]) -> list[Cell]:
    return [*(sum(one.split == split for one in items) for split in splits), len(items)]
