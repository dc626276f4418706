"""Where the key stands among the options: drawn evenly, and by nothing that a reader could learn."""

from collections.abc import Mapping, Sequence
from typing import Final

from core.invariants import present
from release.assembly.draws import Draw
from release.assembly.pieces import AssemblyItem

Cell = tuple[str, str, int]


NOTHING: Final[Mapping[int, tuple[int, ...]]] = {}


def draw_orders(
    pieces: Sequence[AssemblyItem],
    splits: Sequence[str],
    seed: str,
    kept: Mapping[int, tuple[int, ...]] = NOTHING,
) -> list[tuple[int, ...]]:
    """For each item the positions of its options in released order; `pieces` are in content order.

    For each task, split and number of options the counts of keys over the positions differ by at most one;
    otherwise every arrangement is as likely. The wrong options come in an order of their own. Orders that
    are `kept`, by index, stay; the others make up for them as far as they can. Options that are in an order
    stay in it: where their key stands follows from that, so that they are no part of the counts. Nor are
    those without one key: their options come in any order, each as likely as another.
    """
    cells: dict[Cell, list[int]] = {}
    loose: dict[tuple[str, str], list[int]] = {}
    orders = {index: piece.in_order for index, piece in enumerate(pieces) if piece.in_order} | dict(kept)
    for index, (piece, split) in enumerate(zip(pieces, splits, strict=True)):
        if piece.in_order:
            continue
        if piece.answer is None:
            loose.setdefault((piece.task, split), []).append(index)
            continue
        cells.setdefault((piece.task, split, len(piece.options)), []).append(index)
    for cell, indexes in sorted(cells.items()):
        held = [0] * cell[2]
        for index in indexes:
            if index in kept:
                held[_place_of_key(pieces[index], kept[index])] += 1
        free = [index for index in indexes if index not in kept]
        orders |= _draw_cell(pieces, free, cell, seed, held)
    for name, indexes in sorted(loose.items()):
        draw = Draw(seed, f"options/{'/'.join(name)}")
        for index in indexes:
            if index not in kept:
                orders[index] = tuple(draw.shuffled(pieces[index].distractors))
    return [orders[index] for index in range(len(pieces))]


def _place_of_key(piece: AssemblyItem, order: tuple[int, ...]) -> int:
    return order.index(present(piece.answer, "only items with one key are in a cell"))


def _draw_cell(
    pieces: Sequence[AssemblyItem], indexes: Sequence[int], cell: Cell, seed: str, held: Sequence[int]
) -> Mapping[int, tuple[int, ...]]:
    name = "/".join(map(str, cell))
    positions = balanced_positions(len(indexes), held, Draw(seed, f"keys/{name}"))
    others = Draw(seed, f"distractors/{name}")
    return {
        index: _order(pieces[index], position, others)
        for index, position in zip(indexes, positions, strict=True)
    }


def balanced_positions(count: int, held: Sequence[int], draw: Draw) -> list[int]:
    """`count` positions which, with those `held` already, occur as equally often as can be."""
    totals, wanted = list(held), [0] * len(held)
    extra = draw.shuffled(range(len(held)))
    for _one in range(count):
        position = min(extra, key=totals.__getitem__)
        totals[position] += 1
        wanted[position] += 1
    rounds = min(wanted)
    rest = [position for position in extra for _one in range(wanted[position] - rounds)]
    return draw.shuffled([*list(range(len(held))) * rounds, *rest])


def _order(piece: AssemblyItem, position: int, draw: Draw) -> tuple[int, ...]:
    order = draw.shuffled(piece.distractors)
    key = present(piece.answer, "only items with one key are in a cell")
    return (*order[:position], key, *order[position:])
