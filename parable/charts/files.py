"""Charts as separate SVG files, in the colours of the site for light and dark backgrounds."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from parable.charts.marks import LETTER, Chart, Svg, escaped, fit, letters, text

INKS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "sheet": ("#fdfbf6", "#1c1915"),
        "ink": ("#221e19", "#ebe4d7"),
        "ink-2": ("#554e45", "#bab1a2"),
        "ink-3": ("#6a6258", "#9f9586"),
        "hairline": ("#e4ddcf", "#332e27"),
        "edge": ("#8a8173", "#7b7263"),
        "good": ("#2a633e", "#86bd94"),
        "careful": ("#7c5000", "#dcab58"),
        "wrong": ("#8c1d4f", "#ea92b1"),
    }
)
"""Pairs of colours, for light and dark backgrounds, by their names in the style sheet."""
RULES: Final = (
    ("text", "fill:ink-2"),
    (".axis", "stroke:edge"),
    (".chance", "stroke:ink-3;stroke-dasharray:2 3"),
    (".span", "stroke:ink;stroke-width:2"),
    (".dot", "fill:ink;stroke:sheet"),
    (".curve", "fill:none;stroke:ink;stroke-width:1.6"),
    (".bar", "fill:ink-3"),
    (".open", "fill:sheet;stroke:ink;stroke-width:1.6"),
    (".field,.on-field", "fill:ink"),
    (".field.less", "fill:careful"),
    (".part", "stroke:sheet;fill:ink-2"),
    (".part.right", "fill:good"),
    (".part.wrong", "fill:wrong"),
    (".part.contradicting", "fill:ink-3"),
    (".part.ambiguous,.part.n0", "fill:careful"),
    (".part.refused", "fill:edge"),
    (".part.n1,.part.n2,.part.n3", "fill:ink"),
    (".part.n1", "fill-opacity:.25"),
    (".part.n2", "fill-opacity:.5"),
    (".part.n3", "fill-opacity:.85"),
    (".part.failed", "fill:hairline;stroke:edge"),
    (".paper", "fill:sheet"),
)
"""The style rules of charts in files: pairs of selectors and declarations.

A test compares these rules with the style sheet of pages.
"""


def _style(paper: int, rules: Iterable[tuple[str, str]]) -> str:
    written = []
    for where, what in rules:
        selectors = ",".join(f".drawn {one}" for one in where.split(","))
        pairs = (one.split(":") for one in what.split(";"))
        drawn = ";".join(f"{name}:{INKS[value][paper] if value in INKS else value}" for name, value in pairs)
        written.append(f"{selectors}{{{drawn}}}")
    return "".join(written)


STYLE: Final = (
    ".drawn{font:11px sans-serif}"
    + _style(0, RULES)
    + f"@media(prefers-color-scheme:dark){{{_style(1, RULES)}}}"
)

_HEAD, _UNDER, _GAP, _EDGE = 28, 20, 24, 6
_WIDEST: Final = 780
_TITLE_LETTER: Final = 7.4


def as_file(charts: Sequence[Chart], title: str, language: str) -> Svg:
    """Return an SVG file with all charts, arranged in rows under a title; equal charts give equal bytes."""
    widest = max(chart.width for chart in charts)
    beside = max(1, min(len(charts), (_WIDEST + _GAP) // (widest + _GAP)))
    head = _UNDER if any(chart.caption != title for chart in charts) else 0
    top, drawn = _HEAD, []
    for start in range(0, len(charts), beside):
        line = charts[start : start + beside]
        for at, chart in enumerate(line):
            x = _EDGE + at * (widest + _GAP)
            said = text(fit(chart.caption, chart.width / LETTER), 0, 12).as_svg() if head else ""
            plot = f'<g transform="translate(0 {head})">{chart.drawn()}</g>'
            drawn.append(f'<g transform="translate({x} {top})">{said}{plot}</g>')
        top += head + max(chart.height for chart in line) + _GAP
    width = 2 * _EDGE + max(beside * (widest + _GAP) - _GAP, round(_TITLE_LETTER * letters(title)))
    height = top - _GAP + _EDGE
    tag = "zh-hans" if language == "zh" else language
    return Svg(
        f'<svg xmlns="http://www.w3.org/2000/svg" class="drawn" xml:lang="{tag}"'
        f' viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img"><style>{STYLE}</style>'
        f'<title>{escaped(title)}</title><rect class="paper" width="100%" height="100%"/>'
        f'<text x="{_EDGE}" y="18" font-size="13">{escaped(title)}</text>{"".join(drawn)}</svg>\n'
    )
