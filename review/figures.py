"""Statistics of a project's reviews: agreement, accuracy and workload. Pure: computed from plain rows.

All confidence intervals are clustered by story.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from statistics import fmean, median

import numpy as np

from core.invariants import present
from parable.formats.records import HUMAN, MACHINE
from parable.kinds import kind_of
from parable.kinds.proverb_ratings import rating_figures
from parable.psychometrics.agreement import Agreement, Estimate, PairAgreement, agreement, pair_agreement
from parable.psychometrics.results import clusters


@dataclass(frozen=True, slots=True)
class Rated:
    """A rating that one reviewer gave one revision in cross-check."""

    revision: int
    story: int
    task: str
    reviewer: int
    rating: int


@dataclass(frozen=True, slots=True)
class Scaled:
    """A rating on a task's own scale by one criterion ("" if the scale has no criteria)."""

    task: str
    criterion: str
    revision: int
    value: int


@dataclass(frozen=True, slots=True)
class ScaleFigures:
    """Agreement and mean of the ratings by one criterion.

    `agreement`: the share of pairs of raters who agree whether the item is good or poor.

    `score`: the mean rating scaled to 100, or None if the scale does not begin at 0.
    """

    task: str
    criterion: str
    items: int
    ratings: int
    mean: float | None
    agreement: float | None
    score: float | None


@dataclass(frozen=True, slots=True)
class Solved:
    """A blind answer in cross-check. Misclicks, and answers of reviewers who knew the key, are excluded."""

    story: int
    task: str
    reviewer: int
    is_correct: bool
    types: tuple[int, ...] = ()
    style: str = HUMAN


@dataclass(frozen=True, slots=True)
class Worked:
    """A finished review: its reviewer, and the seconds from claim to answer."""

    reviewer: int
    seconds: int


@dataclass(frozen=True, slots=True)
class Pair(PairAgreement):
    """The agreement of two reviewers on the revisions that both have rated."""

    first: int
    second: int


@dataclass(frozen=True, slots=True)
class Reviewer:
    """One reviewer's totals.

    `zeros` counts the ratings of 0, `shared` the rated revisions that others have rated, too. `severity` is
    the mean difference between the others' ratings and this reviewer's; `seconds` is a median.
    """

    reviewer: int
    reviews: int
    zeros: int
    severity: float | None
    shared: int
    seconds: float | None
    accuracy: Estimate


@dataclass(frozen=True, slots=True)
class Figures:
    """The review statistics of a project. In dictionaries by task, the key "" is for all tasks together."""

    agreement: dict[str, Agreement]
    pairs: list[Pair]
    accuracy: dict[str, Estimate]
    types: dict[str, Estimate]
    styles: dict[str, dict[str, Estimate]]
    reviewers: list[Reviewer]

    def as_json(self) -> dict[str, object]:
        """Return the statistics as they are stored in JSON.

        The coefficients of an agreement become its own keys.
        """
        agreement = {task: asdict(one) for task, one in self.agreement.items()}
        for found in agreement.values():
            found.update(found.pop("figures"))
        return asdict(self) | {"agreement": agreement}


@dataclass(frozen=True, slots=True)
class _Unit:
    story: int
    task: str
    ratings: dict[int, int] = field(default_factory=dict)  # by reviewer


def review_figures(
    rated: Iterable[Rated], solved: Iterable[Solved], worked: Iterable[Worked], *, categories: int
) -> Figures:
    """Return agreement by task and pair, accuracy by task, type and style, and each reviewer's totals.

    `categories` is the number of ratings on the scale, which begins at 0. The rows must not include
    verifications, as verifiers see only items that passed.
    """
    by_revision: dict[int, _Unit] = {}
    for one in rated:
        unit = by_revision.setdefault(one.revision, _Unit(one.story, one.task))
        unit.ratings[one.reviewer] = one.rating
    units, answers, work = list(by_revision.values()), list(solved), list(worked)
    tasks = sorted({unit.task for unit in units} | {answer.task for answer in answers})
    of_type: defaultdict[int, list[Solved]] = defaultdict(list)
    for answer in answers:
        for kind in answer.types:  # an item of two types counts in both
            of_type[kind].append(answer)
    return Figures(
        agreement={
            task: _agreement([unit for unit in units if task in {"", unit.task}], categories)
            for task in ("", *tasks)
        },
        pairs=_pairs(units, categories),
        accuracy={
            task: _accuracy([answer for answer in answers if task in {"", answer.task}])
            for task in ("", *tasks)
        },
        types={str(kind): _accuracy(of_type[kind]) for kind in sorted(of_type)},
        styles={
            task: _by_style([answer for answer in answers if answer.task == task])
            for task in tasks
            if kind_of(task).has_machine_style
        },
        reviewers=_reviewers(units, answers, work),
    )


