"""Agreement against published examples and figures worked out by hand."""

import math

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, t

from parable.psychometrics.agreement import (
    FIGURES,
    NO_VARIANCE,
    NOT_TWICE,
    TOO_FEW,
    agreement,
    cohen_kappa,
    contingency,
    gwet_ac2,
    ordinal_alpha,
    pair_agreement,
    raw_agreement,
    weight_matrix,
)
from parable.psychometrics.bootstrap import cluster_interval, wilson_interval
from parable.psychometrics.jackknife import jackknife_interval

# Krippendorff (2011), section C: four observers, twelve units, five values, with gaps.
FOUR_OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
    [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
]
# Gwet's own package irrCAC, set cont3x3abstractors: two abstractors, 100 women, by kind of pregnancy.
TWO_ABSTRACTORS = np.array([[13.0, 0, 0], [0, 20, 7], [0, 4, 56]])
# Cohen (1960) and (1968): two judges, 200 patients, in percent.
TWO_JUDGES = np.array([[0.44, 0.07, 0.09], [0.05, 0.20, 0.05], [0.01, 0.03, 0.06]])


def counts_of(columns: list[list[int]], categories: int) -> np.ndarray:
    return np.array(
        [
            [list(unit).count(value) for value in range(1, categories + 1)]
            for unit in zip(*columns, strict=True)
        ]
    )


def units_of(table: np.ndarray) -> np.ndarray:
    rows = []
    for first in range(len(table)):
        for second in range(len(table)):
            unit = [0] * len(table)
            unit[first] += 1
            unit[second] += 1
            rows += [unit] * round(table[first, second])
    return np.array(rows)


def test_it_gives_the_ordinal_alpha_that_krippendorff_publishes() -> None:
    assert ordinal_alpha(counts_of(FOUR_OBSERVERS, 5)) == pytest.approx(0.815, abs=0.0005)


def test_it_gives_the_ac1_and_the_agreement_that_gwet_publishes_for_four_raters_with_gaps() -> None:
    counts = counts_of(FOUR_OBSERVERS, 5)
    assert gwet_ac2(counts, "identity") == pytest.approx(0.77544, abs=0.00001)
    assert raw_agreement(counts) == pytest.approx(0.81818, abs=0.00001)


def test_it_gives_the_figures_that_gwet_publishes_for_two_abstractors() -> None:
    counts = units_of(TWO_ABSTRACTORS)
    assert raw_agreement(counts) == pytest.approx(0.89)
    assert gwet_ac2(counts, "identity") == pytest.approx(0.8493305, abs=1e-7)
    assert cohen_kappa(TWO_ABSTRACTORS, weight_matrix(3, "identity")) == pytest.approx(0.7964094, abs=1e-7)


def test_it_gives_the_kappas_that_cohen_publishes() -> None:
    assert cohen_kappa(TWO_JUDGES, weight_matrix(3, "identity")) == pytest.approx(0.492, abs=0.0005)
    disagreement = np.array([[0.0, 1, 3], [1, 0, 6], [3, 6, 0]])
    assert cohen_kappa(TWO_JUDGES, 1 - disagreement / 6) == pytest.approx(0.348, abs=0.0005)


def test_it_gives_the_ac2_worked_out_by_hand() -> None:
    """Four items: 2+2, 1+2, 0+1, 2+2. Weights 1, 2/3, 0; observed (1 + 2/3 + 2/3 + 1) / 4 = 5/6.

    Shares 1/8, 2/8, 5/8, so that the sum of p (1 - p) is 34/64; the weights sum to 17/3, over q (q - 1) = 6:
    chance 17/18 x 34/64 = 0.501736.
    """
    counts = np.array([[0, 0, 2], [0, 1, 1], [1, 1, 0], [0, 0, 2]])
    chance = (3 + 4 * 2 / 3) / 6 * 34 / 64
    assert gwet_ac2(counts) == pytest.approx((5 / 6 - chance) / (1 - chance))


def test_it_gives_the_quadratic_kappa_worked_out_by_hand() -> None:
    """Ratings (0,0), (0,1), (2,2), (2,1): disagreement 2 x 1/4 of 4, by chance 6 of 16."""
    table = contingency(np.array([0, 0, 2, 2]), np.array([0, 1, 2, 1]), 3)
    observed = (0.25 + 0.25) / 4
    expected = (2 * 2 * 0.25 + 2 * 1 * 1 + 2 * 1 * 1 + 2 * 2 * 0.25) / 16
    assert cohen_kappa(table, weight_matrix(3, "quadratic")) == pytest.approx(1 - observed / expected)


