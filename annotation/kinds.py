"""What the site adds to the registry of tasks: names in the reader's language, and choices of forms.

A kind whose items have a form of their own gets its module here.
"""

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from parable.kinds import KINDS
from projects.models import task_choices

__all__ = ["any_task", "item_name", "items_name", "task_choices", "task_name"]

Choice = tuple[str, str | Promise]


def any_task() -> list[Choice]:
    """The choices of a filter."""
    return [("", _("any task")), *task_choices()]


def task_name(code: str) -> str:
    """A task in words; the code itself where the registry has it no more."""
    return gettext(KINDS[code].name) if code in KINDS else code


def item_name(code: str) -> str:
    """What an item of the task is called."""
    return gettext(KINDS[code].item_name)


def items_name(code: str) -> str:
    """What several items of the task are called."""
    return gettext(KINDS[code].items_name)
