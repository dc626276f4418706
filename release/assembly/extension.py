"""The option order of an item that is also in the extended release."""

from collections.abc import Sequence

from release.assembly.assembly_items import AssemblyItem
from release.assembly.draws import Draw
from release.assembly.records import FrozenItem


def unchanged_order(item: AssemblyItem, unchanged: FrozenItem, seed: str) -> tuple[int, ...] | None:
    """Return the option positions in released order, or None if the number of options has changed.

    An unchanged option keeps its position, even if it is no longer the key: swapped options would reveal the
    old and the new key. New options get the free positions at random, but a new key gets the position of the
    old key if that is free.
    """
    options, earlier = item.record.choices, unchanged.record["choices"]
    if len(earlier) != len(options):
        return None
    stayed = {index: options.index(text) for index, text in enumerate(earlier) if text in options}
    free = [index for index in range(len(earlier)) if index not in stayed]
    new = _by_lot(item, sorted(set(range(len(options))) - set(stayed.values())), unchanged, seed)
    key, earlier_key = item.record.answer, unchanged.record.get("answer")
    if key is not None and earlier_key is not None and key in new and earlier_key in free:
        here, there = new.index(key), free.index(earlier_key)
        new[here], new[there] = new[there], new[here]
    at = stayed | dict(zip(free, new, strict=True))
    return tuple(at[index] for index in range(len(earlier)))


def _by_lot(item: AssemblyItem, positions: Sequence[int], unchanged: FrozenItem, seed: str) -> list[int]:
    """Return the positions in random order. The order given by the writer has no influence."""
    by_text = sorted(positions, key=item.record.choices.__getitem__)
    return Draw(seed, f"mended/{unchanged.public_id}").shuffled(by_text)
