"""Where the key stands among the options: drawn evenly, and by nothing that a reader could learn."""

from collections.abc import Mapping, Sequence

from release.assembly.draws import Draw
from release.assembly.pieces import Piece

Cell = tuple[str, str, int]


def draw_orders(pieces: Sequence[Piece], splits: Sequence[str], seed: str) -> list[tuple[int, ...]]:
    """For each item the positions of its options in released order; `pieces` stand in content order.

    For each task, split and number of options the counts of keys over the positions differ by at most one;
    otherwise every arrangement is as likely. The wrong options come in an order of their own.
    """
    cells: dict[Cell, list[int]] = {}
    for index, (piece, split) in enumerate(zip(pieces, splits, strict=True)):
        cells.setdefault((piece.task, split, len(piece.options)), []).append(index)
    orders: dict[int, tuple[int, ...]] = {}
    for cell, indexes in sorted(cells.items()):
        orders |= _draw_cell(pieces, indexes, cell, seed)
    return [orders[index] for index in range(len(pieces))]


def _draw_cell(
    pieces: Sequence[Piece], indexes: Sequence[int], cell: Cell, seed: str
) -> Mapping[int, tuple[int, ...]]:
    name = "/".join(map(str, cell))
    positions = balanced_positions(len(indexes), cell[2], Draw(seed, f"keys/{name}"))
    others = Draw(seed, f"distractors/{name}")
    return {
        index: _order(pieces[index], position, others)
        for index, position in zip(indexes, positions, strict=True)
    }


def balanced_positions(count: int, choices: int, draw: Draw) -> list[int]:
    """`count` positions out of `choices`, each occurring as often as any other or once more."""
    rounds, rest = divmod(count, choices)
    extra = draw.shuffled(range(choices))[:rest]
    return draw.shuffled([*list(range(choices)) * rounds, *extra])


def _order(piece: Piece, position: int, draw: Draw) -> tuple[int, ...]:
    order = draw.shuffled(piece.distractors)
    return (*order[:position], piece.answer, *order[position:])
