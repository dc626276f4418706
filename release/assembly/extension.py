"""What a release that extends another one keeps of it: id, number, split, and where each option stands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from release.assembly.draws import Draw
from release.assembly.pieces import AssemblyItem


@dataclass(frozen=True, slots=True)
class Kept:
    """An item's place in an earlier release, and its options as they were there."""

    number: int
    public_id: str
    split: str
    choices: tuple[str, ...]
    answer: int | None

    @classmethod
    def of(cls, number: int, public_id: str, split: str, record: Mapping[str, Any]) -> "Kept":
        """The place of a frozen item."""
        return cls(number, public_id, split, tuple(record["choices"]), record.get("answer"))


def kept_order(piece: AssemblyItem, kept: Kept, seed: str) -> tuple[int, ...] | None:
    """The positions of the options in released order; none where their number has changed.

    A wording that stays, stays where it was, even if it is the key no longer: two options that changed
    places would reveal which was the key and which is. New wordings take the places that are free: the key
    that of the old key if it is among them, the others by lot.
    """
    if len(kept.choices) != len(piece.options):
        return None
    stayed = {
        place: piece.options.index(text) for place, text in enumerate(kept.choices) if text in piece.options
    }
    free = [place for place in range(len(kept.choices)) if place not in stayed]
    new = _by_lot(piece, sorted(set(range(len(piece.options))) - set(stayed.values())), kept, seed)
    if piece.answer is not None and kept.answer is not None and piece.answer in new and kept.answer in free:
        here, there = new.index(piece.answer), free.index(kept.answer)
        new[here], new[there] = new[there], new[here]
    at = stayed | dict(zip(free, new, strict=True))
    return tuple(at[place] for place in range(len(kept.choices)))


def _by_lot(piece: AssemblyItem, positions: Sequence[int], kept: Kept, seed: str) -> list[int]:
    """The positions in a drawn order that nothing of the writer's reveals."""
    by_text = sorted(positions, key=piece.options.__getitem__)
    return Draw(seed, f"mended/{kept.public_id}").shuffled(by_text)
