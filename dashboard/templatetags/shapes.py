"""Tags for the shapes in ``templates/components/``; what a shape shows is worked out in Python elsewhere."""

from __future__ import annotations

from typing import Any

from django import template
from django.template import Context
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_block_tag(takes_context=True)
def shape(context: Context, content: SafeString, component: str, **variables: Any) -> SafeString:
    """Render ``components/_COMPONENT.html`` around a block, which the component finds as ``body``."""
    assert context.template is not None  # noqa: S101 - a tag is only ever rendered inside a template
    frame = context.template.engine.get_template(f"components/_{component}.html")
    return frame.render(context.new({**variables, "body": content}))


@register.filter
def paragraphs(text: str) -> list[str]:
    """Split a story into its paragraphs: every line that is not blank."""
    return [line.strip() for line in text.splitlines() if line.strip()]
