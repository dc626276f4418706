"""Ranks the findings of an audit by the harm they do, and answers whether the set can be cheated.

The worst finding is a rule that scores well above chance without understanding an item: anyone who knows it
needs no story. Then come items that a model may have seen, then items that are wrong, then matters of form.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from parable.quality.gates import ERROR, GATES, NOT_APPLICABLE, OK, WARNING, GateResult
from parable.quality.gates.decision_rule import FEWEST_ITEMS
from parable.quality.gates.faulty_items import FaultyItems

GATE: Final = "gate"
CHECK: Final = "check"

SHORTCUT: Final = "shortcut"
"""A rule, such as always choosing the longest option, answers far more items than chance would."""
HINT: Final = "hint"
"""A rule answers more items than chance would, but not by five points for certain."""
TOO_FEW: Final = "too_few"
NO_KEYS: Final = "no_keys"
NO_SHORTCUT: Final = "no_shortcut"
CODES: Final = (SHORTCUT, HINT, TOO_FEW, NO_KEYS, NO_SHORTCUT)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A finding: the result of a gate, by its place among the results, or the items that a check names.

    `count` is the number of items behind it.
    """

    source: str
    id: str
    severity: str
    count: int
    place: int = -1


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether a set can be cheated: a code, the number of ways, and the keyed items of the largest task.

    `strongest` is the place of the result with the largest effect; -1 if there is none.
    """

    code: str
    ways: int = 0
    keyed: int = 0
    strongest: int = -1


def is_shortcut(result: GateResult) -> bool:
    """Return whether a result says that a rule scores above chance without understanding."""
    return result.verdict in {ERROR, WARNING} and bool(result.detail.get("spoken"))


def is_early(result: GateResult) -> bool:
    """Return whether a rule stands out although there are too few items to test it."""
    return result.verdict == NOT_APPLICABLE and bool(result.detail.get("stands_out"))


def effect(result: GateResult) -> float:
    """Return by how much a rule is above chance at least, from 0 to 1; 0 for results of other gates."""
    if not (is_shortcut(result) or is_early(result)) or result.low is None:
        return 0.0
    chance = float(result.detail.get("chance", 0.0))
    return max(0.0, (result.low - chance) / (1 - chance)) if chance < 1 else 0.0


def rank(
    results: Sequence[GateResult], checks: Mapping[str, Collection[str]], failed: Collection[str]
) -> list[Ranked]:
    """Return the findings, worst first.

    `checks` has the ids of the items that each check names; those of `failed` make the set fail. The gate for
    faulty items is left out, unless it names what no check does, because its checks are findings themselves.
    """
    found = []
    for place, result in enumerate(results):
        if is_early(result):
            early = Ranked(GATE, result.id, WARNING, len(result.detail["stands_out"]), place)
            found.append((True, 0, -effect(result), -early.count, early))
        if result.verdict not in {ERROR, WARNING}:
            continue
        if result.id == FaultyItems.id and set(result.detail.get("failed", ())) <= {*checks}:
            continue
        group = 0 if is_shortcut(result) else 1 if GATES[result.id].finds_repeats else 3
        of_gate = Ranked(GATE, result.id, result.verdict, len(result.items), place)
        found.append((result.verdict != ERROR, group, -effect(result), -len(result.items), of_gate))
    for check, items in checks.items():
        severity = ERROR if check in failed else WARNING
        of_check = Ranked(CHECK, check, severity, len(items))
        found.append((severity != ERROR, 2 if check in failed else 4, 0.0, -len(items), of_check))
    return [one[-1] for one in sorted(found, key=lambda one: (*one[:-1], one[-1].place, one[-1].id))]


def answer_of(results: Sequence[GateResult], keyed: Mapping[str, int]) -> Answer:
    """Return whether a set can be cheated. `keyed` is the number of items with a key, by task."""
    most = max(keyed.values(), default=0)
    if not most:
        return Answer(NO_KEYS)
    for code, verdict in ((SHORTCUT, ERROR), (HINT, WARNING)):
        spoken = {
            place: one for place, one in enumerate(results) if is_shortcut(one) and one.verdict == verdict
        }
        if spoken:
            ways = len({one.id for one in spoken.values()})
            strongest = max(spoken, key=lambda place: (effect(spoken[place]), -place))
            return Answer(code, ways, most, strongest)
    return Answer(TOO_FEW if most < FEWEST_ITEMS else NO_SHORTCUT, keyed=most)


def passed(results: Sequence[GateResult]) -> list[GateResult]:
    """Return the results of the gates that pass."""
    return [one for one in results if one.verdict == OK]


def idle(results: Sequence[GateResult]) -> list[GateResult]:
    """Return the results of the gates that do not apply and say nothing."""
    return [one for one in results if one.verdict == NOT_APPLICABLE and not is_early(one)]
