"""Charts of progress towards a goal, and of a value beside the band that it should be in."""

from collections.abc import Sequence
from typing import Final

from parable.charts.marks import Chart, Mark, Rows, Share, dot, line, rect, rounded, text
from parable.charts.scales import Scale

_WIDE: Final = 296
_TALL, _TOP, _RIGHT = 132, 14, 262
_BAND_TALL: Final = 38


def burn_up(
    caption: str,
    counts: Sequence[int],
    goal: int,
    *,
    ends: int | None = None,
    days: tuple[str, str, str] = ("", "", ""),
    rows: Rows = (),
) -> Chart:
    """Return a chart of a count that grows day by day towards a goal, the last day being today.

    With `ends`, the number of days from today until the goal is reached, a dashed line continues the curve.
    `days` has the labels of the first day, of today, and of the last day drawn.
    """
    past = len(counts) - 1
    wide = max(past + (ends or 0), 1)
    most = max(goal, *counts, 1)

    def x(day: int) -> float:
        return _RIGHT * day / wide

    def y(count: int) -> float:
        return _TOP + _TALL * (1 - count / most)

    base = _TOP + _TALL
    points = " ".join(f"{rounded(x(day))},{rounded(y(count))}" for day, count in enumerate(counts))
    marks = [
        line("axis", 0, base + 0.5, _RIGHT, base + 0.5),
        line("chance", 0, y(goal), _RIGHT, y(goal)),
        text(str(goal), _WIDE, y(goal) + 4, "end"),
        Mark("polyline", "curve", {"points": points}),
    ]
    first, today, last = days
    if ends:
        marks.append(line("chance", x(past), y(counts[-1]), x(past + ends), y(goal)))
        marks.append(text(last, _RIGHT, base + 16, "end"))
    # today lies between the other two labels only where there is room for it
    is_apart = not ends or _RIGHT * 0.3 < x(past) < _RIGHT * 0.72
    marks += [
        dot("dot", x(past), y(counts[-1])),
        text(str(counts[-1]), x(past) - 6, y(counts[-1]) - 8, "end" if past else "start"),
        text(first, 0, base + 16),
    ]
    if is_apart:
        marks.append(text(today, x(past), base + 16, "middle" if ends else "end"))
    return Chart(caption, _WIDE, base + 22, tuple(marks), rows)


def banded(
    caption: str, scale: Scale, band: tuple[float, float], *, at: float, low: Share = None, high: Share = None
) -> Chart:
    """Return a chart of a value with its interval on a scale, over the band that it should be in."""

    def x(value: float) -> float:
        return scale.along(value, 6, _WIDE - 6)

    first, last = band
    marks = [
        rect("part failed", x(first), 4, x(last) - x(first), 14),
        line("axis", 6, 22.5, _WIDE - 6, 22.5),
    ]
    if low is not None and high is not None:
        marks.append(line("span", x(low), 11, x(high), 11))
    marks.append(dot("dot", x(at), 11))
    marks += (text(f"{value:.2f}", x(value), 36, "middle") for value in band)
    marks.append(text(f"{scale.low:g}", 6, 36))
    return Chart(caption, _WIDE, _BAND_TALL, tuple(marks))
