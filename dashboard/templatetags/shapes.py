"""Tags for the shapes in ``templates/components/``; what a shape shows is worked out in Python elsewhere."""

from __future__ import annotations

from typing import Any

from django import template
from django.template import Context
from django.utils.safestring import SafeString
from django.utils.translation import get_language

register = template.Library()


@register.simple_block_tag(takes_context=True)
def shape(context: Context, content: SafeString, component: str, **variables: Any) -> SafeString:
    """Render ``components/_COMPONENT.html`` around a block, which the component finds as ``body``."""
    assert context.template is not None  # noqa: S101 - a tag is only ever rendered inside a template
    frame = context.template.engine.get_template(f"components/_{component}.html")
    return frame.render(context.new({**variables, "body": content}))


class Fixed(template.Node):
    """What reads the same for everybody, rendered once in each language."""

    def __init__(self, nodelist: template.NodeList) -> None:
        self.nodelist = nodelist
        self.rendered: dict[str | None, SafeString] = {}

    def render(self, context: Context) -> SafeString:
        """The text of the first time; rendered apart from the page, so that nothing of it can be kept."""
        language = get_language()
        if language not in self.rendered:
            self.rendered[language] = self.nodelist.render(context.new())
        return self.rendered[language]


@register.tag
def fixed(parser: template.base.Parser, token: template.base.Token) -> Fixed:
    """``{% fixed %} ... {% endfixed %}``: a part that depends on the language and on nothing else."""
    nodelist = parser.parse(("endfixed",))
    parser.delete_first_token()
    return Fixed(nodelist)


@register.filter
def paragraphs(text: str) -> list[str]:
    """Split a story into its paragraphs: every line that is not blank."""
    return [line.strip() for line in text.splitlines() if line.strip()]
