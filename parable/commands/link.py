"""`link BEFORE AFTER`: puts two response matrices with common items on one scale, without a server."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Hashable, Iterator
from dataclasses import asdict
from typing import Any, Final

import numpy as np

from parable.commands.labels import read_labels
from parable.commands.matrices import UnusableMatrixError, read_matrix
from parable.commands.outcome import DONE, UNUSABLE, print_json, unusable, write_json
from parable.commands.results.numbers import figure, percent
from parable.psychometrics.irt import Calibration, calibrate
from parable.psychometrics.irt.curves import Array
from parable.psychometrics.linking.drift import Linked, linked
from parable.psychometrics.linking.transformation import (
    LEAST_ITEMS,
    Common,
    Link,
    Method,
    common_items,
    link,
    linked_parts,
    score,
)

SHOWN: Final = 20
METHODS: Final[dict[Method, str]] = {"stocking_lord": "Stocking-Lord", "mean_sigma": "mean-sigma"}


def run(options: argparse.Namespace) -> int:
    """Link two calibrations; return 0 when done, 2 if files cannot be used or share too few items."""
    try:
        before, after = (
            calibrate(read_matrix(path), options.model, priors=options.priors)
            for path in (options.before, options.after)
        )
        parts = linked_parts(*map(_parts_of_items, (before, after)))
        stories: dict[str, Hashable] = {}
        if options.stories is not None:
            known = {*before.items, *after.items}
            stories.update(read_labels(options.stories, ("item", "story"), known, "item"))
        common = common_items(_of_part(before, parts[0]), _of_part(after, parts[1]), stories)
        found = linked(common, errors_of(common, before, after))
        said = _said(common, before, after, parts, found) if found is not None else {}
        if options.out is not None and found is not None:
            write_json(options.out, said)
    except (UnusableMatrixError, ValueError, OSError) as error:
        return unusable(error)
    if found is None:
        n = len(common.names)
        print(
            f"{options.after}: {n} items in common with {options.before}, {LEAST_ITEMS} needed.",
            file=sys.stderr,
        )
        return UNUSABLE
    print(*_lines(found, said), sep="\n")
    if options.as_json:
        print_json(said)
    return DONE


def _parts_of_items(found: Calibration) -> dict[str, int]:
    parts = zip(found.items, found.parts.items.tolist(), strict=True)
    return {item: part for item, part in parts if part >= 0}


def _of_part(found: Calibration, part: int) -> tuple[list[str], Array]:
    """Return the names and the parameters of the items in one part of a calibration."""
    rows = np.flatnonzero(found.parts.items == part)
    return [found.items[row] for row in rows], found.slope_intercept[rows]


def errors_of(common: Common, before: Calibration, after: Calibration) -> tuple[Any, Any]:
    """Return the standard errors of the common items' difficulties in both calibrations."""
    rows = [{name: row for row, name in enumerate(one.items)} for one in (before, after)]
    picked = [[of[name] for name in common.names] for of in rows]
    return before.difficulty_se[picked[0]], after.difficulty_se[picked[1]]


def _said(
    common: Common, before: Calibration, after: Calibration, parts: tuple[int, int], found: Linked
) -> dict[str, Any]:
    """Return the result of the linking as JSON."""
    kept = common.selected(np.array([not one.moved for one in found.items], dtype=np.bool_))
    links = {"stocking_lord": found.link, "mean_sigma": link(kept, "mean_sigma")}
    return {
        "items": {"before": len(before.items), "after": len(after.items), "common": len(common.names)},
        "links": {code: None if one is None else asdict(one) for code, one in links.items()},
        "drift": [{**asdict(one), "moved": one.moved} for one in found.items],
        "abilities": list(_abilities(before, after, parts, found.link)),
        "not_compared": [
            {"id": name, "version": version}
            for version, of, part in zip(("before", "after"), (before, after), parts, strict=True)
            for name, number in zip(of.examinees, of.parts.examinees.tolist(), strict=True)
            if number != part
        ],
    }


def _abilities(
    before: Calibration, after: Calibration, parts: tuple[int, int], line: Link
) -> Iterator[dict[str, Any]]:
    """Yield, as JSON, each examinee's ability on the earlier scale and expected accuracy on its items.

    Examinees outside the linked parts are left out.
    """
    included = before.slope_intercept[~before.left_out & (before.parts.items == parts[0])]
    for version, of, part in zip(("before", "after"), (before, after), parts, strict=True):
        for name, ability, error, number in zip(
            of.examinees,
            of.ability.tolist(),
            of.ability_se.tolist(),
            of.parts.examinees.tolist(),
            strict=True,
        ):
            if number != part:
                continue
            is_here = version == "before"
            here = ability if is_here else line.ability(ability)
            yield {
                "id": name,
                "version": version,
                "ability": here,
                "se": error if is_here else line.error(ability, error),
                "expected": score(included, here),
            }


def _lines(found: Linked, data: dict[str, Any]) -> Iterator[str]:
    counts = data["items"]
    yield f"{counts['common']} items in common, of {counts['before']} before and {counts['after']} after"
    for code, label in METHODS.items():
        one = data["links"][code]
        if one is not None:
            stretch, shift = figure(one["stretch"], ".3f"), figure(one["shift"], "+.3f")
            errors = ""
            if one["variance"] is not None:
                of_stretch, of_shift = (figure(variance**0.5, ".3f") for variance in one["variance"][:2])
                errors = f" (se {of_stretch}, {of_shift}; jackknife over {one['stories']} stories)"
            yield f"{label}: ability before = {stretch} x ability after {shift}{errors}"
    moved = [one for one in found.items if one.moved]
    tested = sum(one.p_value is not None for one in found.items)
    yield f"Items that have drifted: {len(moved)} of {tested} tested (Wald, Holm, 5 %; 5 points or more)"
    for item in sorted(moved, key=lambda one: -one.apart)[:SHOWN]:
        change = f"{figure(abs(item.harder))} {'harder' if item.harder > 0 else 'easier'}"
        p, points = figure(item.p_adjusted, ".3f"), percent(item.apart, digits=0)
        yield f"  {item.item}: {change} (p adjusted {p}), {points} points apart"
    if left := len(data["not_compared"]):
        yield f"Not compared, since no answers connect them with the common items: {left} examinees"
    yield "Abilities on the scale before, highest first, and expected accuracy on the items before:"
    for row in sorted(data["abilities"], key=lambda row: -row["ability"])[:SHOWN]:
        yield (
            f"  {row['id']} ({row['version']}): {figure(row['ability'], '+.2f')} ± {figure(row['se'])},"
            f" {percent(row['expected'], digits=1)} %"
        )
