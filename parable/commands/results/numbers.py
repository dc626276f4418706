"""Formats numbers for commands, tables and pages; nan and inf are never displayed."""

import math
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

NOTHING: Final = "–"
_EXACT: Final = 10


def figure(value: float | None, form: str = ".2f") -> str:
    """Return a number formatted by `form`, such as `+.2f` or `.3g`, without a negative zero."""
    if value is None or not math.isfinite(value):
        return NOTHING
    text = format(value, form)
    return text if value >= 0 or text.strip("-0.%") else format(0.0, form)


def percent(share: float | None, *, digits: int = 2) -> str:
    """Return a share as a percentage without the sign.

    Halves are rounded up, as in printed papers.
    """
    return NOTHING if share is None else decimal(100 * share, digits=digits)


def decimal(value: float | None, *, digits: int = 2) -> str:
    """Return a number with `digits` decimals, halves rounded up despite floating-point noise."""
    if value is None or not math.isfinite(value):
        return NOTHING
    rounded = Decimal(repr(round(value, _EXACT))).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    return str(rounded or abs(rounded))


def p_value(value: float | None) -> str:
    """Return a p-value as text with three decimals, or “< 0.001”."""
    if value is not None and 0 <= value < 0.001:
        return "< 0.001"
    return decimal(value, digits=3)


def p_is(value: float | None) -> str:
    """Return a p-value with its sign: "p = 0.031", "p < 0.001"."""
    said = p_value(value)
    return f"p {said}" if said.startswith("<") else f"p = {said}"


def finite(value: Any) -> Any:
    """Return a value for JSON, with None instead of numbers that are not finite."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [finite(one) for one in value]
    return value
