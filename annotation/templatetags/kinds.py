"""Template filters for the templates of kinds, and for the marks of items."""

from __future__ import annotations

from typing import Any

from django import template

from annotation.content import ItemContent
from annotation.kinds import item_kind
from annotation.kinds.layers import LayerForm
from annotation.kinds.marked import MarkedGroup
from annotation.kinds.scenes import SceneKind, pieces
from annotation.kinds.spans import SpanKind
from annotation.models import Revision

register = template.Library()


@register.filter
def fragment(task: str, name: str) -> str:
    """Return the path of a template of the task's kind, for use with `include`."""
    return item_kind(task).template(name)


@register.filter
def marks_of(revision: Revision, task: str) -> list[tuple[LayerForm, list[MarkedGroup]]]:
    """Return the groups of marks of a revision by layer, or [] for a task whose items have no marks."""
    kind = item_kind(task)
    return kind.marked(kind.own_of(revision)) if isinstance(kind, SpanKind) else []


@register.filter
def lines_of(content: ItemContent, task: str) -> list[Any]:
    """Return each group of marks as a line of text, or [] for a task whose items have no marks."""
    kind = item_kind(task)
    if not isinstance(kind, SpanKind):
        return []
    return [line for layer in kind.layers for line in kind.in_words(content.own, layer)]


@register.filter
def differing(first: str, second: str) -> list[tuple[str, str, str]]:
    """Return two texts, each split into three parts: before, in and after their difference."""
    return pieces(first, second)


@register.filter
def judged_by(content: ItemContent, task: str) -> str:
    """Return the judgement of a pair of texts as a sentence, or "" for a task without judgements."""
    kind = item_kind(task)
    return kind.judged(content.own) if isinstance(kind, SceneKind) else ""


@register.filter
def revision_judged(revision: Revision, task: str) -> str:
    """Return the judgement of a revision as a sentence, or "" for a task without judgements."""
    kind = item_kind(task)
    return kind.judged(kind.own_of(revision)) if isinstance(kind, SceneKind) else ""
