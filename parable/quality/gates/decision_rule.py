"""When a gate speaks: one rule for all tests of a run, so that many tests raise no more false alarms.

A test is one-sided against chance. *Warning*: its p-value times the number of all tests of the run is
under 0.002. *Error*: also the lower end of its interval is at least 5 points above chance. *Not
applicable* below 100 keyed items; figure and interval are there all the same.
"""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
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

FEWEST_ITEMS: Final = 100
SIGNIFICANCE: Final = 0.002
LEAST_EFFECT: Final = 0.05
DIGITS: Final = 4
WORST: Final = 50
"""So many offenders of a test are named; the test is about the whole set."""

_NORMAL: Final = NormalDist()
_GRAVITY: Final = {NOT_APPLICABLE: 0, OK: 1, WARNING: 2, ERROR: 3}


@dataclass(frozen=True, slots=True)
class Trial:
    """One test: a rule's accuracy, its interval, and what chance would give with which spread.

    `rule` names what was tried; `chance` is the mean of 1/k over the items; `expected` and `spread` are mean
    and standard deviation of the accuracy where nothing gives keys away. `worst` are item ids. `own_p` is
    the p-value of a test that is not by `z`.
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

    @property
    def z(self) -> float:
        """How many standard deviations the accuracy lies above what is expected."""
        return (self.accuracy - self.expected) / self.spread if self.spread else 0.0

    @property
    def p(self) -> float:
        """The probability of such an accuracy or a better one by chance."""
        return _NORMAL.cdf(-self.z) if self.own_p is None else self.own_p


@dataclass(frozen=True, slots=True)
class Measured:
    """What a gate has measured of one task before the rule is applied; several trials share one answer.

    `found` are items in which the defect stands for certain: they alone make a warning.
    """

    id: str
    task: str
    looked_at: int
    trials: tuple[Trial, ...] = ()
    found: tuple[str, ...] = ()
    detail: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_tested(self) -> bool:
        """Whether there are items enough for its trials to count as tests of the run."""
        return self.looked_at >= FEWEST_ITEMS and bool(self.trials)


class MeasuringGate(Gate):
    """A gate that tests: it measures, and the rule speaks once all tests of a run are known."""

    reveals_keys: ClassVar[bool] = True
    parts: ClassVar[tuple[str, ...]] = (ALL, STYLE, WRITER)

    def tests(self, items: ItemSet) -> bool:
        """Whether it tests these items, or judges them exactly."""
        return True

    @abstractmethod
    def measure(self, items: ItemSet) -> list[Measured]:
        """One answer a task."""

    def judge(self, items: ItemSet) -> list[GateResult]:
        """The answers where this gate is the only one that is run."""
        measured = self.measure(items)
        return [settle(one, count_tests(measured)) for one in measured]


def count_tests(measured: Iterable[Measured]) -> int:
    """How many tests were made."""
    return sum(len(one.trials) for one in measured if one.is_tested)


def settle(measured: Measured, tests: int) -> GateResult:
    """The answer of a gate in a run of so many tests: that of its gravest trial."""
    answers = [(trial, _verdict(trial, tests) if measured.is_tested else NOT_APPLICABLE)
               for trial in measured.trials]  # fmt: skip
    if not answers:
        verdict = WARNING if measured.found else NOT_APPLICABLE
        return _blank(measured, verdict)
    trial, verdict = min(answers, key=lambda answer: (-_GRAVITY[answer[1]], answer[0].p))
    speaks = verdict in {WARNING, ERROR}
    if measured.found and not speaks:
        verdict = WARNING
    worst = trial.worst[:WORST] if speaks else ()
    return replace(
        _blank(measured, verdict),
        figure=round(trial.accuracy, DIGITS),
        low=round(trial.low, DIGITS),
        high=round(trial.high, DIGITS),
        threshold=_threshold(trial, tests) if measured.is_tested and trial.own_p is None else None,
        items=measured.found or worst,
        detail={
            **measured.detail,
            **_figures(trial, tests),
            "tried": [_figures(one, tests) for one, _ in answers],
            **_standing_out(trial, measured),
        },
    )


def _standing_out(trial: Trial, measured: Measured) -> dict[str, list[str]]:
    """Items to look at where few items already show a large effect, though too few to be judged."""
    is_early = not measured.is_tested and trial.low >= trial.chance + LEAST_EFFECT
    return {"stands_out": list(trial.worst[:WORST])} if is_early else {}


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
    if trial.p * tests >= SIGNIFICANCE:
        return OK
    return ERROR if trial.low >= trial.chance + LEAST_EFFECT else WARNING


def _threshold(trial: Trial, tests: int) -> float:
    """The accuracy past which it would be a warning."""
    return round(trial.expected + _NORMAL.inv_cdf(1 - SIGNIFICANCE / tests) * trial.spread, DIGITS)


def _figures(trial: Trial, tests: int) -> dict[str, object]:
    return {
        "rule": trial.rule,
        "accuracy": round(trial.accuracy, DIGITS),
        "chance": round(trial.chance, DIGITS),
        "z": round(trial.z, 2),
        "p": float(f"{trial.p:.2g}"),
        "tests": tests,
    }


def spread_of(variances: Sequence[float]) -> float:
    """The standard deviation of a mean of independent values with these variances."""
    return sqrt(sum(variances)) / len(variances) if variances else 0.0