def scale_figures(rows: Iterable[Scaled]) -> list[ScaleFigures]:
    """Return the rating statistics of each task that has its own scale.

    Criteria are in the scale's order.
    """
    units: defaultdict[tuple[str, str], defaultdict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        units[row.task, row.criterion][row.revision].append(row.value)
    figures = []
    for task in dict.fromkeys(task for task, _ in units):
        scale = present(kind_of(task).scale, "only tasks with a scale of their own have such marks")
        marks = range(scale.low, scale.high + 1)
        for criterion in scale.criteria or ("",):
            if (task, criterion) not in units:
                continue
            given = list(units[task, criterion].values())
            found = rating_figures(given, marks=marks, least_good=scale.passes)
            of_items = fmean(fmean(unit) for unit in given)
            score = of_items / scale.high * 100 if scale.low == 0 else None
            counts = (found.narratives, found.ratings)
            figures.append(ScaleFigures(task, criterion, *counts, found.mean, found.agreement, score))
    return figures


def _agreement(units: Sequence[_Unit], categories: int) -> Agreement:
    counts = np.zeros((len(units), categories), dtype=np.int64)
    for row, unit in enumerate(units):
        for rating in unit.ratings.values():
            counts[row, rating] += 1
    return agreement(counts, [unit.story for unit in units])


def _pairs(units: Sequence[_Unit], categories: int) -> list[Pair]:
    """Return the agreement of every pair of reviewers who rated the same revisions.

    The largest overlap comes first.
    """
    shared: defaultdict[tuple[int, int], list[_Unit]] = defaultdict(list)
    for unit in units:
        for pair in combinations(sorted(unit.ratings), 2):
            shared[pair].append(unit)
    pairs = []
    for (first, second), both in sorted(shared.items(), key=lambda entry: (-len(entry[1]), entry[0])):
        found = pair_agreement(
            [unit.ratings[first] for unit in both],
            [unit.ratings[second] for unit in both],
            [unit.story for unit in both],
            categories=categories,
        )
        pairs.append(Pair(found.n, found.raw, found.kappa, first, second))
    return pairs


def _accuracy(answers: Sequence[Solved]) -> Estimate:
    """Return the share of correct blind answers; its interval is clustered if there are several stories."""
    if not answers:
        return Estimate(None, reason="no_blind_answers")
    right = np.array([answer.is_correct for answer in answers], dtype=np.float64)
    found = clusters.share(right, np.array([answer.story for answer in answers]))
    return Estimate(found.value, found.low, found.high, len(answers))


def _by_style(answers: Sequence[Solved]) -> dict[str, Estimate]:
    """Return the accuracy by style, and as `difference` the accuracy of human style minus machine style."""
    found = {style: [answer for answer in answers if answer.style == style] for style in (HUMAN, MACHINE)}
    parts = [_part(found[HUMAN], 1.0), _part(found[MACHINE], -1.0)]
    apart = clusters.combination(parts)
    difference = Estimate(apart.value, apart.low, apart.high, len(answers), "no_blind_answers_of_a_style")
    return {style: _accuracy(found[style]) for style in found} | {"difference": difference}


def _part(answers: Sequence[Solved], weight: float) -> clusters.Part:
    right = np.array([answer.is_correct for answer in answers], dtype=np.float64)
    return clusters.Part(right, np.array([answer.story for answer in answers], dtype=np.int64), weight)


def _reviewers(units: Sequence[_Unit], answers: Sequence[Solved], work: Sequence[Worked]) -> list[Reviewer]:
    given: defaultdict[int, Counter[int]] = defaultdict(Counter)
    # the mean of the others' ratings minus the reviewer's, for each shared revision
    apart: defaultdict[int, list[float]] = defaultdict(list)
    blind: defaultdict[int, list[Solved]] = defaultdict(list)
    seconds: defaultdict[int, list[int]] = defaultdict(list)
    for unit in units:
        for who, rating in unit.ratings.items():
            given[who][rating] += 1
            if others := [other for person, other in unit.ratings.items() if person != who]:
                apart[who].append(fmean(others) - rating)
    for answer in answers:
        blind[answer.reviewer].append(answer)
    for one in work:
        seconds[one.reviewer].append(one.seconds)
    everybody = sorted(given.keys() | blind.keys() | seconds.keys(), key=lambda who: -given[who].total())
    return [
        Reviewer(
            reviewer=who,
            reviews=given[who].total(),
            zeros=given[who][0],
            severity=fmean(apart[who]) if who in apart else None,
            shared=len(apart.get(who, ())),
            seconds=median(seconds[who]) if who in seconds else None,
            accuracy=_accuracy(blind[who]),
        )
        for who in everybody
    ]
