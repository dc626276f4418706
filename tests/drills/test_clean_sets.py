"""Sets of items without a defect: the gates must say nothing about them."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from parable.quality.gates import ERROR, GATES, WARNING, Gate, ItemSet, MeasuringGate, judge
from tests.parable.artefacts import TESTS_OF_A_RUN
from tests.parable.planted import Items, clean

pytestmark = pytest.mark.drill

JUDGED_BY_ALL = 20
"""How many of the sets all gates judge."""
TESTING = [gate for gate in GATES.values() if isinstance(gate, MeasuringGate)]
"""The gates that can be wrong by chance; what others name is named in every set that has it."""


def _verdicts(items: Items, gates: Iterable[Gate]) -> dict[str, str]:
    """The verdict of each gate on the commonsense items of files of others."""
    results = judge(ItemSet(tuple(items), is_foreign=True), gates)
    return {result.id: result.verdict for result in results if result.task != "moral"}


def test_it_is_silent_over_a_hundred_clean_sets() -> None:
    verdicts = {
        seed: _verdicts(
            clean(500, seed, chinese=bool(seed % 2)), GATES.values() if seed < JUDGED_BY_ALL else TESTING
        )
        for seed in range(100)
    }
    errors = [seed for seed, found in verdicts.items() if ERROR in found.values()]
    warned = [seed for seed, found in verdicts.items() if WARNING in found.values()]
    assert errors == []
    assert len(warned) <= 1, [(seed, verdicts[seed]) for seed in warned]
    tests = {
        one.detail["tests"]
        for one in judge(ItemSet(tuple(clean(500, 0)), is_foreign=True))
        if "tests" in one.detail
    }
    assert max(tests) <= TESTS_OF_A_RUN
