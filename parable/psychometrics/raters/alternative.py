"""The alternative annotator test: whether a language model may replace a human rater.

Calderon, Reichart and Dror, The alternative annotator test (ACL 2025): each person is left out in turn; on
every unit, the ratings of the model and of this person are compared with those of the other people. The model
wins a unit if it is at least as close to the others as the person is. It wins against a person if its winning
rate, plus an allowance for its lower cost, is significantly higher than the person's (one-sided; false
discoveries limited to 5 % by Benjamini and Yekutieli 2001). It passes if it wins against half of the people.
The test is Student's t over story means, or Wilcoxon's if there are fewer than 30 units, each of its own
story. People with fewer than ten units are left out.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
import scipy

from parable.psychometrics.defaults import ALLOWANCE

Array = npt.NDArray[np.float64]
Given = Mapping[Any, Mapping[Any, float]]
Kind = Literal["ratings", "labels"]

PASSES_FROM: Final = 0.5
FALSE_DISCOVERIES: Final = 0.05
LEAST_PEOPLE: Final = 3
LEAST_UNITS: Final = 10
ENOUGH_UNITS: Final = 30
_ROUNDING: Final = 1e-9

PASSED: Final = "passed"
NOT_PASSED: Final = "not_passed"
TOO_FEW_PEOPLE: Final = "too_few_people"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of the model with one person, over `n` units.

    `model` and `human` are the proportions of units on which each was at least as close to the others; `wins`
    is whether the model wins against the person.
    """

    person: Hashable
    n: int
    model: float
    human: float
    p_value: float
    wins: bool


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of the test; `code` is whether the model passed, or why the test was impossible.

    `winning_rate` is the proportion of people against whom the model wins; `advantage` is the mean of
    `Comparison.model` over people.
    """

    code: str
    allowance: float
    comparisons: tuple[Comparison, ...] = ()
    winning_rate: float | None = None
    advantage: float | None = None

    @property
    def passed(self) -> bool:
        """Whether the model may be used as a rater."""
        return self.code == PASSED


def alternative_annotator(
    people: Given,
    model: Mapping[Any, float],
    *,
    kind: Kind = "ratings",
    allowance: float = ALLOWANCE,
    stories: Mapping[Any, Hashable] | None = None,
) -> Verdict:
    """Test one model against people; the verdict is `TOO_FEW_PEOPLE` for fewer than three people.

    `people` are ratings by person and unit; `model` and `stories` are by unit. Distance is the root mean
    square difference for ratings, and the proportion of different labels for labels.
    """
    found = [
        (person, units, wins)
        for person, (units, wins) in _compared(people, model, kind).items()
        if len(units) >= LEAST_UNITS
    ]
    if len(found) < LEAST_PEOPLE:
        return Verdict(TOO_FEW_PEOPLE, allowance)
    of = stories or {}
    p_values = [
        _p_value(wins[:, 1] - wins[:, 0], [of.get(unit, ("unit", unit)) for unit in units], allowance)
        for _, units, wins in found
    ]
    rejected = benjamini_yekutieli(p_values)
    comparisons = tuple(
        Comparison(person, len(units), float(wins[:, 0].mean()), float(wins[:, 1].mean()), p, won)
        for (person, units, wins), p, won in zip(found, p_values, rejected, strict=True)
    )
    rate = float(np.mean(rejected))
    return Verdict(
        code=PASSED if rate >= PASSES_FROM else NOT_PASSED,
        allowance=allowance,
        comparisons=comparisons,
        winning_rate=rate,
        advantage=float(np.mean([one.model for one in comparisons])),
    )


def _compared(
    people: Given, model: Mapping[Any, float], kind: Kind
) -> dict[Hashable, tuple[list[Any], Array]]:
    """Return, by person, the units also rated by the model and other people, and the winner of each.

    Wins have the shape (units, 2), 1 or 0: whether the model, and whether the person, is at least as close to
    the others. Both may be 1.
    """
    given: defaultdict[Any, list[float]] = defaultdict(list)
    for ratings in people.values():
        for unit, value in ratings.items():
            if unit in model:
                given[unit].append(value)
    far = _far_as_labels if kind == "labels" else _far_as_ratings
    of_unit = {unit: (len(values), far(values)) for unit, values in given.items()}
    found: dict[Hashable, tuple[list[Any], Array]] = {}
    for person, ratings in people.items():
        units, wins = [], []
        for unit, own in ratings.items():
            if unit not in model or of_unit[unit][0] < 2:
                continue
            distance = of_unit[unit][1]
            self_apart = distance(own)
            # the person is not one of those with whom the model is compared
            apart = float(model[unit] != own) if kind == "labels" else (model[unit] - own) ** 2
            model_apart = distance(model[unit]) - apart
            units.append(unit)
            wins.append((model_apart <= self_apart + _ROUNDING, self_apart <= model_apart + _ROUNDING))
        found[person] = (units, np.array(wins, dtype=np.float64))
    return found


def _far_as_labels(values: Sequence[float]) -> Callable[[float], float]:
    """Return a function that counts the labels that differ from a given label."""
    counts, n = Counter(values), len(values)
    return lambda one: float(n - counts[one])


def _far_as_ratings(values: Sequence[float]) -> Callable[[float], float]:
    """Return a function that sums the squared distances of the ratings from a given rating."""
    n, total, squares = len(values), math.fsum(values), math.fsum(value * value for value in values)
    return lambda one: squares - 2 * one * total + n * one * one


def _p_value(lead: Array, stories: Sequence[Hashable], allowance: float) -> float:
    """Return the one-sided p-value of the test that the person's lead is below the allowance.

    If all stories have the same lead, t is undefined: return the p-value of the sign test, 2 to the power of
    minus the number of stories.
    """
    numbers = {name: number for number, name in enumerate(dict.fromkeys(stories))}
    where, clusters = [numbers[name] for name in stories], len(numbers)
    mean = float(lead.mean())
    if clusters < 2 or not (np.abs(lead - allowance) > _ROUNDING).any():
        return 1.0
    if clusters == len(lead) < ENOUGH_UNITS:
        return float(scipy.stats.wilcoxon(lead - allowance, alternative="less", method="approx").pvalue)
    sums = np.bincount(where, weights=lead - mean) / len(lead)
    error = math.sqrt(float(np.square(sums).sum()) * clusters / (clusters - 1))
    if error < _ROUNDING:
        return 0.5**clusters if mean < allowance else 1.0
    return float(scipy.stats.t.cdf((mean - allowance) / error, clusters - 1))


def benjamini_yekutieli(p_values: Sequence[float], level: float = FALSE_DISCOVERIES) -> list[bool]:
    """Return whether each hypothesis is rejected at a false discovery rate of `level`, for any dependence."""
    m = len(p_values)
    order = np.argsort(p_values, kind="stable")
    limits = np.arange(1, m + 1) * level / (m * np.sum(1 / np.arange(1, m + 1)))
    under = np.flatnonzero(np.asarray(p_values)[order] <= limits)
    rejected = np.zeros(m, dtype=np.bool_)
    rejected[order[: int(under.max()) + 1 if len(under) else 0]] = True
    return [bool(one) for one in rejected]
