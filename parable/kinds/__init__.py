"""Registry of tasks: each module here defines one kind of item, an entry of `KINDS`.

Only readers and writers of foreign formats name a task elsewhere: all other code that treats tasks
differently tests a property of the kind (`Trait`, `Form`).
"""

from collections.abc import Iterable
from typing import Final

from parable.kinds.anomaly import ANOMALY
from parable.kinds.base import Form, Kind, Trait
from parable.kinds.cloze import CLOZE
from parable.kinds.commonsense import COMMONSENSE
from parable.kinds.moral import MORAL
from parable.kinds.multiple import MULTIPLE
from parable.kinds.ordering import ORDERING
from parable.kinds.proverb import NARRATIVES
from parable.kinds.scene import SCENES
from parable.kinds.step import STEP
from parable.kinds.true_false import TRUE_FALSE

__all__ = [
    "KINDS",
    "Form",
    "Kind",
    "Trait",
    "codes",
    "codes_among",
    "first_code",
    "kind_of",
    "measure_of",
    "score_weights",
]

KINDS: Final[dict[str, Kind]] = {
    kind.code: kind
    for kind in (
        *(COMMONSENSE, MORAL, TRUE_FALSE, CLOZE, MULTIPLE, ORDERING),
        *(ANOMALY, STEP, SCENES, NARRATIVES),
    )
}
"""Every kind by its code, in display order; the first one is the default for new items."""


def kind_of(code: str) -> Kind:
    """Return the kind with this code. Raise `KeyError` if there is none."""
    return KINDS[code]


def codes(trait: Trait | Form | None = None) -> tuple[str, ...]:
    """Return the codes of all tasks, or of the tasks that have this property."""
    return tuple(code for code, kind in KINDS.items() if trait is None or getattr(kind, trait))


def codes_among(found: Iterable[str]) -> tuple[str, ...]:
    """Return the codes of the usual tasks and of the tasks in `found`, in display order."""
    present = frozenset(found)
    return tuple(code for code, kind in KINDS.items() if kind.is_usual or code in present)


def first_code(trait: Trait | Form | None = None) -> str:
    """Return the code of the first task in display order, or of the first with this property."""
    return codes(trait)[0]


def measure_of(code: str) -> str:
    """Return the code of the task's partial-credit measure; "" for unknown tasks and those without one."""
    return KINDS[code].measure if code in KINDS else ""


def score_weights() -> dict[str, float]:
    """Return the weight of each task in the score, by task code; the weights add up to 1."""
    return {code: kind.weight for code, kind in KINDS.items() if kind.weight}
