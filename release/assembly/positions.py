"""Key positions, drawn evenly and at random so that they give no clue to the key."""

from collections.abc import Mapping, Sequence
from typing import Final

from core.invariants import present
from release.assembly.assembly_items import AssemblyItem
from release.assembly.draws import Draw

Cell = tuple[str, str, int]


NOTHING: Final[Mapping[int, tuple[int, ...]]] = {}


def draw_orders(
    assembly_items: Sequence[AssemblyItem],
    splits: Sequence[str],
    seed: str,
    unchanged: Mapping[int, tuple[int, ...]] = NOTHING,
) -> list[tuple[int, ...]]:
    """Return the positions of each item's options in released order.

    The items must be in content order. For each task, split and number of options, the numbers of keys at the
    positions differ by at most one; otherwise every arrangement is equally likely. Distractors are shuffled
    separately. `unchanged` has fixed orders by item index; new orders compensate for them as far as possible.
    Items with a fixed order (`in_order`) keep it, and their keys do not count. Options of items without a
    single key are shuffled.
    """
    cells: dict[Cell, list[int]] = {}
    loose: dict[tuple[str, str], list[int]] = {}
    orders = {index: item.in_order for index, item in enumerate(assembly_items) if item.in_order} | dict(
        unchanged
    )
    for index, (item, split) in enumerate(zip(assembly_items, splits, strict=True)):
        if item.in_order:
            continue
        if item.record.answer is None:
            loose.setdefault((item.record.task, split), []).append(index)
            continue
        cells.setdefault((item.record.task, split, len(item.record.choices)), []).append(index)
    for cell, indexes in sorted(cells.items()):
        held = [0] * cell[2]
        for index in indexes:
            if index in unchanged:
                held[_place_of_key(assembly_items[index], unchanged[index])] += 1
        free = [index for index in indexes if index not in unchanged]
        orders |= _draw_cell(assembly_items, free, cell, seed, held)
    for name, indexes in sorted(loose.items()):
        draw = Draw(seed, f"options/{'/'.join(name)}")
        for index in indexes:
            if index not in unchanged:
                orders[index] = tuple(draw.shuffled(assembly_items[index].distractors))
    return [orders[index] for index in range(len(assembly_items))]


def _place_of_key(item: AssemblyItem, order: tuple[int, ...]) -> int:
    return order.index(present(item.record.answer, "only items with one key are in a cell"))


def _draw_cell(
    assembly_items: Sequence[AssemblyItem], indexes: Sequence[int], cell: Cell, seed: str, held: Sequence[int]
) -> Mapping[int, tuple[int, ...]]:
    name = "/".join(map(str, cell))
    positions = balanced_positions(len(indexes), held, Draw(seed, f"keys/{name}"))
    others = Draw(seed, f"distractors/{name}")
    return {
        index: _order(assembly_items[index], position, others)
        for index, position in zip(indexes, positions, strict=True)
    }


def balanced_positions(count: int, held: Sequence[int], draw: Draw) -> list[int]:
    """Return `count` key positions that, added to `held`, make all counts as equal as possible."""
    totals, wanted = list(held), [0] * len(held)
    extra = draw.shuffled(range(len(held)))
    for _one in range(count):
        position = min(extra, key=totals.__getitem__)
        totals[position] += 1
        wanted[position] += 1
    rounds = min(wanted)
    rest = [position for position in extra for _one in range(wanted[position] - rounds)]
    return draw.shuffled([*list(range(len(held))) * rounds, *rest])


def _order(item: AssemblyItem, position: int, draw: Draw) -> tuple[int, ...]:
    order = draw.shuffled(item.distractors)
    key = present(item.record.answer, "only items with one key are in a cell")
    return (*order[:position], key, *order[position:])
