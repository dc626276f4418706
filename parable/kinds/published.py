"""Representation of a kind's items in published files, and the statistics of a set."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from parable.kinds.question import Released


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """The published layouts of a kind, which `parable.formats` defines, with conversions and statistics.

    `layouts`: the codes of those that are read, the first is the one that is written. `value`: an item as a
    record of them; `fields`: what a record says of an item, by the names of `ItemRecord`. `count`: what a set
    of records comes to, a dataclass of figures, of which `figures` names those that are shown, in order.

    `file`: what the file of a `split` is called there; of one without answers the split is `test_input`.
    `is_released`: a release has its items in that layout beside our own; not where others have other shapes.

    These names are part of the bytes of a release's card: a name that has been released never changes.
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
    """A statistic of a set: its name, which is translated on display, and the role or number `of` it."""

    name: str
    of: str
    value: float


def figures_of(published: Published, items: Iterable[Released]) -> list[Figure]:
    """Return the statistics of these items, one for each name, or for each entry of a mapping."""
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
