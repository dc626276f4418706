"""Registry of `ItemKind` instances by kind of item, with the kinds' names and task choices.

A kind whose answer has a form of its own has a module or folder here, with one instance and one line in
`OWN`. All other kinds have options: whether one, several or an order of them is the answer decides how their
items are written and solved.
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
"""The instances for kinds whose answers have a form of their own, by code of the kind."""

BY_ANSWER: Final[dict[str, ItemKind]] = {"one": CHOICE, "several": MULTIPLE, "order": ORDERING}
"""The instances for all other kinds, by the form of their answer."""


def item_kind(code: str) -> ItemKind:
    """Return the `ItemKind` with this code: how its items are written, stored, solved and released."""
    if code in OWN:
        return OWN[code]
    return BY_ANSWER[KINDS[code].answer] if code in KINDS else CHOICE


def any_task() -> list[Choice]:
    """Return the task choices of a filter; “any task” is first."""
    return [("", _("any task")), *task_choices()]


def task_name(code: str) -> str:
    """Return the translated name of a task, or its code if no kind has this code."""
    return gettext(KINDS[code].name) if code in KINDS else code


def item_name(code: str) -> str:
    """Return the translated name of an item of this task."""
    return gettext(KINDS[code].item_name)


def brief(code: str) -> str:
    """Return the translated instructions for writing an item of this task."""
    return gettext(KINDS[code].brief)


def items_name(code: str) -> str:
    """Return the translated plural name of items of this task."""
    return gettext(KINDS[code].items_name)
