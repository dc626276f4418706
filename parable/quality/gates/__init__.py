"""Gates: tests that a whole set must pass before its release. Each gate is a class; `GATES` lists them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
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
from parable.quality.gates.convergence import Convergence
from parable.quality.gates.decision_rule import Measured, MeasuringGate, count_tests, decide
from parable.quality.gates.duplicates import Duplicates
from parable.quality.gates.explanations import Explanations
from parable.quality.gates.faulty_items import FaultyItems
from parable.quality.gates.key_position import KeyPosition
from parable.quality.gates.key_sequence import KeySequence
from parable.quality.gates.length_artefact import LengthArtefact
from parable.quality.gates.option_format import OptionFormat
from parable.quality.gates.options_only import NoStory, OptionsOnly
from parable.quality.gates.remedy import NO_REMEDY, Remedy, find_remedy
from parable.quality.gates.rights import Rights
from parable.quality.gates.sibling_leak import SiblingLeak
from parable.quality.gates.split_leak import SplitLeak
from parable.quality.gates.story_drift import StoryDrift
from parable.quality.gates.story_overlap import StoryOverlap
from parable.quality.gates.style_coverage import StyleCoverage
from parable.quality.gates.surface_cues import SurfaceCues
from parable.quality.gates.type_coverage import TypeCoverage

__all__ = [
    "ERROR",
    "GATES",
    "NOT_APPLICABLE",
    "OK",
    "VERDICTS",
    "WARNING",
    "Answered",
    "Answers",
    "Gate",
    "GateResult",
    "ItemSet",
    "MeasuringGate",
    "Remedy",
    "ask",
    "decide",
    "decide_set",
    "judge",
    "judge_one_by_one",
    "judge_together",
]

KEY_POSITION: Final = KeyPosition()
KEY_SEQUENCE: Final = KeySequence()

GATES: Final[dict[str, Gate]] = {
    gate.id: gate
    for gate in (
        KEY_POSITION,
        KEY_SEQUENCE,
        LengthArtefact(),
        SurfaceCues(),
        Convergence(),
        StoryOverlap(),
        OptionsOnly(),
        NoStory(),
        SiblingLeak(),
        SplitLeak(),
        Duplicates(),
        Explanations(),
        TypeCoverage(),
        StyleCoverage(),
        StoryDrift(),
        OptionFormat(),
        FaultyItems(),
        Rights(),
    )
}
"""Every gate by its id, in display order."""

Answers = Sequence[Measured | GateResult]


def judge(items: ItemSet, gates: Iterable[Gate] = tuple(GATES.values())) -> list[GateResult]:
    """Return the results of these gates for a whole set; thresholds depend on the number of tests made."""
    return decide_set(items, [answer for gate in gates for answer in ask(gate, items)])


def ask(gate: Gate, items: ItemSet) -> Answers:
    """Run a gate; return its results or, if it tests statistically, its measurements (see `decide_set`)."""
    if isinstance(gate, MeasuringGate) and gate.tests(items):
        return gate.measure(items)
    return gate.judge(items)


def decide_set(items: ItemSet, answers: Answers) -> list[GateResult]:
    """Convert measurements to results; thresholds depend on the number of tests for the set."""
    tests = tests_of(items, answers)
    return [decide(one, tests) if isinstance(one, Measured) else one for one in answers]


def tests_of(items: ItemSet, answers: Answers) -> int:
    """Return the number of tests that count for a set, including those of key positions.

    Before a build assigns key positions, the gates of key positions do not run; in Parable's own builds, they
    check exactly instead of testing. Their tests count nevertheless, so that a figure gets the same verdict
    before a release, in its draft, and in an audit of its files.
    """
    made = [one for one in answers if isinstance(one, Measured)]
    asked = {one.id for one in made}
    for gate in (KEY_POSITION, KEY_SEQUENCE):
        if gate.id not in asked:
            made += gate.measure(items)
    return count_tests(made)


def judge_together(
    parts: Sequence[tuple[ItemSet, Sequence[Gate]]], after_each: Callable[[int], None] = lambda _done: None
) -> list[list[GateResult]]:
    """Return the results of each part of a set, decided by the tests of all parts together.

    Each part has its own gates. As the tests of all parts count, comparing many writers raises no more false
    alarms than comparing few. `after_each` is called with the number of parts done.
    """
    found: list[Answers] = []
    for number, (items, gates) in enumerate(parts, start=1):
        found.append([answer for gate in gates for answer in ask(gate, items)])
        after_each(number)
    tests = count_tests(one for part in found for one in part if isinstance(one, Measured))
    return [[decide(one, tests) if isinstance(one, Measured) else one for one in part] for part in found]


@dataclass(frozen=True, slots=True)
class Answered:
    """A gate's result for some items, with its remedy.

    Results are preliminary, and `is_settled` is False, until all gates have made their tests.
    """

    result: GateResult
    remedy: Remedy = NO_REMEDY
    is_settled: bool = False


def judge_one_by_one(
    items: ItemSet,
    after_each: Callable[[list[Answered]], None],
    gates: Iterable[Gate] | None = None,
) -> list[Answered]:
    """Run gates one after another; return the results of `judge`, with remedies.

    `after_each` is called with the preliminary results of each gate.
    """
    found: list[tuple[Gate, Measured | GateResult]] = []
    for gate in GATES.values() if gates is None else gates:
        answers = ask(gate, items)
        found += [(gate, answer) for answer in answers]
        after_each([Answered(decide(one, 1) if isinstance(one, Measured) else one) for one in answers])
    tests = tests_of(items, [one for _gate, one in found])
    decided = []
    for gate, one in found:
        result = decide(one, tests) if isinstance(one, Measured) else one
        decided.append(Answered(result, find_remedy(gate, items, one, result, tests), is_settled=True))
    return decided
