"""Describes how published files represent a kind's items, and the statistics of a set."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from parable.kinds.question import Released


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """The published layouts of a kind, which `parable.formats` defines, with conversions and statistics.

    `layouts`: codes of the layouts that are read; the first is also written. `value` converts an item to a
    record of the layout; `fields` converts a record to fields of `ItemRecord`, or raises ValueError if its
    answer is none of its options. `count` returns the statistics of a set of records as a dataclass;
    `figures` has the names of its fields to display, in order.

    `file`: the published file name of a `split`; the split of a file without answers is `test_input`.
    `is_released`: whether releases include this layout besides our own; False if other layouts have other
    shapes. File names are part of a release's card, so they never change.
    """

    layouts: tuple[str, ...]
    value: Callable[[Released], Any]
    fields: Callable[[Any], Mapping[str, Any]]
    count: Callable[[Iterable[Any]], Any]
    figures: Mapping[str, str]
    is_released: bool = True
    file: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """A statistic of a set: its name (translated when displayed), and the role or number it is about."""

    name: str
    of: str
    value: float


def figures_of(published: Published, items: Iterable[Released]) -> list[Figure]:
    """Return the statistics of these items: one per field, or one per entry if the field is a mapping."""
    counts = published.count(map(published.value, items))
    found: list[Figure] = []
    for field, name in published.figures.items():
        value = getattr(counts, field)
        found += (
            [Figure(name, str(of), number) for of, number in value.items()]
            if isinstance(value, Mapping)
            else [Figure(name, "", value)]
        )
    return found
