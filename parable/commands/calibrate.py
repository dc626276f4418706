"""`calibrate MATRIX`: puts items and examinees on one scale by an IRT model, without a server."""

import argparse
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from parable.commands import groups
from parable.commands.fit import FitReport
from parable.commands.labels import read_labels
from parable.commands.matrices import UnusableMatrixError, read_matrix
from parable.commands.outcome import DONE, print_json, unusable, write_json
from parable.commands.results.numbers import figure, percent
from parable.psychometrics.classical import kr20
from parable.psychometrics.irt import (
    FEW_EXAMINEES,
    Calibration,
    StoryAbilities,
    abilities_by_story,
    by_story,
    calibrate,
)
from parable.psychometrics.items.analysis import part_of
from parable.psychometrics.items.chance import negative_share
from parable.psychometrics.responses import Parts, ResponseMatrix

SEED: Final = 7
STORY_COLUMNS: Final = ("item", "story")
SHOWN: Final = 20
"""Maximum number of items and of examinees that are printed; the file and the JSON have all."""


def run(options: argparse.Namespace) -> int:
    """Estimate one IRT model from one matrix; return 0 when done, 2 if the file cannot be used."""
    try:
        matrix = read_matrix(options.matrix)
        of_groups = groups.read_groups(options.groups, matrix.examinees) if options.groups else {}
        stories = _stories(options.stories, matrix.items)
        found = calibrate(matrix, options.model, priors=options.priors)
        clustered = abilities_by_story(matrix, found, stories) if stories else None
        found = by_story(found, clustered)
        compared = groups.compare_groups(matrix, of_groups)
        said = as_json(found)
        if clustered is not None:
            said["stories"] = {
                "n": clustered.stories,
                "correlation": clustered.correlation,
                "design_effect": float(clustered.design_effect.mean()),
            }
        if of_groups:
            said["differential_functioning"] = groups.as_json(matrix, of_groups, compared)
        fit = FitReport(matrix, found) if options.fit else None
        if fit:
            said["fit"] = fit.as_json()
        _write(options, found, said)
    except (UnusableMatrixError, OSError) as error:
        return unusable(error)
    except ValueError as error:
        return unusable(error, options.matrix)
    about = story_lines(clustered) if stories else ()
    for line in (*lines(found, options.priors), *about, *by_chance(matrix, found)):
        print(line)
    if fit:
        print(*fit.lines(), sep="\n")
    if of_groups:
        print(*groups.lines(matrix, of_groups, compared), sep="\n")
    if options.as_json:
        print_json(said)
    return DONE


def _stories(path: Path | None, items: Sequence[str]) -> list[str]:
    """Return the story of each item, or [] without a file.

    An item that the file does not list is a story of its own.
    """
    if path is None:
        return []
    named = read_labels(path, STORY_COLUMNS, set(items), "item")
    return [f"story {named[item]}" if item in named else f"item {item}" for item in items]


def story_lines(clustered: StoryAbilities | None) -> Iterator[str]:
    """Yield sentences on how stories affect the standard errors of abilities."""
    if clustered is None:
        yield "Stories change nothing: all items are of one, or no two share one."
        return
    yield (
        f"Abilities have {clustered.stories} stories as units: correlation within stories"
        f" {figure(clustered.correlation)}, design effect {figure(clustered.design_effect.mean())}."
    )


def _write(options: argparse.Namespace, found: Calibration, data: dict[str, object]) -> None:
    """Write the files that the options name."""
    if options.plots is not None:
        from parable.commands.item_plots import plots

        options.plots.mkdir(parents=True, exist_ok=True)
        for name, svg in plots(found, options.language).items():
            (options.plots / name).write_text(svg, encoding="utf-8", newline="\n")
    if options.out is not None:
        write_json(options.out, data)


def as_json(found: Calibration) -> dict[str, object]:
    """Return the calibration as JSON; null for numbers that the answers do not determine.

    `se` of an item has the standard errors of discrimination, difficulty and guessing.
    """
    names = ("discrimination", "difficulty", "guessing")
    estimates = [getattr(found, name) for name in names]
    errors = [getattr(found, f"{name}_se") for name in names]
    return {
        "model": found.model,
        "examinees": len(found.examinees),
        "items": len(found.items),
        "log_likelihood": found.log_likelihood,
        "item_parameters": [
            {
                "id": item,
                **{name: _number(values[row]) for name, values in zip(names, estimates, strict=True)},
                "se": {name: _number(values[row]) for name, values in zip(names, errors, strict=True)},
                **part_of(found, found.parts.items[row]),
            }
            for row, item in enumerate(found.items)
        ],
        "abilities": [
            {
                "id": name,
                "ability": _number(found.ability[row]),
                "se": _number(found.ability_se[row]),
                **part_of(found, found.parts.examinees[row]),
            }
            for row, name in enumerate(found.examinees)
        ],
        **({"parts": part_sizes(found.parts)} if found.parts.count > 1 else {}),
    }


