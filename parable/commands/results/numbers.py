"""Numbers as tables print them: percents to two decimals, halves rounded up as in printed papers."""

from decimal import ROUND_HALF_UP, Decimal
from typing import Final

NOTHING: Final = "–"
_EXACT: Final = 10


def percent(share: float | None, *, digits: int = 2) -> str:
    """A share as a percent without its sign."""
    return NOTHING if share is None else decimal(100 * share, digits=digits)


def decimal(value: float | None, *, digits: int = 2) -> str:
    """A number to so many decimals; what binary fractions add far behind them does not tip a half."""
    if value is None:
        return NOTHING
    rounded = Decimal(repr(round(value, _EXACT))).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    return str(rounded or abs(rounded))


def p_value(value: float | None) -> str:
    """A p-value to three decimals, or that it is smaller than they show."""
    if value is None:
        return NOTHING
    return "< 0.001" if value < 0.001 else decimal(value, digits=3)
