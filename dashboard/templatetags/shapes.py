"""Template tags that render the components in ``templates/components/``."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from functools import cache
from typing import Any, Final

from django import template
from django.template import Context
from django.template.base import FilterExpression, token_kwargs
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from core.invariants import present
from parable import charts
from parable.charts import Chart

register = template.Library()


@register.simple_block_tag(takes_context=True)
def shape(context: Context, content: SafeString, component: str, **variables: Any) -> SafeString:
    """Render ``components/_COMPONENT.html`` around a block, which the component receives as ``body``."""
    page = present(context.template, "a tag is only rendered inside a template")
    frame = page.engine.get_template(f"components/_{component}.html")
    return frame.render(context.new({**variables, "body": content}))


@register.simple_tag
@cache
def icon(name: str, tone: str = "") -> SafeString:
    """Render ``components/_icon.html``. The result is cached, as a long list has an icon in every row."""
    return render_to_string("components/_icon.html", {"name": name, "tone": tone})


@register.simple_tag
def interval(label: str, *, tone: str = "", **places: object) -> Chart:
    """Return a chart of an estimate with its interval.

    Values that are not numbers, such as "", are left out.
    """
    at, low, high, chance, threshold = (
        place if isinstance(place := places.get(name), float | int) else None
        for name in ("at", "low", "high", "chance", "threshold")
    )
    return charts.interval(label, at=at, low=low, high=high, chance=chance, threshold=threshold, tone=tone)


MOST_KEPT: Final = 500
"""The maximum number of cached renderings of one block; the block's cache is cleared when it is full."""


class Fixed(template.Node):
    """A block of a template whose rendering is cached by the language and the named variables."""

    def __init__(self, nodelist: template.NodeList, named: dict[str, FilterExpression]) -> None:
        self.nodelist, self.named = nodelist, named
        self.rendered: dict[Hashable, SafeString] = {}

    def render(self, context: Context) -> SafeString:
        """Render the block with the named variables only, or take it from the cache."""
        values = {name: value.resolve(context) for name, value in self.named.items()}
        try:
            known = (get_language(), *_as_known(values.values()))
        except TypeError:
            return self.nodelist.render(context.new(values))
        cached = self.rendered.get(known)
        if cached is None:
            if len(self.rendered) >= MOST_KEPT:
                self.rendered.clear()
            cached = self.rendered[known] = self.nodelist.render(context.new(values))
        return cached


PLAIN: Final = frozenset({str, SafeString, int, bool, type(None)})


def _as_known(values: Collection[object]) -> tuple[Hashable, ...]:
    """Return a hashable cache key for plain values. It distinguishes markup from text, and True from 1."""
    kinds = tuple(map(type, values))
    if PLAIN.issuperset(kinds):
        return kinds, *values
    return kinds, *map(_one_as_known, values)


def _one_as_known(value: object) -> Hashable:
    if value is None or isinstance(value, str | int):
        return type(value), value
    if isinstance(value, tuple | list):
        return _as_known(value)
    raise TypeError


@register.tag
def fixed(parser: template.base.Parser, token: template.base.Token) -> Fixed:
    """Parse ``{% fixed name=value ... %} ... {% endfixed %}``, a block cached by its values and the language.

    The block is cached only if the values are texts, whole numbers, None, or lists and tuples of these.
    """
    given = token.split_contents()[1:]
    named = token_kwargs(given, parser)
    if given:
        raise template.TemplateSyntaxError(f"fixed takes name=value only, not {given[0]!r}")
    nodelist = parser.parse(("endfixed",))
    parser.delete_first_token()
    return Fixed(nodelist, named)


@register.filter
def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a story: its lines without blank lines."""
    return [line.strip() for line in text.splitlines() if line.strip()]
