"""Models that were asked different items: said so, and not ranked against each other."""

from __future__ import annotations

import numpy as np
import pytest

from parable.commands.results.layouts import LAYOUTS, about, cells
from parable.commands.results.plots import plots
from parable.psychometrics.results.evaluation import ACROSS_ITEMS, make_tables
from parable.psychometrics.results.sheets import Answer, ItemFact, Items, ResponseColumns, make_sheet
from parable.psychometrics.results.tables import Table

DEV, TEST = range(20), range(20, 60)
ITEMS = Items(ItemFact(f"i{number}", "moral", f"s{number // 4}", number % 4, 4) for number in range(60))


def tables(asked: dict[str, range]) -> dict[str, Table]:
    """The tables of models that each answered some of the items, with the accuracies 0.4, 0.5 and so on."""
    rng = np.random.default_rng(3)
    sheets: list[ResponseColumns] = []
    for index, (name, of_items) in enumerate(asked.items()):
        right = rng.random(60) < 0.4 + 0.1 * index
        answers = [Answer(f"i{number}", "chosen", (number + (not right[number])) % 4) for number in of_items]
        sheets.append(make_sheet(name, ITEMS, answers))
    return {table.code: table for table in make_tables(ITEMS, sheets)}


def test_models_of_two_splits_are_said_to_differ_in_items_and_have_no_ranks_together() -> None:
    found = tables({"a": TEST, "b": TEST, "c": TEST, "only dev": DEV})
    ranks = {str(row.cells[0]): row.cells[3:] for row in found["ranks"].rows}
    assert ranks["only dev"] == (None, None, None)
    assert sorted(ranks[name][0] for name in "abc") == [1, 2, 3]  # type: ignore[type-var]  # numbers
    assert sorted(ranks[name][2] for name in "abc") == [1, 2, 3]  # type: ignore[type-var]  # numbers
    assert {row.cells[:2] for row in found["neighbours"].rows} == {("c", "b"), ("b", "a")}
    assert not any("only dev" in row.cells[:2] for row in found["pairs"].rows)
    for code in ACROSS_ITEMS:
        if code in found:
            assert "Moral, only dev: 20 of 60 items" in about(found[code], "en")
            assert "only dev" in about(found[code], "zh")
            assert about(found[code], "zh") != about(found[code], "en")
    for layout in LAYOUTS.values():
        assert layout(found["ranks"], "zh")
    assert plots(found["ranks"], "en")
    assert str(cells(found["ranks"], found["ranks"].rows[-1], "en")[-1]) == "–"
    assert Table.from_json(found["accuracy"].as_json()) == found["accuracy"]


def test_models_whose_items_overlap_have_abilities_and_no_ranks_by_accuracy() -> None:
    found = tables({"a": range(40), "b": range(40), "c": range(20, 60)})
    ranks = {str(row.cells[0]): row.cells[3:] for row in found["ranks"].rows}
    assert ranks["c"][0] is None
    assert None not in {ranks[name][0] for name in "ab"}
    assert sorted(ranks[name][2] for name in "abc") == [1, 2, 3]  # type: ignore[type-var]  # numbers


def test_two_models_without_a_common_item_are_no_neighbours() -> None:
    found = tables({"a": TEST, "b": DEV})
    assert "neighbours" not in found
    assert "pairs" not in found


@pytest.mark.parametrize("language", ["en", "zh"])
def test_models_with_the_same_items_are_compared_without_a_word(language: str) -> None:
    found = tables({"a": TEST, "b": TEST, "c": TEST})
    assert "of 60" not in about(found["accuracy"], language)
    assert [row.cells[3] for row in found["ranks"].rows if str(row.cells[0]) in "abc"].count(None) == 0
