"""The paper's arithmetic: from the counts behind its tables our engine prints its figures."""

from typing import Any

import numpy as np
import pytest

from parable.commands.results.numbers import percent
from parable.psychometrics.results.accuracy import accuracy, error, score, style_difference
from parable.psychometrics.results.repeats import inconsistency
from parable.psychometrics.results.sheets import Answer, Items, ResponseColumns, make_sheet
from tests.parable.paper_matrix import OPTIONS, answers_of, items_of_paper, published


@pytest.fixture(scope="module")
def tables() -> dict[str, Any]:
    """Return what the paper printed."""
    return published()


@pytest.fixture(scope="module")
def items(tables: dict[str, Any]) -> Items:
    """Return items as the paper's test split has them."""
    return items_of_paper(tables)


@pytest.fixture(scope="module")
def sheets(tables: dict[str, Any], items: Items) -> dict[str, ResponseColumns]:
    """Return the ten models' answers."""
    return {
        model["model"]: make_sheet(model["model"], items, answers_of(model, items, tables))
        for model in tables["models"]
    }


def _printed(share: float | None) -> float:
    return float(percent(share))


def test_it_prints_the_papers_accuracies(
    tables: dict[str, Any], items: Items, sheets: dict[str, ResponseColumns]
) -> None:
    assert len(sheets) == 10
    for model in tables["models"]:
        for task in ("commonsense", "moral"):
            found = accuracy(sheets[model["model"]], items, items.of_task(task))
            assert found.items == tables["splits"][task]["test"]
            assert _printed(found.accuracy.value) == model[f"accuracy_{task}"]
        whole = 0.4 * model["accuracy_commonsense"] + 0.6 * model["accuracy_moral"]
        assert _printed(score(sheets[model["model"]], items).value) == pytest.approx(whole, abs=0.011)


def test_it_prints_the_papers_error_rates_with_several_types_an_item(
    tables: dict[str, Any], items: Items, sheets: dict[str, ResponseColumns]
) -> None:
    tags = {kind: int(items.of_type(kind).sum()) for kind in tables["test_tags_per_type"]}
    assert tags == tables["test_tags_per_type"]
    assert sum(tags.values()) == int(items.of_task("commonsense").sum()) + 100
    for model in tables["models"]:
        found = {
            kind: _printed(error(sheets[model["model"]], items, items.of_type(kind)).value) for kind in tags
        }
        assert found == model["error_by_type"]


def test_it_prints_the_papers_styles_and_how_wide_their_difference_is(
    tables: dict[str, Any], items: Items, sheets: dict[str, ResponseColumns]
) -> None:
    sheet = sheets["GLM-4"]
    moral = items.of_task("moral")
    for style, wanted in tables["style_accuracy"].items():
        assert _printed(accuracy(sheet, items, moral & items.of_style(style)).accuracy.value) == wanted
    found = style_difference(sheet, items, moral)
    assert found.value == pytest.approx(0.0524, abs=0.0005)
    assert found.low is not None
    assert found.high is not None
    assert (found.high - found.low) / 2 == pytest.approx(0.06, abs=0.015)


def test_it_prints_the_papers_inconsistency_of_two_repeats(tables: dict[str, Any], items: Items) -> None:
    for task, printed in tables["inconsistency"]["GLM-4"].items():
        chosen = items.of_task(task)
        wanted = round(printed * int(chosen.sum()) / 100)
        rows = np.flatnonzero(chosen)
        answers = [
            Answer(items.facts[row].id, "chosen", (repeat * (at < wanted)) % OPTIONS, repeat=repeat)
            for at, row in enumerate(rows)
            for repeat in (1, 2)
        ]
        found = inconsistency(make_sheet("GLM-4", items, answers), items, chosen)
        assert found is not None
        assert _printed(found.differ.value) == _printed(found.first_two.value) == printed
