"""How a release is put together: plain values in, plain values out, the same for the same seed. Pure."""

from collections.abc import Iterable
from fractions import Fraction

from release.assembly.pieces import (
    DEV,
    SPLITS,
    TEST,
    Cells,
    Piece,
    Placed,
    by_content,
    count_positions,
    count_splits,
)
from release.assembly.positions import draw_orders
from release.assembly.splits import BY_ITEM, BY_STORY, RULES, draw_splits

__all__ = [
    "BY_ITEM",
    "BY_STORY",
    "DEV",
    "RULES",
    "SPLITS",
    "TEST",
    "Cells",
    "Piece",
    "Placed",
    "assemble",
    "count_positions",
    "count_splits",
]


def assemble(pieces: Iterable[Piece], *, rule: str, share: Fraction, seed: str) -> list[Placed]:
    """Give every item its number, split and order of options, each once, in content order.

    The same items and seed give the same places, whatever order the items come in.
    """
    ordered = by_content(pieces)
    splits = draw_splits(ordered, rule=rule, share=share, seed=seed)
    orders = draw_orders(ordered, splits, seed)
    return [
        Placed(piece, number, split, order)
        for number, (piece, split, order) in enumerate(zip(ordered, splits, orders, strict=True), start=1)
    ]
