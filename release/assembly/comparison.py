"""Comparison of two releases of a project: added, retired, reworded and moved items. Pure functions."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from parable.formats.options import letter
from release.assembly.records import FrozenItem, right_letters, right_words

CHANGES: Final = ("reworded", "moved", "added", "retired")
"""The kinds of changes: the names of the fields of `Comparison`."""
TEXTS: Final = ("title", "story", "question", "explanation")


@dataclass(frozen=True, slots=True)
class Changed:
    """An item and its changes, each as (name, before, after).

    The changes of a reworded item are texts; those of a moved item are id, split, key letter or option order.
    """

    item: FrozenItem
    changes: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The differences between two releases. `same` counts the items neither reworded nor moved."""

    same: int
    added: tuple[FrozenItem, ...]
    retired: tuple[FrozenItem, ...]
    reworded: tuple[Changed, ...]
    moved: tuple[Changed, ...]

    def handles(self) -> dict[str, list[int]]:
        """Return the handles of the items by kind of change, in released order."""
        return {
            "reworded": [one.item.handle for one in self.reworded],
            "moved": [one.item.handle for one in self.moved],
            "added": [item.handle for item in self.added],
            "retired": [item.handle for item in self.retired],
        }

    def as_json(self) -> dict[str, object]:
        """Return the ids of the changed items by kind of change, without texts."""
        return {
            "same": self.same,
            "added": [item.public_id for item in self.added],
            "retired": [item.public_id for item in self.retired],
            "reworded": [
                {"id": one.item.public_id, "fields": [name for name, _old, _new in one.changes]}
                for one in self.reworded
            ],
            "moved": [
                {"id": one.item.public_id, **{name: [old, new] for name, old, new in one.changes}}
                for one in self.moved
            ],
        }


def compare(before: Mapping[int, FrozenItem], after: Mapping[int, FrozenItem]) -> Comparison:
    """Compare two releases. `before` and `after` have the items by handle, ordered by number."""
    both = [(before[handle], item) for handle, item in after.items() if handle in before]
    reworded = [Changed(new, tuple(_texts(old, new))) for old, new in both]
    moved = [Changed(new, tuple(_places(old, new))) for old, new in both]
    same = sum(not read.changes and not place.changes for read, place in zip(reworded, moved, strict=True))
    return Comparison(
        same=same,
        added=tuple(item for handle, item in after.items() if handle not in before),
        retired=tuple(item for handle, item in before.items() if handle not in after),
        reworded=tuple(one for one in reworded if one.changes),
        moved=tuple(one for one in moved if one.changes),
    )


def _texts(old: FrozenItem, new: FrozenItem) -> Iterator[tuple[str, str, str]]:
    for name in TEXTS:
        if old.record[name] != new.record[name]:
            yield name, old.record[name] or "", new.record[name] or ""
    gone = [text for text in old.record["choices"] if text not in new.record["choices"]]
    come = [text for text in new.record["choices"] if text not in old.record["choices"]]
    for index in range(max(len(gone), len(come))):
        was, now = (side[index] if index < len(side) else "" for side in (gone, come))
        yield "choices", was, now
    keys = [right_words(item.record) for item in (old, new)]
    if keys[0] != keys[1]:
        yield "answer", keys[0], keys[1]
    if old.record["types"] != new.record["types"]:
        yield "types", ", ".join(old.record["types"]), ", ".join(new.record["types"])


def _places(old: FrozenItem, new: FrozenItem) -> Iterator[tuple[str, str, str]]:
    letters = [right_letters(item.record) for item in (old, new)]
    pairs = {"ids": (old.public_id, new.public_id), "split": (old.split, new.split), "key": tuple(letters)}
    for name, (was, now) in pairs.items():
        if was != now:
            yield name, was, now
    was, now = (_order(item, old, new) for item in (old, new))
    if was != now:
        yield "order", was, now


def _order(item: FrozenItem, old: FrozenItem, new: FrozenItem) -> str:
    """Return the letters in `old` of the options that both releases have, in the order of `item`."""
    shared = [
        text
        for text in item.record["choices"]
        if text in old.record["choices"] and text in new.record["choices"]
    ]
    return "".join(letter(old.record["choices"].index(text)) for text in shared)
