"""A gate's answer as a figure in words and as a small picture of 200 by 26 units."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from parable.formats.options import LETTERS

LEFT: Final = 4
WIDTH: Final = 192
BASE: Final = 25
TALLEST: Final = 22


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a small plot, in the units of its picture."""

    x: float
    y: float
    width: float
    height: float


def figure(answer: Mapping[str, Any], detail: Mapping[str, Any]) -> str:
    """The figure in words: an accuracy with its interval, the keys by letter, or a number of items."""
    found = answer["figure"]
    if found is None:
        return "–"
    if answer["low"] is not None:
        words = {"figure": _percent(found), "low": _percent(answer["low"]), "high": _percent(answer["high"])}
        return _("%(figure)s (%(low)s to %(high)s)") % words
    if answer["id"] == "key_position":
        return " · ".join(
            f"{letter} {count}" for letter, count in zip(LETTERS, _positions(detail), strict=False)
        )
    if answer["id"] == "rights":
        return ngettext("%(n)d story unknown", "%(n)d stories unknown", found) % {"n": found}
    if answer["id"] == "split_leak":
        return ngettext("%(n)d item in common", "%(n)d items in common", found) % {"n": found}
    if answer["id"] == "type_coverage":
        return ngettext("%(n)d gap", "%(n)d gaps", found) % {"n": found}
    return ngettext("%(n)d item", "%(n)d items", found) % {"n": found}


def _percent(share: float) -> str:
    return f"{100 * share:.1f}\N{NO-BREAK SPACE}%"


def bars(answer: Mapping[str, Any], detail: Mapping[str, Any]) -> tuple[Bar, ...]:
    """Keys by position; keys by their rank in length; else an interval with its figure, from 0 to 100 %."""
    if counted := _positions(detail) or detail.get("margins"):
        return tuple(_columns(counted))
    if answer["low"] is None:
        return ()
    low, found, high = (_place(answer[name]) for name in ("low", "figure", "high"))
    return Bar(low, 12, max(round(high - low, 1), 1), 4), Bar(round(found - 1.5, 1), 6, 3, 16)


def lines(answer: Mapping[str, Any], detail: Mapping[str, Any]) -> tuple[float, ...]:
    """Where chance stands in the picture of an interval."""
    is_interval = answer["low"] is not None and not detail.get("cells") and not detail.get("margins")
    return (_place(detail["chance"]),) if is_interval and "chance" in detail else ()


def _place(share: float) -> float:
    return round(LEFT + WIDTH * share, 1)


def _positions(detail: Mapping[str, Any]) -> list[int]:
    """How often the key stands at each position, over all cells of a task."""
    return _added_up([counts for _split, _choices, counts in detail.get("cells", [])])


def _added_up(counted: Sequence[Sequence[int]]) -> list[int]:
    most = max(map(len, counted), default=0)
    return [sum(counts[place] for counts in counted if place < len(counts)) for place in range(most)]


def _columns(counts: Sequence[int]) -> Iterable[Bar]:
    width = WIDTH / len(counts)
    for place, count in enumerate(counts):
        height = TALLEST * count / (max(counts) or 1)
        yield Bar(
            round(LEFT + place * width, 1), round(BASE - height, 1), round(width - 4, 1), round(height, 1)
        )
