"""The plots of a report, as SVG that is the same byte for byte each time."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import matplotlib as mpl
from matplotlib.figure import Figure

from parable.commands.svg import BLUE, GREY, STYLE, as_svg, plain
from parable.commands.wording import sentence
from parable.quality.gates import GateResult
from parable.quality.gates.key_position import keys_by_place
from parable.quality.phrases import Telling

LETTERS: Final = "ABCDEFGH"
MOST_PHRASES: Final = 15
BINS: Final = 10


def length_plot(results: Iterable[GateResult], language: str) -> str:
    """How many keys are the longest, the second, ...; beside what chance would give."""
    named = {
        result.task or "": [float(count) for count in result.detail["margins"]]
        for result in results
        if any(result.detail.get("margins", ()))
    }
    return _columns(named, [str(place + 1) for place in range(8)], "keys", language)


def position_plot(results: Iterable[GateResult], language: str) -> str:
    """How many keys are at each letter."""
    named = {
        result.task or "": [float(count) for count in counted]
        for result in results
        if (counted := keys_by_place(result.detail))
    }
    return _columns(named, list(LETTERS), "keys", language)


def type_plot(results: Iterable[GateResult], language: str) -> str:
    """How many items of each type every split has."""
    for result in results:
        if counts := result.detail.get("types"):
            codes = list(next(iter(counts.values())))
            named = {split: [float(row[code]) for code in codes] for split, row in counts.items()}
            return _columns(named, codes, "items", language)
    return ""


def phrase_plot(phrases: Sequence[Telling], language: str) -> str:
    """For each telling phrase the share of keys and of wrong options that say it."""
    if not phrases:
        return ""
    shown = list(phrases[:MOST_PHRASES])[::-1]
    places = range(len(shown))
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6, 0.6 + 0.25 * len(shown)), layout="constrained")
        axes = figure.subplots()
        for place, one in zip(places, shown, strict=True):
            axes.plot([one.wrong / one.of_wrong, one.keys / one.of_keys], [place] * 2, color=GREY, lw=1)
        axes.scatter([one.keys / one.of_keys for one in shown], places, color=BLUE, zorder=3)
        axes.scatter(
            [one.wrong / one.of_wrong for one in shown], places, facecolors="white", edgecolors=BLUE, zorder=3
        )
        axes.set_yticks(places, [plain(one.phrase) for one in shown])
        axes.set_xlabel(sentence("share", language))
        return as_svg(figure)


def similarity_plot(shares: Sequence[float], language: str) -> str:
    """How many pairs of items share so much of their words."""
    if not shares:
        return ""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6, 2.2), layout="constrained")
        axes = figure.subplots()
        axes.hist(shares, bins=BINS, range=(0.5, 1), color=BLUE, rwidth=0.9)
        axes.set_xlabel(sentence("share", language))
        axes.set_ylabel(sentence("pairs", language))
        return as_svg(figure)


def _columns(named: Mapping[str, Sequence[float]], labels: Sequence[str], unit: str, language: str) -> str:
    """Columns side by side, a group a label; one colour a name."""
    if not named:
        return ""
    most = max(map(len, named.values()))
    width = 0.8 / len(named)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6, 2.2), layout="constrained")
        axes = figure.subplots()
        for number, (name, counts) in enumerate(sorted(named.items())):
            where = [place - 0.4 + width * (number + 0.5) for place in range(len(counts))]
            label = plain(sentence(name, language)) or None
            axes.bar(where, counts, width * 0.92, color=(BLUE, GREY)[number % 2], label=label)
        axes.set_xticks(range(most), [plain(sentence(label, language)) for label in labels[:most]])
        axes.set_ylabel(sentence(unit, language))
        if len(named) > 1:
            figure.legend(frameon=False, loc="outside right upper")
        return as_svg(figure)
