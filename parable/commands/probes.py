"""`probes RELEASE_DIR`: tests what models answer right without story or stem, or with another story."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import Final

import numpy as np

from parable.commands.outcome import DONE, UNUSABLE, print_json
from parable.commands.results.numbers import figure, percent
from parable.commands.score import refuse, sheets_of
from parable.formats.release_folder import read_release_folder
from parable.formats.responses import read_responses
from parable.psychometrics.results.estimates import Estimate
from parable.psychometrics.results.partial_inputs import Asked, PartialInputFigures, compare_partial_inputs
from parable.psychometrics.results.sheets import Items, ResponseColumns, item_fact

SHOWN: Final = 20


def run(options: argparse.Namespace) -> int:
    """Compare answers to whole and partial items; return 0, or 2 if a file cannot be used."""
    release = read_release_folder(options.release, answers=options.answers)
    if release.errors:
        return refuse(release.errors, as_json=options.as_json)
    records = [one for one in release.of_split(options.split) if one.is_keyed]
    known = {one.id: len(one.choices) for one in release.items}
    read = [read_responses(paths, options=known) for paths in (options.whole, options.probe)]
    if errors := [error for of in read for error in of.errors]:
        return refuse(errors, as_json=options.as_json)
    items = Items(item_fact(one) for one in records)
    whole, probe = (
        {one.name: one for one in sheets_of(items, records, of.records, rule=options.rule)} for of in read
    )
    found = {
        name: figures
        for name in whole
        if name in probe and (figures := figures_of(items, whole[name], probe[name])) is not None
    }
    if not found:
        print(f"{options.release}: no model answered items both ways.", file=sys.stderr)
        return UNUSABLE
    for name, figures in found.items():
        print(*_lines(name, figures), sep="\n")
    if options.as_json:
        models = {name: asdict(figures) for name, figures in found.items()}
        print_json({"models": models})
    return DONE


def figures_of(items: Items, whole: ResponseColumns, probe: ResponseColumns) -> PartialInputFigures | None:
    """Compare one model's answers to whole items and to a probe; return None if no item was asked in both."""
    n = len(items.facts)
    counts = [
        (np.bincount(of.item[of.right], minlength=n), np.bincount(of.item, minlength=n))
        for of in (whole, probe)
    ]
    found: list[Asked] = []
    for row, fact in enumerate(items.facts):
        (whole_right, asked), (probe_right, probed) = ((int(a[row]), int(b[row])) for a, b in counts)
        chance = float(items.chance[row])
        found.append(Asked(fact.id, fact.story, chance, whole_right, asked, probe_right, probed))
    return compare_partial_inputs(found)


def _lines(name: str, found: PartialInputFigures) -> Iterator[str]:
    yield (
        f"{name}: {found.items} items of {found.stories} stories asked both ways; 95 % intervals by story,"
        f" chance {percent(found.chance, digits=1)} %"
    )
    yield f"  whole items right {_points(found.whole)}, probe {_points(found.probe)}"
    yield f"  difference {_points(found.difference)}"
    yield f"  of {found.kept_items} items answered whole, still right in {_points(found.kept)}"
    yield (
        f"  {len(found.named)} items are answered without the missing part more often than by guessing;"
        f" guessing alone would name {figure(found.expected, '.1f')}"
    )
    for one in found.named[:SHOWN]:
        chance = percent(one.chance, digits=0)
        yield f"    {one.item}: right in {one.right} of {one.asked} askings (chance {chance} %)"


def _points(of: Estimate) -> str:
    if of.value is None:
        return "–"
    ends = (
        ""
        if of.low is None or of.high is None
        else f" ({percent(of.low, digits=1)} to {percent(of.high, digits=1)})"
    )
    return f"{percent(of.value, digits=1)} %{ends}"
