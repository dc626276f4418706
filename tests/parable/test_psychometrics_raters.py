"""Models of raters against closed forms, enumeration, published data and hand-made examples."""

import itertools
import math

import numpy as np
import pytest
import scipy

from parable.psychometrics.raters.adjusted import adjusted_ratings
from parable.psychometrics.raters.alternative import (
    NOT_PASSED,
    PASSED,
    TOO_FEW_PEOPLE,
    alternative_annotator,
    benjamini_yekutieli,
)
from parable.psychometrics.raters.confusion import dawid_skene
from parable.psychometrics.raters.facets import MOST_TOGETHER, TOO_FEW, equal_severities, severities
from parable.psychometrics.raters.keys import Answer, keys_by_answers
from parable.psychometrics.raters.ratings import NOT_CONNECTED, ONE_SIDED, in_parts, make_ratings
from tests.parable.rating_sets import anaesthetists, simulate_answers, simulate_ratings


def _pairs(both: int, first: int, second: int, neither: int) -> list[tuple[int, str, int]]:
    """Ratings 0 or 1 of two raters, by how many units got which."""
    given = [(1, 1)] * both + [(1, 0)] * first + [(0, 1)] * second + [(0, 0)] * neither
    return [
        (unit, rater, one) for unit, pair in enumerate(given) for rater, one in zip("ab", pair, strict=True)
    ]


def test_two_raters_of_a_scale_of_two_differ_by_the_log_odds_of_their_discordant_units() -> None:
    """Rasch's closed form (1960): the log of the ratio of the two kinds of discordant pairs."""
    found = severities(make_ratings(_pairs(10, 20, 5, 15), 2))
    a, b = found.raters
    assert a.severity is not None
    assert b.severity is not None
    assert a.error is not None
    assert b.severity - a.severity == pytest.approx(math.log(20 / 5), abs=1e-5)
    assert a.severity + b.severity == pytest.approx(0, abs=1e-9)
    # the sandwich of a binomial's log odds, with units as clusters; severity is half of the difference
    error = math.sqrt((1 / 20 + 1 / 5) * 50 / 49) / 2
    assert a.error == pytest.approx(error, rel=1e-4)
    assert (found.units, found.ratings, found.stories, a.n) == (50, 100, 50, 50)
    half = scipy.stats.t.ppf(0.975, 49) * error
    assert [a.low, a.high] == pytest.approx([a.severity - half, a.severity + half])
    # the mid-p of a sign test of 20 of 25 discordant units, of drawn flips
    coin = scipy.stats.binom(25, 0.5)
    assert found.p_equal == pytest.approx(2 * coin.sf(20) + coin.pmf(20), abs=0.002)
    assert a.infit == pytest.approx(1)  # one number fits one share


def test_severities_thresholds_and_fit_are_those_of_all_patterns_counted_out() -> None:
    """Independent: every pattern of ratings with the unit's total, one by one."""
    simulated = simulate_ratings(3, raters=4, stories=12, each=3)
    found = severities(make_ratings(simulated.rows, 3))
    units: dict[int, list[tuple[int, int]]] = {}
    for unit, rater, rating in simulated.rows:
        units.setdefault(unit, []).append((rater, rating))

    def weight(pattern: tuple[int, ...], raters: list[int], at: np.ndarray) -> float:
        severity = [*at[:3], -at[:3].sum()]
        return math.exp(
            -sum(severity[r] * k + (at[3] if k == 1 else 0) for r, k in zip(raters, pattern, strict=True))
        )

    def given_total(own: list[tuple[int, int]], at: np.ndarray) -> list[tuple[tuple[int, ...], float]]:
        raters, total = [r for r, _ in own], sum(k for _, k in own)
        patterns = [p for p in itertools.product(range(3), repeat=3) if sum(p) == total]
        weights = [weight(p, raters, at) for p in patterns]
        return [(p, w / sum(weights)) for p, w in zip(patterns, weights, strict=True)]

    def unlikely(at: np.ndarray) -> float:
        observed = [math.log(dict(given_total(own, at))[tuple(k for _, k in own)]) for own in units.values()]
        return float(0.5 * (at[3] / 5) ** 2 - sum(observed))

    best = scipy.optimize.minimize(unlikely, np.zeros(4), method="BFGS").x
    of = {one.rater: one for one in found.raters}
    assert [of[rater].severity for rater in range(3)] == pytest.approx(best[:3], abs=1e-3)
    assert found.sums == pytest.approx([0, best[3], 0], abs=1e-3)
    square = variance = spread = 0.0
    ratios = []
    for own in units.values():
        place = next((place for place, (rater, _) in enumerate(own) if rater == 0), None)
        if place is None:
            continue
        chances = given_total(own, best)
        mean = sum(p[place] * c for p, c in chances)
        v = sum((p[place] - mean) ** 2 * c for p, c in chances)
        if v > 1e-9:
            square += (own[place][1] - mean) ** 2
            variance += v
            spread += sum((p[place] - mean) ** 4 * c for p, c in chances) - v * v
            ratios.append((own[place][1] - mean) ** 2 / v)
    assert of[0].infit == pytest.approx(square / variance, abs=1e-3)
    assert of[0].infit_high == pytest.approx(1 + 1.96 * math.sqrt(spread) / variance, abs=1e-3)
    assert of[0].outfit == pytest.approx(np.mean(ratios), abs=1e-3)


