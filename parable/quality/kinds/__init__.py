"""Checks of texts whose answers are not choices; `judge` runs the checks of a text's kind.

Each check is a class without database access, as in `parable.quality.item`.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from parable.kinds.anomaly import AnomalyText
from parable.kinds.proverb import Narrative
from parable.kinds.scene import ScenePair
from parable.kinds.step import StepText
from parable.quality.finding import Finding
from parable.quality.kinds.anomaly import ANOMALY_CHECKS
from parable.quality.kinds.base import Check
from parable.quality.kinds.proverb import PROVERB_CHECKS
from parable.quality.kinds.scene import SCENE_CHECKS
from parable.quality.kinds.step import STEP_CHECKS

__all__ = ["CHECKS", "CHECKS_OF", "Check", "english", "judge"]

CHECKS_OF: Final[Mapping[type, tuple[Check[Any], ...]]] = MappingProxyType(
    {
        AnomalyText: ANOMALY_CHECKS,
        StepText: STEP_CHECKS,
        ScenePair: SCENE_CHECKS,
        Narrative: PROVERB_CHECKS,
    }
)
"""The checks of each kind, by the class of the text with its answer."""

CHECKS: Final[Mapping[str, Check[Any]]] = MappingProxyType(
    {check.id: check for checks in CHECKS_OF.values() for check in checks}
)
"""Every check by its id; checks of spans belong to several kinds."""


def judge(content: object) -> tuple[Finding, ...]:
    """Return the findings of all checks of a text's kind; () if there are none."""
    checks = CHECKS_OF.get(type(content), ())
    return tuple(finding for check in checks for finding in check.find(content))


def english(finding: Finding) -> str:
    """Return the English sentence of a finding, without the part of the text that it is about."""
    return CHECKS[finding.check].says % finding.params
