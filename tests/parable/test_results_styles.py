"""Human against machine style: examinees, and people who answered in review before there was a release."""

from typing import Any, Final

import pytest

from parable.commands.results.layouts import LAYOUTS, about, cells
from parable.commands.results.plots import plot
from parable.psychometrics.results.evaluation import make_tables
from parable.psychometrics.results.sheets import Answer, ItemFact, Items, make_sheet
from parable.psychometrics.results.tables import PEOPLE, REVIEWERS, Table

ITEMS: Final = Items(
    ItemFact(f"{style}{number}", "moral", f"s{number}", number % 4, 4, style=style)
    for style in ("human", "machine")
    for number in range(20)
)
REVIEWED: Final[dict[str, Any]] = {
    "moral": {
        "human": {"value": 0.6947, "low": 0.64, "high": 0.74, "n": 357},
        "machine": {"value": 0.6423, "low": 0.6, "high": 0.68, "n": 699},
        "difference": {"value": 0.0524, "low": -0.01, "high": 0.11, "n": 1056},
    }
}


def _styles(reviewed: dict[str, Any]) -> Table:
    sheet = make_sheet("glm-4", ITEMS, [Answer(one.id, "chosen", 0) for one in ITEMS.facts])
    return next(one for one in make_tables(ITEMS, [sheet], reviewed=reviewed) if one.code == "styles")


def test_it_shows_reviewers_in_a_row_of_their_own_with_n_and_intervals() -> None:
    table = _styles(REVIEWED)
    assert [(row.cells[0], row.kind) for row in table.rows] == [("glm-4", "model"), (REVIEWERS, PEOPLE)]
    said = list(map(str, cells(table, table.rows[1], "en")))
    assert said == [
        "Reviewers, blind (people)",
        "Moral",
        "69.47 [64.00, 74.00]",
        "64.23 [60.00, 68.00]",
        "+5.24 [-1.00, 11.00]",
    ]
    assert "n = 357 answers in human style, 699 in machine style" in about(table, "en")
    assert Table.from_json(table.as_json()) == table
    for layout in LAYOUTS.values():
        assert layout(table, "zh")
    assert plot(table, "en")


@pytest.mark.parametrize("reviewed", [{}, {"moral": {**REVIEWED["moral"], "difference": {"value": None}}}])
def test_it_has_no_such_row_unless_both_styles_were_answered_blind(reviewed: dict[str, Any]) -> None:
    table = _styles(reviewed)
    assert [row.cells[0] for row in table.rows] == ["glm-4"]
    assert "Reviewers" not in about(table, "en")