def test_severities_are_found_again_and_equal_ones_are_not_told_apart() -> None:
    simulated = simulate_ratings(5, raters=8, stories=80)
    found = severities(make_ratings(simulated.rows, 3), simulated.stories)
    told = {one.rater: one.severity for one in found.raters}
    assert np.corrcoef([told[rater] for rater in range(8)], simulated.severity)[0, 1] > 0.9
    assert found.stories == 80
    assert found.reliability is not None
    assert found.reliability > 0.7
    assert found.p_equal is not None
    assert found.p_equal < 0.01


def test_equal_raters_are_not_called_unequal_by_few_stories() -> None:
    """Six equal raters, five stories of 15 units: Wald's test had p = .000 with stories, .58 without."""
    rng = np.random.default_rng(35)
    rows = []
    for unit in range(75):
        quality = rng.normal(0.3, 1.2)
        chances = np.exp([0, quality + 1, 2 * quality])
        shares = np.cumsum(chances / chances.sum())[:-1]
        rows += [(unit, rater, int((rng.random() > shares).sum())) for rater in range(6)]
    ratings = make_ratings(rows, 3)
    of_story = severities(ratings, {unit: unit // 15 for unit in range(75)})
    alone = severities(ratings)
    assert of_story.p_equal is not None
    assert alone.p_equal is not None
    assert of_story.p_equal > 0.1
    assert equal_severities(ratings, {unit: unit // 15 for unit in range(75)}) == of_story.p_equal
    assert alone.p_equal > 0.1
    # of 16 flips of five stories each is a 16th, and half of those as far out count
    assert (32 * of_story.p_equal) % 1 == 0
    assert severities(ratings, dict.fromkeys(range(75), 0)).p_equal is None


def test_raters_who_agree_fully_have_errors_of_the_curvature_and_no_reliability() -> None:
    rows = [(unit, rater, unit % 3) for unit in range(12) for rater in range(4)]
    found = severities(make_ratings(rows, 3))
    assert (found.p_equal, found.reliability) == (1.0, None)
    for one in found.raters:
        assert one.severity == pytest.approx(0, abs=1e-6)
        assert one.error is not None
        assert one.error > 0.5


def test_raters_of_large_units_are_compared_within_parts() -> None:
    """200 raters of 12 units, every second one a logit harder: parts lose little, and all are compared."""
    rng = np.random.default_rng(2)
    quality, harder = rng.normal(0, 1, 12), np.arange(200) % 2
    chances = 1 / (1 + np.exp(harder[:, None] - quality))
    given = (rng.random((200, 12)) < chances).astype(int)
    given = given[(given.sum(axis=1) > 0) & (given.sum(axis=1) < 12)]
    rows = [(unit, rater, int(one)) for rater, own in enumerate(given) for unit, one in enumerate(own)]
    parts = in_parts(make_ratings(rows, 2), MOST_TOGETHER)
    sizes = np.bincount(parts.unit)
    assert (sizes.min() > MOST_TOGETHER // 2, sizes.max() <= MOST_TOGETHER) == (True, True)
    assert [parts.units[unit] for unit in parts.unit] == [unit for unit, _, _ in rows]
    found = severities(make_ratings(rows, 2))
    assert (found.units, found.ratings) == (12, len(rows))
    assert len(found.estimates) == len(given)
    # with every unit rated by all, severity is a function of a rater's total alone but for the dealing
    totals, values = given.sum(axis=1), np.array([found.estimates[rater] for rater in range(len(given))])
    assert np.corrcoef(totals, values)[0, 1] < -0.98
    again = severities(make_ratings(rows, 2))
    assert again.estimates == found.estimates


def test_raters_whose_severity_nothing_shows_have_a_reason_instead() -> None:
    rows: list[tuple[object, str, int]] = [*_pairs(10, 20, 5, 15)]
    rows += [(unit, "always lowest", 0) for unit in range(35)]  # others gave more, never less
    rows += [(f"own {unit}", rater, unit % 2) for unit in range(20) for rater in ("c", "d")]
    rows += [(unit, "few", unit % 2) for unit in range(9)]
    rows += [(f"alone {unit}", "alone", unit % 2) for unit in range(20)]
    found = {one.rater: one for one in severities(make_ratings(rows, 2)).raters}
    reasons = {name: one.reason for name, one in found.items()}
    assert reasons == {
        "a": "", "b": "", "always lowest": ONE_SIDED, "c": NOT_CONNECTED, "d": NOT_CONNECTED,
        "few": TOO_FEW, "alone": TOO_FEW,
    }  # fmt: skip
    assert found["few"].n == 9
    assert found["alone"].n == 0
    assert found["always lowest"].severity is None


def test_ten_ratings_of_common_units_are_enough() -> None:
    rows: list[tuple[object, str, int]] = [*_pairs(10, 20, 5, 15)]
    rows += [(unit, "ten", unit % 2) for unit in range(10, 20)]
    found = {one.rater: one for one in severities(make_ratings(rows, 2)).raters}
    assert found["ten"].n == 10
    assert found["ten"].severity is not None


def test_a_rating_that_nobody_gave_is_no_part_of_the_scale() -> None:
    found = severities(make_ratings([(u, r, 2 * k) for u, r, k in _pairs(10, 20, 5, 15)], 4))
    assert np.isinf(found.sums).tolist() == [False, True, False, True]
    assert found.raters[1].severity == pytest.approx(math.log(4) / 4, abs=1e-5)  # a point is two steps


@pytest.mark.parametrize("value", [-1, 3])
def test_a_rating_off_the_scale_is_refused(value: int) -> None:
    with pytest.raises(ValueError, match="0 to 2"):
        make_ratings([(1, "a", value)], 3)


def test_nothing_rated_twice_has_no_severities() -> None:
    found = severities(make_ratings([(unit, "a", unit % 3) for unit in range(40)], 3))
    assert (found.units, found.raters[0].reason) == (0, TOO_FEW)
    assert adjusted_ratings(make_ratings([(1, "a", 1)], 3), found) == []


def test_ratings_are_adjusted_for_who_gave_them() -> None:
    """By root finding of another library: the quality whose expected ratings add up to those given."""
    simulated = simulate_ratings(5, raters=8, stories=80)
    ratings = make_ratings(simulated.rows, 3)
    found = severities(ratings)
    adjusted = adjusted_ratings(ratings, found)
    assert len(adjusted) == 400

    def expected(quality: float, severity: float) -> float:
        return float(scipy.special.softmax(np.arange(3) * (quality - severity) - found.sums) @ np.arange(3))

    one = next(row for row in adjusted if 0 < row.raw < 2)
    given = [(rater, rating) for unit, rater, rating in simulated.rows if unit == one.unit]
    total = sum(rating for _, rating in given)
    likely = scipy.optimize.brentq(
        lambda q: sum(expected(q, found.estimates[rater]) for rater, _ in given) - total, -15, 15
    )
    assert one.raw == total / 2
    assert one.adjusted == pytest.approx(expected(likely, 0), abs=1e-6)

    def likelihood(quality: float) -> float:
        logits = [np.arange(3) * (quality - found.estimates[rater]) - found.sums for rater, _ in given]
        return float(
            sum(scipy.special.log_softmax(own)[k] for own, (_, k) in zip(logits, given, strict=True))
        )

    bound = likelihood(likely) - scipy.stats.chi2.ppf(0.95, 1) / 2
    low = scipy.optimize.brentq(lambda q: likelihood(q) - bound, -15, likely)
    assert one.low == pytest.approx(expected(low, 0), abs=1e-6)
    ends = [row for row in adjusted if row.raw == 2]
    assert all(row.adjusted == pytest.approx(2, abs=1e-6) and row.low < 1.9 for row in ends)


def test_a_severe_raters_units_are_lifted() -> None:
    rows = _pairs(10, 20, 5, 15)  # b is the severe one
    extra = [("of a", "a", 0), ("of a", "a2", 1), ("of b", "b", 0), ("of b", "b2", 1)]
    rows2: list[tuple[object, str, int]] = [*rows, *extra]
    rows2 += [(u, f"{r}2", k) for u, r, k in rows]
    ratings = make_ratings(rows2, 2)
    adjusted = {row.unit: row for row in adjusted_ratings(ratings, severities(ratings))}
    assert adjusted["of a"].raw == adjusted["of b"].raw == 0.5
    assert adjusted["of a"].adjusted < 0.5 < adjusted["of b"].adjusted


def test_dawid_and_skene_find_what_they_published() -> None:
    """Table 4 of Dawid and Skene (1979): the shares of the four classes, to the two places printed."""
    found = dawid_skene(anaesthetists())
    assert np.round(found.shares, 2).tolist() == [0.40, 0.42, 0.11, 0.07]
    assert found.errors.sum(axis=2) == pytest.approx(1)
    # patient 3, graded 1, 1, 2 by the first and 2, 1, 2, 2 by the others, belongs to class 2
    assert found.classes[2].argmax() == 1
    assert found.classes.argmax(axis=1).tolist()[:2] == [0, 3]


def test_keys_by_answers_are_at_the_peak_of_the_likelihood_with_its_curvature() -> None:
    """Independent: the log likelihood written out, its peak and its second differences."""
    rows, _, keys, _ = simulate_answers(7, people=4, stories=24, each=3)
    found = keys_by_answers(rows)
    assert found is not None
    people = [one.person for one in found.people]
    at = np.array([math.log(one.accuracy / (1 - one.accuracy)) for one in found.people])
    mean = _posterior_right(rows, found) / len(rows)

    def objective(odds: np.ndarray) -> float:
        chance = 1 / (1 + np.exp(-odds))
        value = 4 * np.sum(mean * np.log(chance) + (1 - mean) * np.log(1 - chance))
        for item in {row.item for row in rows}:
            own = [row for row in rows if row.item == item]
            value += math.log(
                sum(
                    math.prod(
                        chance[people.index(row.person)]
                        if row.choice == key
                        else (1 - chance[people.index(row.person)]) / 3
                        for row in own
                    )
                    for key in range(4)
                )
            )
        return float(value)

    slope = scipy.optimize.approx_fprime(at, objective, 1e-6)
    assert slope == pytest.approx(np.zeros(4), abs=0.02)
    right = np.mean([one.likeliest == keys[int(str(one.item))] for one in found.items])
    assert right > 0.85
    assert found.answers == 360
    assert found.stories == 120
    assert all(one.low < one.accuracy < one.high for one in found.people)


def _posterior_right(rows: list[Answer], found: object) -> float:
    of = {one.item: one.probabilities for one in found.items}  # type: ignore[attr-defined]  # of keys_by_answers
    return float(sum(of[row.item][row.choice] for row in rows))


def test_the_errors_of_accuracy_are_those_of_a_share_where_keys_are_beyond_doubt() -> None:
    """Ten who are always right settle every key; the eleventh is right in 30 of 40."""
    rows = [Answer(item, person, item % 4, 4) for item in range(40) for person in range(10)]
    rows += [Answer(item, "other", (item + (item >= 30)) % 4, 4) for item in range(40)]
    found = keys_by_answers(rows)
    assert found is not None
    other = found.people[-1]
    mean = 430 / 440
    chance = (30 + 4 * mean) / 44
    assert (other.person, other.n) == ("other", 40)
    assert other.accuracy == pytest.approx(chance, abs=1e-4)
    spread = (30 * (1 - chance) ** 2 + 10 * chance**2) * 40 / 39 + 4 * mean * (1 - mean)
    error = math.sqrt(spread) / (44 * chance * (1 - chance))
    odds = math.log(chance / (1 - chance)) + scipy.stats.t.ppf(0.975, 39) * error
    assert other.high == pytest.approx(1 / (1 + math.exp(-odds)), abs=1e-3)


def test_people_who_agree_fully_are_as_sure_as_so_many_stories() -> None:
    """Wilson's interval of 10 of 10 stories; on the scale of log odds it was 0 to 100 %."""
    rows = [Answer(item, person, item % 4, 4) for item in range(40) for person in range(3)]
    found = keys_by_answers(rows, {item: item // 4 for item in range(40)})
    assert found is not None
    for one in found.people:
        assert one.accuracy == pytest.approx(1, abs=1e-5)
        assert one.low == pytest.approx(0.7225, abs=1e-4)
        assert one.high == pytest.approx(1)


def test_a_choice_beyond_the_options_is_refused_and_of_two_answers_the_last_counts() -> None:
    rows = [Answer(item, person, item % 3, 3) for item in range(20) for person in range(3)]
    with pytest.raises(ValueError, match="A choice is a whole number"):
        keys_by_answers([Answer(0, 0, 3, 3), *rows[1:]])
    found = keys_by_answers([Answer(0, 0, 2, 3), *rows])
    assert found is not None
    assert found.answers == 60
    assert found.items[0].votes == (3, 0, 0)


def test_answers_name_the_items_whose_key_they_speak_against() -> None:
    rows, stories, keys, _ = simulate_answers(9, people=8, stories=20, each=6)
    found = keys_by_answers(rows, stories)
    assert found is not None
    written = {**keys, 3: (keys[3] + 1) % 4, 40: (keys[40] + 2) % 4}
    against = found.against(written)
    assert {one.item for one in against} >= {3, 40}
    assert len(against) <= 4
    assert found.stories == 20
    assert against[0].probabilities[against[0].likeliest] >= against[-1].probabilities[against[-1].likeliest]
    assert found.against({}) == []


def test_one_person_alone_does_not_speak_against_a_key() -> None:
    rows = [Answer(item, who, item % 4, 4) for item in range(40) for who in ("a", "b", "c")]
    alone = [*rows, Answer("alone", "a", 1, 4)]
    both = [*rows, Answer("both", "a", 1, 4), Answer("both", "b", 1, 4)]
    for answers, named in ((alone, []), (both, ["both"])):
        found = keys_by_answers(answers)
        assert found is not None
        assert found.items[-1].probabilities[1] > 0.95
        assert [one.item for one in found.against({"alone": 0, "both": 0})] == named


def test_too_few_answers_speak_for_no_key() -> None:
    assert keys_by_answers([Answer(item, item % 2, 0, 4) for item in range(40)]) is None
    assert keys_by_answers([Answer(item, who, 0, 4) for item in range(14) for who in (1, 2)]) is None
    assert keys_by_answers([Answer(item, who, 0, 4) for item in range(15) for who in (1, 2)]) is not None


def _crowd(
    seed: int, model_noise: float, units: int = 60
) -> tuple[dict[str, dict[int, float]], dict[int, float]]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, units)

    def noisy(share: float) -> dict[int, float]:
        wrong = rng.random(units) < share
        return {u: float((truth[u] + (1 + rng.integers(2)) * wrong[u]) % 3) for u in range(units)}

    return {f"p{person}": noisy(0.3) for person in range(4)}, noisy(model_noise)


@pytest.mark.parametrize(
    ("allowance", "stories", "p_value"),
    [
        (0.0, 40, 1.0),  # no difference at all: Wilcoxon's and Student's are undefined
        (0.0, 15, 1.0),
        (0.2, 40, 0.5**40),  # each story speaks for the model
        (0.2, 4, 0.5**4),
        (0.2, 1, 1.0),  # one story says nothing of others
    ],
)
def test_a_model_that_gives_what_people_give_has_a_p_value(
    allowance: float, stories: int, p_value: float
) -> None:
    units = max(stories, 40) if stories != 15 else 15
    people = {name: {unit: float(unit % 3) for unit in range(units)} for name in ("a", "b", "c")}
    found = alternative_annotator(
        people, people["a"], allowance=allowance, stories={unit: unit % stories for unit in range(units)}
    )
    assert [one.p_value for one in found.comparisons] == pytest.approx([p_value] * 3)


def test_a_model_as_good_as_people_passes_and_a_poor_one_does_not() -> None:
    people, model = _crowd(1, 0.1)
    good = alternative_annotator(people, model, kind="labels")
    assert (good.code, good.passed, good.winning_rate) == (PASSED, True, 1.0)
    people, model = _crowd(1, 0.7)
    poor = alternative_annotator(people, model, kind="labels")
    assert (poor.code, poor.passed, poor.winning_rate) == (NOT_PASSED, False, 0.0)
    assert poor.advantage is not None
    assert good.advantage is not None
    assert poor.advantage < good.advantage


def test_the_test_is_the_papers_written_out() -> None:
    """Independent: Calderon, Reichart and Dror's steps by SciPy's own test of a mean."""
    people, model = _crowd(2, 0.35)
    found = alternative_annotator(people, model, kind="labels", allowance=0.2)
    for one in found.comparisons:
        others = [given for name, given in people.items() if name != one.person]
        near = [np.mean([given[u] == model[u] for given in others]) for u in range(60)]
        own = [np.mean([given[u] == people[str(one.person)][u] for given in others]) for u in range(60)]
        wins = np.greater_equal(near, own).astype(float)
        loses = np.greater_equal(own, near).astype(float)
        assert (one.model, one.human, one.n) == (wins.mean(), loses.mean(), 60)
        expected = scipy.stats.ttest_1samp(loses - wins, 0.2, alternative="less").pvalue
        assert one.p_value == pytest.approx(expected, rel=1e-9)


def test_stories_make_the_test_less_sure_and_few_units_take_wilcoxons() -> None:
    people, model = _crowd(3, 0.3)
    plain = alternative_annotator(people, model, kind="ratings")
    of_story = alternative_annotator(people, model, kind="ratings", stories={u: u // 20 for u in range(60)})
    assert plain.comparisons[0].p_value != of_story.comparisons[0].p_value
    assert plain.comparisons[0].model == of_story.comparisons[0].model
    few = {name: {u: k for u, k in given.items() if u < 29} for name, given in people.items()}
    small = alternative_annotator(few, model, kind="ratings")
    assert small.comparisons[0].n == 29
    others = [given for name, given in few.items() if name != small.comparisons[0].person]
    own = few[str(small.comparisons[0].person)]
    far = [
        [math.sqrt(np.mean([(given[u] - of[u]) ** 2 for given in others])) for u in range(29)]
        for of in (model, own)
    ]
    lead = np.greater_equal(far[0], far[1]).astype(float) - np.greater_equal(far[1], far[0])
    expected = scipy.stats.wilcoxon(lead - 0.15, alternative="less", method="approx").pvalue
    assert small.comparisons[0].p_value == pytest.approx(expected)


def test_the_test_needs_three_people_with_ten_units() -> None:
    people, model = _crowd(4, 0.1)
    two = {name: people[name] for name in ("p0", "p1")}
    assert alternative_annotator(two, model).code == TOO_FEW_PEOPLE
    nine = {u: k for u, k in model.items() if u < 9}
    assert alternative_annotator(people, nine).code == TOO_FEW_PEOPLE
    ten = {u: k for u, k in model.items() if u < 10}
    assert alternative_annotator(people, ten).code != TOO_FEW_PEOPLE


@pytest.mark.parametrize(
    ("p_values", "rejected"),
    [
        # the limits of four are 0.05 i / (4 (1 + 1/2 + 1/3 + 1/4)): 0.006, 0.012, 0.018, 0.024
        ([0.0059, 0.5, 0.6, 0.7], [True, False, False, False]),
        ([0.0061, 0.5, 0.6, 0.7], [False, False, False, False]),
        ([0.5, 0.011, 0.0061, 0.7], [False, True, True, False]),
        ([0.023, 0.023, 0.023, 0.023], [True, True, True, True]),
        ([0.0241, 0.0241, 0.0241, 0.0241], [False, False, False, False]),
        ([], []),
    ],
)
def test_false_discoveries_are_held_step_by_step(p_values: list[float], rejected: list[bool]) -> None:
    assert benjamini_yekutieli(p_values) == rejected
