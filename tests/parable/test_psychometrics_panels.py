"""Agreement of panels: kappa of pairs and of all, against reference libraries and published figures."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from parable.psychometrics.agreement import (
    cohen_kappa,
    fleiss_kappa,
    pair_agreement,
    panel_agreement,
    weight_matrix,
)
from parable.psychometrics.results.evaluation import make_tables
from parable.psychometrics.results.panels import LEAST_ITEMS, MOST_PEOPLE
from parable.psychometrics.results.sheets import PEOPLE, Answer, ItemFact, Items, make_sheet
from parable.psychometrics.results.tables import Table
from tests.parable.test_psychometrics_agreement import FOUR_OBSERVERS, counts_of

# The worked example of Wikipedia's “Fleiss' kappa”: fourteen raters, ten subjects, five categories.
FOURTEEN_RATERS = np.array(
    [
        [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
    ]
)  # fmt: skip


def test_it_gives_the_fleiss_kappa_of_a_published_worked_example() -> None:
    assert fleiss_kappa(FOURTEEN_RATERS) == pytest.approx(0.210, abs=0.0005)


def test_it_gives_the_fleiss_kappa_of_gwets_package_for_four_raters_with_gaps() -> None:
    """IrrCAC 1.0, fleiss.kappa.raw(cac.raw4raters): 0.7611693."""
    assert fleiss_kappa(counts_of(FOUR_OBSERVERS, 5)) == pytest.approx(0.7611693, abs=1e-6)


LABELS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=40)


@given(LABELS)
def test_a_pairs_kappa_is_that_of_scikit_learn(rated: list[tuple[int, int]]) -> None:
    first, second = zip(*rated, strict=True)
    assume(len({*first, *second}) > 1)
    found = pair_agreement(first, second, range(len(rated)), categories=4, weights="identity", least=1)
    assert found.kappa.value == pytest.approx(cohen_kappa_score(first, second))
    assert found.raw.value == pytest.approx(np.mean(np.equal(first, second)))


def test_the_kappa_that_epic_prints_is_of_right_and_wrong_answers() -> None:
    """From 68 % right and 75 % agreeing follows 0.42 of right or wrong; of five options it is near 0.69."""
    both_right = 0.68 - 0.25 / 2
    table = np.array([[both_right, 0.125], [0.125, 1 - both_right - 0.25]])
    assert cohen_kappa(table, weight_matrix(2, "identity")) == pytest.approx(0.42, abs=0.006)


def test_all_people_and_each_pair_over_the_items_that_both_answered() -> None:
    choices = np.array([[0, 1, 2, 0, 1, 2, 0, -1], [0, 1, 2, 0, 1, 1, -1, 0], [0, 1, 1, 0, 1, 2, 0, 0]])
    found = panel_agreement(choices, range(8), categories=3, least=2)
    assert {pair: one.n for pair, one in found.pairs.items()} == {(0, 1): 6, (0, 2): 7, (1, 2): 7}
    for (one, other), pair in found.pairs.items():
        both = (choices[one] >= 0) & (choices[other] >= 0)
        assert pair.kappa.value == pytest.approx(cohen_kappa_score(choices[one][both], choices[other][both]))
    kappas = [pair.kappa.value or 0 for pair in found.pairs.values()]
    assert found.light.value == pytest.approx(np.mean(kappas))
    counts = np.stack([(choices == one).sum(axis=0) for one in range(3)], axis=1)
    assert found.fleiss.kappa.value == pytest.approx(fleiss_kappa(counts))
    for estimate in (found.light, found.fleiss.kappa, found.fleiss.raw):
        low, value, high = estimate.low, estimate.value, estimate.high
        assert low is not None
        assert value is not None
        assert high is not None
        assert low < value < high


def test_too_few_common_items_have_no_kappa() -> None:
    found = panel_agreement([[0, 1, -1], [-1, 1, 0]], range(3), categories=2, least=2)
    assert found.pairs[0, 1].kappa.value is None
    assert found.light.value is None
    assert panel_agreement([[0, -1], [-1, 0]], range(2), categories=2, least=2).pairs == {}


ITEMS = Items(
    ItemFact(f"i{number}", "proverb_choice", f"s{number}", key=number % 5, options=5) for number in range(20)
)


def panel(people: int, *, kind: str = PEOPLE) -> Table | None:
    answers = []
    for person in range(1, people + 1):
        for at, fact in enumerate(ITEMS.facts):
            if person == 2 and at >= 12:
                continue
            choice = (fact.key + (at * person) % 7 // 6) % 5
            answers.append(
                Answer(fact.id, "unparsed", repeat=person)
                if at == 3 and person == 1
                else Answer(fact.id, "chosen", choice, choice, repeat=person)
            )
    sheet = make_sheet("Panel", ITEMS, answers, kind=kind)
    return next((table for table in make_tables(ITEMS, [sheet]) if table.code == "panel"), None)


def test_the_table_has_all_the_mean_of_pairs_and_each_pair_of_choices_and_of_right_and_wrong() -> None:
    table = panel(3)
    assert table is not None
    named = [row.cells[1:6] for row in table.rows]
    of_choices = [
        ("proverb_choice", "choices", "fleiss", "3", 20),
        ("proverb_choice", "choices", "light", "3", 20),
        ("proverb_choice", "choices", "cohen", "1 · 2", 12),
        ("proverb_choice", "choices", "cohen", "1 · 3", 20),
        ("proverb_choice", "choices", "cohen", "2 · 3", 12),
    ]
    assert named == of_choices + [(one[0], "correctness", *one[2:]) for one in of_choices]
    assert all(isinstance(row.cells[7], float) for row in table.rows)
    assert Table.from_json(table.as_json()) == table


def test_only_people_who_share_items_have_the_table() -> None:
    assert panel(1) is None
    assert panel(3, kind="model") is None


def test_it_compares_those_with_most_answers_where_there_are_many() -> None:
    table = panel(MOST_PEOPLE + 1)
    assert table is not None
    assert table.rows[0].cells[4] == str(MOST_PEOPLE)
    assert not [row for row in table.rows if "2 · 3" in str(row.cells[4])], "person 2 has the fewest answers"
    assert table.params["least"] == LEAST_ITEMS
