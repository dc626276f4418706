"""The rule by which gates warn or fail, corrected for all tests of a run to limit false alarms.

Each test is one-sided against chance. *Warning*: the p-value times the number of all tests of the run is
below 0.002. *Error*: in addition, the lower end of the interval is at least 5 points above chance. *Not
applicable*: fewer than 100 keyed items; figure and interval are still reported.

Rules that a gate tries for the same purpose share one test of the run. Each rule has a weight, its fraction
of this test (weighted Bonferroni), so that adding a rule does not make other gates less sensitive.
"""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from math import ceil, sqrt
from statistics import NormalDist
from typing import Any, ClassVar, Final

from parable.quality.gates.base import (
    ALL,
    ERROR,
    NOT_APPLICABLE,
    OK,
    STYLE,
    WARNING,
    WRITER,
    Gate,
    GateResult,
    ItemSet,
)
from parable.sentences import gettext_noop as _

FEWEST_ITEMS: Final = 100
SIGNIFICANCE: Final = 0.002
LEAST_EFFECT: Final = 0.05
DIGITS: Final = 4
WORST: Final = 50
"""The most items that a test names, as examples; its result is about the whole set."""
MOST_TOLD: Final = 8
"""The most rules of a gate whose figures are reported."""

_NORMAL: Final = NormalDist()
_GRAVITY: Final = {NOT_APPLICABLE: 0, OK: 1, WARNING: 2, ERROR: 3}


@dataclass(frozen=True, slots=True)
class Trial:
    """The test of one rule: its accuracy with an interval, and the accuracy expected by chance.

    `chance` is the mean of 1/k over the items; `expected` and `spread` are mean and standard deviation of the
    accuracy if nothing reveals keys. `worst` has item ids. `own_p` is the p-value of a test that does not use
    `z`. For a rule that chooses options by a feature, `differ` is the number of items whose options differ in
    this feature, and `hits` is the number of these items whose key is among the chosen options. `weight` is
    the number of tests of the run, or the fraction of a test, that this trial counts for.
    """

    rule: str
    accuracy: float
    low: float
    high: float
    chance: float
    expected: float
    spread: float
    worst: tuple[str, ...] = ()
    own_p: float | None = None
    differ: int | None = None
    hits: int | None = None
    weight: float = 1.0

    @property
    def z(self) -> float:
        """The number of standard deviations by which the accuracy exceeds the expected accuracy."""
        return (self.accuracy - self.expected) / self.spread if self.spread else 0.0

    @property
    def p(self) -> float:
        """The probability of this accuracy, or a higher one, by chance."""
        return _NORMAL.cdf(-self.z) if self.own_p is None else self.own_p


@dataclass(frozen=True, slots=True)
class Measured:
    """A gate's measurements of one task, before the decision rule is applied.

    All `trials` share one result. `found` has the items that are certainly defective; a single one makes the
    result at least a warning.
    """

    id: str
    task: str
    looked_at: int
    trials: tuple[Trial, ...] = ()
    found: tuple[str, ...] = ()
    detail: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_tested(self) -> bool:
        """Whether there are trials and at least `FEWEST_ITEMS` items; only then do trials count as tests."""
        return self.looked_at >= FEWEST_ITEMS and bool(self.trials)


class MeasuringGate(Gate):
    """Base class of gates that test statistically: they measure, and `decide` computes the results."""

    reveals_keys: ClassVar[bool] = True
    needs: ClassVar[str] = _("It needs 100 items with a key.")
    parts: ClassVar[tuple[str, ...]] = (ALL, STYLE, WRITER)
    samples: ClassVar[bool] = False
    """Whether the gate reads only a `sample` of the keyed items of each task of a large set."""

    def tests(self, items: ItemSet) -> bool:
        """Return whether the gate tests these items statistically; otherwise `judge` checks them exactly."""
        return True

    @abstractmethod
    def measure(self, items: ItemSet) -> list[Measured]:
        """Return the measurements of each task."""

    def judge(self, items: ItemSet) -> list[GateResult]:
        """Return the results of the gate as if it were the only one of the run."""
        measured = self.measure(items)
        return [decide(one, count_tests(measured)) for one in measured]


