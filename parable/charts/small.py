"""Small charts that are displayed beside a number."""

from collections.abc import Sequence
from typing import Final

from parable.charts.marks import Chart, Share, dot, line, rect

_SMALL: Final = (200, 26)


def interval(
    caption: str, *, at: Share, low: Share, high: Share, chance: Share = None, threshold: Share = None,
    tone: str = "",
) -> Chart:  # fmt: skip
    """Return a chart of a value and its interval, with chance level and threshold, all in percent."""
    width, height = _SMALL

    def x(share: float) -> float:
        return width * share / 100

    marks = [line("axis", 0, 20.5, width, 20.5)]
    if chance is not None:
        marks.append(line("chance", x(chance), 2, x(chance), 24))
    if threshold is not None:
        marks.append(line("axis", x(threshold), 15, x(threshold), 24))
    if low is not None and high is not None:
        marks.append(line("span", x(low), 10, x(high), 10))
    if at is not None:
        marks.append(dot("dot", x(at), 10))
    return Chart(caption, width, height, tuple(marks), tone=tone)


def columns(caption: str, counts: Sequence[int]) -> Chart:
    """Return a chart with a column for each of a few counts."""
    width, height = _SMALL
    step, most = width / max(len(counts), 1), max(counts, default=0) or 1
    bars = (
        rect("bar", index * step + 2, height - 1 - tall, step - 4, tall)
        for index, tall in enumerate((height - 4) * count / most for count in counts)
    )
    return Chart(caption, width, height, (*bars, line("axis", 0, height - 0.5, width, height - 0.5)))
