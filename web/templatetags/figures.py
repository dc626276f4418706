"""Template filters that format numbers; a setting makes them available in all templates."""

import math

from django import template
from django.template import defaultfilters

from parable.commands.results import numbers

register = template.Library()


@register.filter(is_safe=True)
def floatformat(value: object, digits: int | str = -1) -> str:
    """Format a number like Django's filter of this name; return a dash if the number is not finite."""
    if isinstance(value, float) and not math.isfinite(value):
        return numbers.NOTHING
    return str(defaultfilters.floatformat(value, digits))


@register.filter(is_safe=True)
def p_value(value: float | None) -> str:
    """Return a p-value as the text that follows the letter p, such as "= 0.031" or "< 0.001"."""
    return numbers.p_is(value).removeprefix("p ")
