"""A gate's answer as a figure in words and as a small chart."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from parable.formats.options import LETTERS
from web import charts
from web.charts import Chart


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


def chart(answer: Mapping[str, Any], detail: Mapping[str, Any]) -> Chart | None:
    """Keys by position; keys by their rank in length; else an interval with its figure, from 0 to 100 %."""
    said = figure(answer, detail)
    if counted := _positions(detail) or detail.get("margins"):
        return charts.columns(said, counted)
    if answer["low"] is None:
        return None
    at, low, high, chance = (
        None if share is None else 100 * share
        for share in (answer["figure"], answer["low"], answer["high"], detail.get("chance"))
    )
    return charts.interval(said, at=at, low=low, high=high, chance=chance)


def _positions(detail: Mapping[str, Any]) -> list[int]:
    """How often the key stands at each position, over all cells of a task."""
    return _added_up([counts for _split, _choices, counts in detail.get("cells", [])])


def _added_up(counted: Sequence[Sequence[int]]) -> list[int]:
    most = max(map(len, counted), default=0)
    return [sum(counts[place] for counts in counted if place < len(counts)) for place in range(most)]
