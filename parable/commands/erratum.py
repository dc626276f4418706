"""`erratum BEFORE AFTER RESPONSES`: prints the effect of a release's later version on each model."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import Final

from parable.commands.outcome import DONE, UNUSABLE, print_json
from parable.commands.results.numbers import percent
from parable.commands.score import refuse, sheets_of
from parable.formats.release_folder import read_release_folder
from parable.formats.responses import read_responses
from parable.psychometrics.linking.errata import Erratum, corrected, erratum, rescored
from parable.psychometrics.results.estimates import Estimate
from parable.psychometrics.results.sheets import Items, item_fact

SHOWN: Final = 20


def run(options: argparse.Namespace) -> int:
    """Score the same answers by the keys of both versions; return 0, or 2 if a file cannot be used."""
    folders = [
        read_release_folder(options.before, answers=options.answers),
        read_release_folder(options.after),
    ]
    errors = [error for folder in folders for error in folder.errors]
    if errors:
        return refuse(errors, as_json=options.as_json)
    before, after = ([one for one in folder.of_split(options.split) if one.is_keyed] for folder in folders)
    responses = read_responses(
        options.responses, options={one.id: len(one.choices) for one in folders[0].items}
    )
    if responses.errors:
        return refuse(responses.errors, as_json=options.as_json)
    later = corrected(before, after)
    of = [Items(item_fact(one) for one in records) for records in (before, later)]
    sheets = [
        sheets_of(items, records, responses.records, rule=options.rule)
        for items, records in zip(of, (before, later), strict=True)
    ]
    models, items = rescored(of[0], of[1], *sheets)
    found = erratum(models, items) if models else None
    if found is None:
        print(f"{options.before}: no model answered items that both versions hold.", file=sys.stderr)
        return UNUSABLE
    print(*_lines(found), sep="\n")
    if options.as_json:
        print_json(asdict(found))
    return DONE


def _lines(found: Erratum) -> Iterator[str]:
    yield (
        f"{len(found.changed)} items count otherwise: {found.items_before} items before,"
        f" {found.items_after} after (95 % intervals by story)"
    )
    yield from (f"  {item}" for item in found.changed[:SHOWN])
    for one in sorted(found.changes, key=lambda one: one.rank_after):
        to = f" to {one.rank_after}" if one.rank_after != one.rank_before else ""
        yield (
            f"{one.model}: {_points(one.before)} before, {_points(one.after)} after,"
            f" difference {_points(one.difference)}, rank {one.rank_before}{to}"
        )


def _points(of: Estimate) -> str:
    if of.value is None:
        return "–"
    ends = (
        ""
        if of.low is None or of.high is None
        else f" ({percent(of.low, digits=1)} to {percent(of.high, digits=1)})"
    )
    return f"{percent(of.value, digits=1)}{ends}"