def count_tests(measured: Iterable[Measured]) -> int:
    """Return the number of tests made: the sum of the trials' weights, rounded up."""
    weights = sum(trial.weight for one in measured if one.is_tested for trial in one.trials)
    return ceil(round(weights, DIGITS))


def share_test(trials: Sequence[Trial], tests: float = 1.0) -> tuple[Trial, ...]:
    """Set the weights of these trials so that together they count as `tests` tests, in equal parts."""
    return tuple(replace(trial, weight=tests / len(trials)) for trial in trials)


def decide(measured: Measured, tests: int) -> GateResult:
    """Return the result of measurements in a run of this many tests, by the most serious trial."""
    answers = [(trial, _verdict(trial, tests) if measured.is_tested else NOT_APPLICABLE)
               for trial in measured.trials]  # fmt: skip
    if not answers:
        verdict = WARNING if measured.found else NOT_APPLICABLE
        return _blank(measured, verdict)
    trial, verdict = min(
        answers, key=lambda answer: (-_GRAVITY[answer[1]], answer[0].p / answer[0].weight, -answer[0].z)
    )
    speaking = [one for one, said in answers if said in {WARNING, ERROR}]
    if measured.found and not speaking:
        verdict = WARNING
    tried = measured.trials if len(measured.trials) <= MOST_TOLD else _least_probable(measured.trials)
    is_early = not measured.is_tested and trial.low >= trial.chance + LEAST_EFFECT
    return replace(
        _blank(measured, verdict),
        figure=round(trial.accuracy, DIGITS),
        low=round(trial.low, DIGITS),
        high=round(trial.high, DIGITS),
        threshold=_threshold(trial, tests) if measured.is_tested and trial.own_p is None else None,
        items=measured.found or _worst(trial, speaking),
        detail={
            **measured.detail,
            **_figures(trial, tests),
            "tried": [_figures(one, tests) for one in tried],
            **({"spoken": [_figures(one, tests) for one in _least_probable(speaking)]} if speaking else {}),
            # for too few items to test: the worst items, if the effect is large
            **({"stands_out": list(trial.worst[:WORST])} if is_early else {}),
        },
    )


def _worst(gravest: Trial, speaking: Sequence[Trial]) -> tuple[str, ...]:
    """Return the worst items of the trials that warn or fail, taken in turn, most serious trial first."""
    others = sorted((one for one in speaking if one is not gravest), key=lambda one: one.p / one.weight)
    in_turn = zip_longest(*(one.worst[:WORST] for one in (gravest, *others)))
    names = dict.fromkeys(name for names in in_turn for name in names if name is not None)
    return tuple(names)[:WORST] if speaking else ()


def _least_probable(trials: Sequence[Trial]) -> Sequence[Trial]:
    return sorted(trials, key=lambda trial: trial.p)[:MOST_TOLD]


def _blank(measured: Measured, verdict: str) -> GateResult:
    return GateResult(
        measured.id,
        measured.task,
        verdict,
        items=measured.found,
        looked_at=measured.looked_at,
        detail=dict(measured.detail),
    )


def _verdict(trial: Trial, tests: int) -> str:
    if trial.p * tests / trial.weight >= SIGNIFICANCE:
        return OK
    return ERROR if trial.low >= trial.chance + LEAST_EFFECT else WARNING


def _threshold(trial: Trial, tests: int) -> float:
    """Return the accuracy above which a trial warns."""
    return round(
        trial.expected + _NORMAL.inv_cdf(1 - SIGNIFICANCE * trial.weight / tests) * trial.spread, DIGITS
    )


def _figures(trial: Trial, tests: int) -> dict[str, object]:
    chosen = {} if trial.differ is None else {"differ": trial.differ, "hits": trial.hits}
    return {
        "rule": trial.rule,
        "accuracy": round(trial.accuracy, DIGITS),
        "chance": round(trial.chance, DIGITS),
        "z": round(trial.z, 2),
        "p": float(f"{trial.p:.2g}"),
        "tests": tests,
        **({} if trial.weight == 1 else {"weight": round(trial.weight, DIGITS)}),
        **chosen,
    }


def spread_of(variances: Sequence[float]) -> float:
    """Return the standard deviation of a mean of independent values with these variances."""
    return sqrt(sum(variances)) / len(variances) if variances else 0.0