@pytest.mark.parametrize(
    ("weighting", "middle"), [("identity", 0.0), ("linear", 0.5), ("quadratic", 0.75), ("ordinal", 2 / 3)]
)
def test_its_weights_are_those_of_the_handbook(weighting: str, middle: float) -> None:
    expected = [[1, middle, 0], [middle, 1, middle], [0, middle, 1]]
    assert weight_matrix(3, weighting) == pytest.approx(np.array(expected))  # type: ignore[arg-type]  # a table


def test_it_explains_where_there_is_one_reviewer_only() -> None:
    found = agreement(np.array([[1, 0, 0], [0, 0, 1]]), [1, 2])
    assert (found.units, found.ratings, found.rated_twice) == (2, 2, 0)
    assert {found.figures["raw"].reason, found.figures["alpha"].reason, found.figures["ac2"].reason} == {
        NOT_TWICE
    }
    assert found.figures["raw"].value is None
    assert found.shares == (0.5, 0.0, 0.5)


def test_it_gives_no_coefficient_below_fifty_but_the_raw_agreement() -> None:
    found = agreement(np.array([[0, 0, 2], [0, 1, 1]] * 10), list(range(20)))
    assert found.figures["raw"].value == 0.5
    assert found.figures["alpha"].reason == found.figures["ac2"].reason == TOO_FEW
    assert found.figures["alpha"].n == 20


def test_it_explains_where_all_ratings_are_equal() -> None:
    found = agreement(np.array([[0, 0, 2]] * 60), list(range(60)))
    assert found.figures["raw"].value == 1.0
    assert (found.figures["alpha"].value, found.figures["alpha"].reason) == (None, NO_VARIANCE)
    assert found.figures["ac2"].value == 1.0


def test_it_has_nothing_to_say_of_nothing() -> None:
    found = agreement(np.zeros((0, 3)), [])
    assert found.shares == ()
    assert found.figures["raw"].reason == NOT_TWICE


def test_its_interval_holds_the_figure_and_is_wider_where_stories_are_few() -> None:
    generator = np.random.default_rng(5)
    counts = np.array(
        [np.bincount(generator.choice(3, 2, p=[0.1, 0.3, 0.6]), minlength=3) for _ in range(300)]
    )
    # in each story all items are alike, so that a story is worth one item
    alike = np.repeat(counts[:30], 10, axis=0)
    wide = agreement(alike, list(np.repeat(range(30), 10))).figures["ac2"]
    narrow = agreement(alike, list(range(300))).figures["ac2"]
    assert wide.low is not None
    assert wide.high is not None
    assert wide.value is not None
    assert narrow.low is not None
    assert narrow.high is not None
    assert wide.low < wide.value < wide.high
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)


def test_its_interval_is_that_of_leaving_out_one_story_at_a_time_worked_out_by_hand() -> None:
    """Three stories; agreement without each is 1/2, 3/4 and 1/4, on Fisher's scale, t of two degrees."""
    values = {(1, 2): 0.5, (0, 2): 0.75, (0, 1): 0.25, (0, 1, 2): 0.5}
    found = jackknife_interval(
        np.eye(3), lambda sums: np.array([values[tuple(np.flatnonzero(one))] for one in sums]), [7, 8, 9]
    )
    z = [math.atanh(one) for one in (0.5, 0.75, 0.25)]
    error = math.sqrt(2 / 3 * sum((one - sum(z) / 3) ** 2 for one in z))
    ends = math.atanh(0.5) - t.ppf(0.975, 2) * error, math.atanh(0.5) + t.ppf(0.975, 2) * error
    assert found == pytest.approx((math.tanh(ends[0]), math.tanh(ends[1])))


@pytest.mark.parametrize(("without", "known"), [(1.0, True), (math.nan, False), (0.5, False)])
def test_it_has_an_interval_where_one_story_less_would_agree_entirely_and_none_where_nothing_is_known(
    without: float, *, known: bool
) -> None:
    found = jackknife_interval(np.eye(3), lambda sums: np.where(sums[:, 0] > 0, 0.5, without), [1, 2, 3])
    assert (found is not None) is known
    assert found is None or found[1] <= 1


