"""Which template shows a fragment of an item of a kind."""

from __future__ import annotations

from django import template

from annotation.kinds import item_kind

register = template.Library()


@register.filter
def fragment(task: str, name: str) -> str:
    """The path of this template of the task, for `include`."""
    return item_kind(task).template(name)
