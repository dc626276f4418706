"""The result of a gate as text and as a small chart."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from parable import charts
from parable.charts import Chart
from parable.formats.option_marks import LETTERS
from parable.quality.gates import GATES
from parable.quality.gates.key_position import keys_by_place
from web.numbers import percent


def figure(answer: Mapping[str, Any], detail: Mapping[str, Any]) -> str:
    """Return the result as text: a share with its interval, the number of keys by letter, or a count."""
    found = answer["figure"]
    if found is None:
        return "–"
    if answer["low"] is not None:
        words = {"figure": _percent(found), "low": _percent(answer["low"]), "high": _percent(answer["high"])}
        return _("%(figure)s (%(low)s to %(high)s)") % words
    if counted := keys_by_place(detail):
        return " · ".join(f"{letter} {count}" for letter, count in zip(LETTERS, counted, strict=False))
    if isinstance(found, float):
        return _percent(found)
    return ngettext(*GATES[answer["id"]].unit, found) % {"n": found}


def threshold(answer: Mapping[str, Any]) -> str:
    """Return the accuracy above which the gate warns, as text, or "" if there is no threshold."""
    past = answer.get("threshold")
    return "" if past is None or answer["low"] is None else _percent(past)


def _percent(share: float) -> str:
    return percent(share).replace(" ", "\N{NO-BREAK SPACE}")


def chart(answer: Mapping[str, Any], detail: Mapping[str, Any]) -> Chart | None:
    """Return a chart of counts by position or rank of length, or of an interval in per cent.

    Return None if there is neither.
    """
    said = figure(answer, detail)
    if counted := keys_by_place(detail) or detail.get("margins"):
        return charts.columns(said, counted)
    if answer["low"] is None:
        return None
    at, low, high, chance = (
        None if share is None else 100 * share
        for share in (answer["figure"], answer["low"], answer["high"], detail.get("chance"))
    )
    return charts.interval(said, at=at, low=low, high=high, chance=chance)
