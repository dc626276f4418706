"""Remedies: which items to leave out so that a set passes a gate, and the gate's result without them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from parable.quality.gates.base import ERROR, OK, WARNING, Gate, GateResult, ItemSet
from parable.quality.gates.decision_rule import WORST, Measured, MeasuringGate, decide


@dataclass(frozen=True, slots=True)
class Remedy:
    """The items responsible for a result, the items to leave out, and the result without these.

    `without` is None if no items need to be left out, or if running the gate again takes too long.
    """

    items: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()
    without: GateResult | None = None


NO_REMEDY: Final = Remedy()


def find_remedy(
    gate: Gate, items: ItemSet, measured: Measured | GateResult, result: GateResult, tests: int
) -> Remedy:
    """Return the remedy for a gate's result in a run of this many tests.

    The gate runs again without the worst items, to find the smallest number of items to leave out. If leaving
    out all of them does not help, the first `WORST` are proposed nevertheless.
    """
    if not gate.has_remedy:
        return NO_REMEDY
    if result.verdict not in {ERROR, WARNING}:
        return Remedy(items=tuple(result.detail.get("stands_out", ())))
    worst = _worst(measured, result)
    if len(worst) == result.looked_at:  # no item would be left
        return Remedy(worst)
    if not worst or gate.learns:
        return Remedy(worst[:WORST], worst[:WORST])

    def without(many: int) -> GateResult:
        gone = set(worst[:many])
        fewer = replace(items, items=tuple(item for item in items.items if item.id not in gone))
        if isinstance(gate, MeasuringGate) and gate.tests(fewer):
            answers = [decide(one, tests) for one in gate.measure(fewer)]
        else:
            answers = gate.judge(fewer)
        return next(one for one in answers if one.task == result.task)

    many = _fewest(worst, without) if _is_ranked(measured, result) else len(worst)
    named = worst[:many] if _is_ranked(measured, result) else result.items
    return Remedy(named, worst[:many], without(many))


def _is_ranked(measured: Measured | GateResult, result: GateResult) -> bool:
    """Return whether a measurement fails the set, so that leaving out some of the worst items may suffice."""
    return isinstance(measured, Measured) and result.verdict == ERROR


def _worst(measured: Measured | GateResult, result: GateResult) -> tuple[str, ...]:
    """Return the ids of all items that could be left out, worst first."""
    if isinstance(measured, Measured) and _is_ranked(measured, result):
        rule = result.detail.get("rule")
        return next((trial.worst for trial in measured.trials if trial.rule == rule), ())
    return result.leave_out or result.items


def _fewest(worst: Sequence[str], without: Callable[[int], GateResult]) -> int:
    """Return how many items must be left out to pass the gate, or at most `WORST` if no number suffices.

    A set with too few items for the gate does not count as passing.
    """
    if without(len(worst)).verdict == ERROR:
        return min(WORST, len(worst))
    low, high = 0, len(worst)
    while high - low > 1:
        middle = (low + high) // 2
        if without(middle).verdict == ERROR:
            low = middle
        else:
            high = middle
    return high if without(high).verdict in {OK, WARNING} else min(WORST, len(worst))
