"""Items of the extended release: the id, number, split and order that the new release keeps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from release.assembly.assembly_items import AssemblyItem
from release.assembly.draws import Draw


@dataclass(frozen=True, slots=True)
class EarlierItem:
    """An item as an earlier release has it: number, id, split and options."""

    number: int
    public_id: str
    split: str
    choices: tuple[str, ...]
    answer: int | None

    @classmethod
    def of(cls, number: int, public_id: str, split: str, record: Mapping[str, Any]) -> "EarlierItem":
        """Return the earlier item from the values of a frozen item."""
        return cls(number, public_id, split, tuple(record["choices"]), record.get("answer"))


def unchanged_order(item: AssemblyItem, unchanged: EarlierItem, seed: str) -> tuple[int, ...] | None:
    """Return the option positions in released order, or None if the number of options has changed.

    An unchanged option keeps its position, even if it is no longer the key: swapped options would reveal the
    old and the new key. New options get the free positions at random, except that a new key gets the old
    key's position if it is free.
    """
    if len(unchanged.choices) != len(item.options):
        return None
    stayed = {
        index: item.options.index(text)
        for index, text in enumerate(unchanged.choices)
        if text in item.options
    }
    free = [index for index in range(len(unchanged.choices)) if index not in stayed]
    new = _by_lot(item, sorted(set(range(len(item.options))) - set(stayed.values())), unchanged, seed)
    if (
        item.answer is not None
        and unchanged.answer is not None
        and item.answer in new
        and unchanged.answer in free
    ):
        here, there = new.index(item.answer), free.index(unchanged.answer)
        new[here], new[there] = new[there], new[here]
    at = stayed | dict(zip(free, new, strict=True))
    return tuple(at[index] for index in range(len(unchanged.choices)))


def _by_lot(item: AssemblyItem, positions: Sequence[int], unchanged: EarlierItem, seed: str) -> list[int]:
    """Return the positions in a random order that does not depend on the writer's order."""
    by_text = sorted(positions, key=item.options.__getitem__)
    return Draw(seed, f"mended/{unchanged.public_id}").shuffled(by_text)
