"""What the reviews of a project say about its items and about each other. Pure: rows in, figures out.

All figures are plain values that go into JSON. Stories are the clusters of every interval.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from statistics import mean, median
from typing import Any, Final

import numpy as np

from parable.psychometrics.agreement import Estimate, agreement, pair_agreement
from parable.psychometrics.results import clusters

SEED: Final = 20240725
"""The same reviews give the same intervals."""


@dataclass(frozen=True, slots=True)
class Rated:
    """One score that one reviewer gave one revision in cross-check."""

    revision: int
    story: int
    task: str
    reviewer: int
    rating: int


@dataclass(frozen=True, slots=True)
class Solved:
    """One blind answer in cross-check; slips and answers of people who were not blind are no rows."""

    story: int
    task: str
    reviewer: int
    is_correct: bool
    types: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Worked:
    """One finished review: whose, and how many seconds from claim to answer."""

    reviewer: int
    seconds: int


@dataclass(frozen=True, slots=True)
class _Unit:
    story: int
    task: str
    ratings: dict[int, int] = field(default_factory=dict)  # by reviewer


def review_figures(
    rated: Iterable[Rated], solved: Iterable[Solved], worked: Iterable[Worked], *, categories: int
) -> dict[str, Any]:
    """Agreement by task and pair, human accuracy by task and type, and what each reviewer's work looks like.

    `categories`: how many ratings the scale has, from 0. Verification is not among the rows: it sees
    survivors only.
    """
    units = _units(rated)
    answers, work = list(solved), list(worked)
    tasks = sorted({unit.task for unit in units} | {answer.task for answer in answers})
    return {
        "agreement": {
            task: asdict(_agreement([unit for unit in units if task in {"", unit.task}], categories))
            for task in ("", *tasks)
        },
        "pairs": _pairs(units, categories),
        "accuracy": {
            task: _accuracy([answer for answer in answers if task in {"", answer.task}])
            for task in ("", *tasks)
        },
        "types": _by_type(answers),
        "reviewers": _reviewers(units, answers, work),
    }


def _units(rated: Iterable[Rated]) -> list[_Unit]:
    units: dict[int, _Unit] = {}
    for one in rated:
        unit = units.setdefault(one.revision, _Unit(one.story, one.task))
        unit.ratings[one.reviewer] = one.rating
    return list(units.values())


def _agreement(units: Sequence[_Unit], categories: int) -> Any:
    counts = np.zeros((len(units), categories), dtype=np.int64)
    for row, unit in enumerate(units):
        for rating in unit.ratings.values():
            counts[row, rating] += 1
    return agreement(counts, [unit.story for unit in units], seed=SEED)


def _pairs(units: Sequence[_Unit], categories: int) -> list[dict[str, Any]]:
    """Every two people who rated a revision in common, those with most in common first."""
    shared: defaultdict[tuple[int, int], list[_Unit]] = defaultdict(list)
    for unit in units:
        for pair in combinations(sorted(unit.ratings), 2):
            shared[pair].append(unit)
    ordered = sorted(shared.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    return [{"first": a, "second": b, **_pair(a, b, both, categories)} for (a, b), both in ordered]


def _pair(first: int, second: int, both: Sequence[_Unit], categories: int) -> dict[str, Any]:
    found = pair_agreement(
        [unit.ratings[first] for unit in both],
        [unit.ratings[second] for unit in both],
        [unit.story for unit in both],
        categories=categories,
        seed=SEED,
    )
    return asdict(found)


def _accuracy(answers: Sequence[Solved]) -> dict[str, Any]:
    """The share of right blind answers, its interval by story; none where all are of one story."""
    if not answers:
        return asdict(Estimate(None, reason="no_blind_answers"))
    right = np.array([answer.is_correct for answer in answers], dtype=np.float64)
    found = clusters.share(right, np.array([answer.story for answer in answers]))
    return asdict(Estimate(found.value, found.low, found.high, len(answers)))


def _by_type(answers: Sequence[Solved]) -> dict[str, dict[str, Any]]:
    """Accuracy by commonsense type; an item of two types counts in both."""
    found: defaultdict[int, list[Solved]] = defaultdict(list)
    for answer in answers:
        for kind in answer.types:
            found[kind].append(answer)
    return {str(kind): _accuracy(found[kind]) for kind in sorted(found)}


def _reviewers(
    units: Sequence[_Unit], answers: Sequence[Solved], work: Sequence[Worked]
) -> list[dict[str, Any]]:
    given, apart = _ratings_given(units), _severities(units)
    blind: defaultdict[int, list[Solved]] = defaultdict(list)
    seconds: defaultdict[int, list[int]] = defaultdict(list)
    for answer in answers:
        blind[answer.reviewer].append(answer)
    for one in work:
        seconds[one.reviewer].append(one.seconds)
    everybody = sorted(given.keys() | blind.keys() | seconds.keys(), key=lambda who: -given[who].total())
    return [
        {
            "reviewer": who,
            "reviews": given[who].total(),
            "zeros": given[who][0],
            "severity": mean(apart[who]) if who in apart else None,
            "shared": len(apart.get(who, ())),
            "seconds": median(seconds[who]) if who in seconds else None,
            "accuracy": _accuracy(blind[who]),
        }
        for who in everybody
    ]


def _ratings_given(units: Iterable[_Unit]) -> defaultdict[int, Counter[int]]:
    given: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for unit in units:
        for who, rating in unit.ratings.items():
            given[who][rating] += 1
    return given


def _severities(units: Iterable[_Unit]) -> Mapping[int, list[float]]:
    """By reviewer, how far below the mean of the others each rating of a shared item lies."""
    apart: defaultdict[int, list[float]] = defaultdict(list)
    for unit in units:
        for who, rating in unit.ratings.items():
            others = [other for person, other in unit.ratings.items() if person != who]
            if others:
                apart[who].append(mean(others) - rating)
    return apart
