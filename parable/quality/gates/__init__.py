"""Gates: what a whole set must pass before it is released. Each is one class; `GATES` has them all."""

from collections.abc import Iterable
from typing import Final

from parable.quality.gates.base import (
    ERROR,
    NOT_APPLICABLE,
    OK,
    VERDICTS,
    WARNING,
    Gate,
    GateResult,
    ItemSet,
)
from parable.quality.gates.duplicates import Duplicates
from parable.quality.gates.key_position import KeyPosition
from parable.quality.gates.length_artefact import LengthArtefact
from parable.quality.gates.option_format import OptionFormat
from parable.quality.gates.options_only import NoStory, OptionsOnly
from parable.quality.gates.rights import Rights
from parable.quality.gates.sibling_leak import SiblingLeak
from parable.quality.gates.speaking import Measured, MeasuringGate, count_tests, settle
from parable.quality.gates.split_leak import SplitLeak
from parable.quality.gates.story_drift import StoryDrift
from parable.quality.gates.type_coverage import TypeCoverage

__all__ = [
    "ERROR",
    "GATES",
    "NOT_APPLICABLE",
    "OK",
    "VERDICTS",
    "WARNING",
    "Gate",
    "GateResult",
    "ItemSet",
    "MeasuringGate",
    "judge",
    "settle",
]

GATES: Final[dict[str, Gate]] = {
    gate.id: gate
    for gate in (
        KeyPosition(),
        LengthArtefact(),
        OptionsOnly(),
        NoStory(),
        SiblingLeak(),
        SplitLeak(),
        Duplicates(),
        TypeCoverage(),
        StoryDrift(),
        OptionFormat(),
        Rights(),
    )
}
"""Every gate by its id, in the order in which they are shown."""


def judge(items: ItemSet, gates: Iterable[Gate] = tuple(GATES.values())) -> list[GateResult]:
    """The answers of all gates. Those that test are held to one rule over all tests of this run."""
    answers: list[Measured | GateResult] = []
    for gate in gates:
        if isinstance(gate, MeasuringGate) and gate.tests(items):
            answers += gate.measure(items)
        else:
            answers += gate.judge(items)
    tests = count_tests(one for one in answers if isinstance(one, Measured))
    return [settle(one, tests) if isinstance(one, Measured) else one for one in answers]
