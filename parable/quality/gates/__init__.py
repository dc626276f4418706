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
from parable.quality.gates.key_position import KeyPosition
from parable.quality.gates.rights import Rights
from parable.quality.gates.split_leak import SplitLeak

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
    "judge",
]

GATES: Final[dict[str, Gate]] = {gate.id: gate for gate in (KeyPosition(), SplitLeak(), Rights())}
"""Every gate by its id, in the order in which they are shown."""


def judge(items: ItemSet, gates: Iterable[Gate] = tuple(GATES.values())) -> list[GateResult]:
    """The answers of all gates."""
    return [result for gate in gates for result in gate.judge(items)]
