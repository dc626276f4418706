"""Definition of how published files represent a kind's items, and which statistics are computed."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from parable.kinds.question import Released


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """The published layouts of a kind, which `parable.formats` defines, with conversions and statistics.

    `layouts`: codes of the layouts that can be read; the first can also be written. `value` converts an item
    to a record of the layout; `fields` converts a record to fields of `ItemRecord`, or raises ValueError if
    the answer is not one of the options. `count` returns the statistics of a set of records as a dataclass;
    `figures` maps the fields to display, in order, to their names.

    `file`: the published file name of a `split`; the split of a file without answers is `test_input`.
    `is_released`: whether releases include this layout besides Parable's; False if other layouts have other
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
    """A statistic of a set: its name, the role or number that it counts (or ""), and its value.

    The name is translated when it is displayed.
    """

    name: str
    of: str
    value: float


def figures_of(published: Published, items: Iterable[Released]) -> list[Figure]:
    """Return the statistics of these items; a field that is a mapping gives one `Figure` per entry."""
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