def part_sizes(parts: Parts) -> list[dict[str, int]]:
    """Return the numbers of examinees and items of each part as JSON."""
    return [{"examinees": examinees, "items": items} for examinees, items in parts.sizes()]


def lines(found: Calibration, asked: str) -> Iterator[str]:
    """Yield the lines of the printed summary: priors, warnings, items with low discrimination, abilities."""
    yield (
        f"{found.model}: {len(found.examinees)} examinees, {len(found.items)} items,"
        f" priors {found.priors}{' (auto)' if asked == 'auto' else ''},"
        f" log likelihood {figure(found.log_likelihood)}"
    )
    yield from _warnings(found)
    for part in range(found.parts.count):
        yield from _of_part(found, part)


def _of_part(found: Calibration, part: int) -> Iterator[str]:
    """Yield lines on the items and abilities of one part, which has a number if there are several parts.

    Parts of a matrix share no examinee and no item.
    """
    if found.parts.count > 1:
        examinees, items = found.parts.sizes()[part]
        yield f"Part {part + 1}: {examinees} examinees, {items} items."
    yield "Items with the lowest discrimination (logistic metric):"
    order = np.argsort(found.discrimination, kind="stable")
    for row in [row for row in order if found.parts.items[row] == part and not found.left_out[row]][:SHOWN]:
        yield (
            f"  {found.items[row]}: discrimination"
            f" {_shown(found.discrimination[row], found.discrimination_se[row])}, difficulty"
            f" {_shown(found.difficulty[row], found.difficulty_se[row])}"
            + (
                f", guessing {_shown(found.guessing[row], found.guessing_se[row])}"
                if found.model == "3pl"
                else ""
            )
        )
    yield "Abilities, highest first:"
    order = np.argsort(-found.ability, kind="stable")
    for row in [row for row in order if found.parts.examinees[row] == part][:SHOWN]:
        yield f"  {found.examinees[row]}: {_shown(found.ability[row], found.ability_se[row])}"


def _warnings(found: Calibration) -> Iterator[str]:
    if len(found.examinees) < FEW_EXAMINEES:
        yield (
            f"Only {len(found.examinees)} examinees: items are known vaguely, and their estimates owe much to"
            " the priors."
        )
    if left_out := int(found.left_out.sum()):
        yield f"Left out because everybody or nobody got them right: {left_out} items."
    if found.parts.count > 1:
        yield (
            f"{found.parts.count} parts of the matrix share no examinee and no item. Each has a scale of its"
            " own: abilities and difficulties of different parts are not comparable."
        )
    negative = int(np.sum(found.discrimination < 0))
    if negative:
        yield f"Negative discrimination (look at the key): {negative} items."
    if not found.converged:
        yield "The estimates had not settled when the last cycle was over."


def by_chance(matrix: ResponseMatrix, found: Calibration) -> Iterator[str]:
    """Yield the reliability (KR-20), if it can be computed.

    For few examinees, first yield the observed share of negative discriminations and the share expected by
    chance.
    """
    if len(found.examinees) < FEW_EXAMINEES:
        share = negative_share(matrix, found, seed=SEED)
        yield (
            f"Share of items with negative discrimination: {percent(share.share, digits=1)} %"
            f" of {int(np.sum(~found.left_out))}; sets without any would show"
            f" {percent(share.by_chance, digits=1)} %"
            f" ({percent(share.low, digits=1)} to {percent(share.high, digits=1)})."
        )
    reliability = kr20(matrix)
    if reliability.value is not None:
        yield (
            f"Reliability (KR-20): {figure(reliability.value)}"
            f" ({figure(reliability.low)} to {figure(reliability.high)}),"
            f" of {reliability.examinees} examinees who answered every item."
        )


def _shown(value: float, error: float) -> str:
    return figure(value) if math.isnan(error) else f"{figure(value)} ± {figure(error)}"


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
