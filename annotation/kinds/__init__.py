"""What the site adds to the registry of kinds: names, choices of forms, and how items are written and solved.

A kind whose items have a form of their own gets its module or folder here, with one instance, and one line in
`OWN`; all others have options, and are written and solved as their answers say.
"""

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.kinds.anomaly import ANOMALY_KIND
from annotation.kinds.base import ItemKind
from annotation.kinds.choice import CHOICE
from annotation.kinds.multiple import MULTIPLE
from annotation.kinds.narratives import NARRATIVE_KIND
from annotation.kinds.ordering import ORDERING
from annotation.kinds.scenes import SCENE_KIND
from annotation.kinds.step import STEP_KIND
from parable.kinds import KINDS
from parable.kinds.anomaly import ANOMALY
from parable.kinds.proverb import NARRATIVES
from parable.kinds.scene import SCENES
from parable.kinds.step import STEP
from projects.models import task_choices

__all__ = ["OWN", "any_task", "brief", "item_kind", "item_name", "items_name", "task_choices", "task_name"]

Choice = tuple[str, str | Promise]

OWN: Final[dict[str, ItemKind]] = {
    ANOMALY.code: ANOMALY_KIND,
    STEP.code: STEP_KIND,
    SCENES.code: SCENE_KIND,
    NARRATIVES.code: NARRATIVE_KIND,
}
"""By their codes, the kinds whose answers are of a form of their own."""

BY_ANSWER: Final[dict[str, ItemKind]] = {"one": CHOICE, "several": MULTIPLE, "order": ORDERING}
"""By how they are answered, all other kinds."""


def item_kind(code: str) -> ItemKind:
    """How items of the kind with this code are written, kept, solved and released."""
    if code in OWN:
        return OWN[code]
    return BY_ANSWER[KINDS[code].answer] if code in KINDS else CHOICE


def any_task() -> list[Choice]:
    """The choices of a filter."""
    return [("", _("any task")), *task_choices()]


def task_name(code: str) -> str:
    """A task in words; the code itself where the registry has it no more."""
    return gettext(KINDS[code].name) if code in KINDS else code


def item_name(code: str) -> str:
    """What an item of the task is called."""
    return gettext(KINDS[code].item_name)


def brief(code: str) -> str:
    """What somebody who writes an item of the task has to do."""
    return gettext(KINDS[code].brief)


def items_name(code: str) -> str:
    """What several items of the task are called."""
    return gettext(KINDS[code].items_name)
