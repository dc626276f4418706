"""Charts of an audit report."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from parable import charts
from parable.charts import Chart
from parable.commands.wording import sentence
from parable.formats.option_marks import LETTERS
from parable.quality.gates import GateResult
from parable.quality.gates.key_position import keys_by_place
from parable.quality.phrases import Telling

MOST_PHRASES: Final = 15
_EDGES: Final = [0.5 + number / 20 for number in range(11)]
"""Edges of the columns in the chart of similar pairs."""


def length_plot(results: Iterable[GateResult], language: str) -> Chart | None:
    """Return a chart of how often the key is longest, second longest and so on.

    Return None if there are no counts.
    """
    named = {
        result.task or "": result.detail["margins"]
        for result in results
        if any(result.detail.get("margins", ()))
    }
    return _columns("lengths", named, [str(index + 1) for index in range(len(LETTERS))], "keys", language)


def position_plot(results: Iterable[GateResult], language: str) -> Chart | None:
    """Return a chart of the number of keys at each letter; None if there are no counts."""
    named = {result.task or "": counted for result in results if (counted := keys_by_place(result.detail))}
    return _columns("positions", named, LETTERS, "keys", language)


def type_plot(results: Iterable[GateResult], language: str) -> Chart | None:
    """Return a chart of the number of items of each type in every split; None if there are no counts."""
    for result in results:
        if counts := result.detail.get("types"):
            codes = list(next(iter(counts.values())))
            named = {split: [row[code] for code in codes] for split, row in counts.items()}
            return _columns("types", named, codes, "items", language)
    return None


def phrase_plot(phrases: Sequence[Telling], language: str) -> Chart | None:
    """Return a chart of each phrase's shares of keys and of distractors; None if there are no phrases."""
    if not phrases:
        return None
    found = []
    for one in phrases[:MOST_PHRASES]:
        keys, wrong = one.keys / one.of_keys, one.wrong / one.of_wrong
        note = f"{one.keys}/{one.of_keys} – {one.wrong}/{one.of_wrong}"
        found.append(charts.Row(one.phrase, note, dots=[("dot", keys), ("open", wrong)], span=(wrong, keys)))
    most = max(value or 0 for row in found for _kind, value in row.dots)
    return charts.by_row(sentence("phrases", language), found, charts.shares(language, most))


def similarity_plot(shares: Sequence[float], language: str) -> Chart | None:
    """Return a histogram of the similarity of pairs of items; None if there are no pairs."""
    if not shares:
        return None
    counted = [0] * (len(_EDGES) - 1)
    for share in shares:
        counted[min(bisect_right(_EDGES, share), len(counted)) - 1] += 1
    return charts.plane(
        sentence("similarity", language),
        charts.numbers(_EDGES[0], _EDGES[-1], sentence("share", language)),
        charts.counts(max(counted), sentence("pairs", language)),
        bars=((low, high, count) for (low, high), count in zip(pairwise(_EDGES), counted, strict=True)),
    )


def _columns(
    name: str, named: Mapping[str, Sequence[int]], labels: Sequence[str], unit: str, language: str
) -> Chart | None:
    """Return a chart of grouped columns, with a group for each label; None if there are no data."""
    if not named:
        return None
    most = max(map(len, named.values()))
    said = [(sentence(one, language), counts) for one, counts in sorted(named.items())]
    groups = [sentence(label, language) for label in labels[:most]]
    return charts.groups(sentence(name, language), groups, said, sentence(unit, language))