@given(
    st.lists(
        st.tuples(st.lists(st.integers(0, 3), min_size=3, max_size=3), st.integers(0, 5)),
        min_size=2,
        max_size=40,
    )
)
def test_leaving_a_story_out_of_the_sums_is_computing_without_it(rows: list[tuple[list[int], int]]) -> None:
    """Each coefficient as its own function gives it for the other stories; alpha as its author's does."""
    counts, stories = np.array([row for row, _story in rows]), np.array([story for _row, story in rows])
    alone = {"alpha": reference_alpha, "ac2": gwet_ac2}
    for figure in FIGURES:
        if figure.of is None:
            continue
        rated = counts.sum(axis=1) >= figure.least_ratings
        parts, of_story = figure.parts(counts[rated]), stories[rated]
        for story in np.unique(of_story):
            kept = of_story != story
            found = (
                figure.of((parts.sum(axis=0) - parts[~kept].sum(axis=0))[None]) if kept.any() else [math.nan]
            )
            expected = alone[figure.code](counts[rated][kept]) if kept.any() else math.nan
            assert found[0] == pytest.approx(expected, abs=1e-9, nan_ok=True), (figure.code, story)


def reference_alpha(counts: np.ndarray) -> float:
    paired = counts[counts.sum(axis=1) >= 2]
    if np.count_nonzero(paired.sum(axis=0)) < 2:
        return math.nan
    return float(
        krippendorff.alpha(value_counts=paired, value_domain=range(3), level_of_measurement="ordinal")
    )


def test_it_gives_no_interval_from_one_story() -> None:
    assert cluster_interval(lambda _: 1.0, [1, 1, 1], seed=1) is None


def test_its_interval_is_never_a_point() -> None:
    """All agree: no story differs, which is no certainty; raw agreement is as sure as so many stories."""
    found = agreement(np.array([[0, 0, 2]] * 59 + [[2, 0, 0]]), list(np.repeat(range(30), 2)))
    level = 2 * norm.cdf(t.ppf(0.975, 29)) - 1
    assert (found.figures["raw"].low, found.figures["raw"].high) == pytest.approx(
        wilson_interval(30, 30, level=level)
    )
    assert [(one.value, one.low, one.high) for one in (found.figures["alpha"], found.figures["ac2"])] == [
        (1.0, None, None)
    ] * 2
    few = agreement(np.array([[0, 2]] * 3), [1, 2, 3]).figures["raw"]
    assert few.low is not None
    assert few.low < 0.5
    assert agreement(np.array([[0, 2]] * 3), [1, 1, 1]).figures["raw"].low is None
    assert pair_agreement([0, 1] * 30, [0, 1] * 30, list(range(60)), categories=3).kappa.low is None


def test_two_raters_are_compared_on_what_both_rated() -> None:
    first, second = [0, 1, 2, 2] * 15, [0, 1, 2, 1] * 15
    found = pair_agreement(first, second, list(range(60)), categories=3)
    assert found.n == 60
    assert found.raw.value == 0.75
    assert found.kappa.value is not None
    assert 0.7 < found.kappa.value < 0.9


def test_two_raters_who_always_say_the_same_one_thing_have_no_kappa() -> None:
    found = pair_agreement([2] * 60, [2] * 60, list(range(60)), categories=3)
    assert (found.raw.value, found.kappa.value, found.kappa.reason) == (1.0, None, NO_VARIANCE)


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=30))
def test_no_coefficient_is_ever_above_one_or_raises(rows: list[list[int]]) -> None:
    counts = np.array(rows, dtype=np.int64)
    for function in (raw_agreement, ordinal_alpha, gwet_ac2):
        value = function(counts) if counts.sum(axis=1).max() else math.nan
        assert math.isnan(value) or value <= 1 + 1e-9


@pytest.mark.parametrize(
    ("right", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_it_gives_the_score_intervals_that_newcombe_publishes(
    right: int, n: int, low: float, high: float
) -> None:
    """Newcombe, Two-sided confidence intervals for the single proportion (1998), table I, method 3."""
    assert wilson_interval(right, n) == pytest.approx((low, high), abs=0.0001)
