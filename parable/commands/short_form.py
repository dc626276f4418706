"""`short-form MATRIX`: selects few items that represent the whole set, and estimates their score's error."""

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from parable.commands.labels import read_labels
from parable.commands.matrices import UnusableMatrixError, read_matrix, text_of
from parable.commands.options.short_form import LABELS
from parable.commands.outcome import DONE, print_json, unusable, write_json
from parable.commands.results.numbers import percent
from parable.psychometrics.items.ranks import family_of
from parable.psychometrics.responses import ResponseMatrix
from parable.psychometrics.short_forms.form import (
    LEAST_EXAMINEES,
    STRATIFIED,
    make_form,
)
from parable.psychometrics.short_forms.labels import constraints, form_json
from parable.psychometrics.short_forms.score import rule_from_json

SHARE: Final = 0.1
"""Default size of a short form, as a share of the items."""


def run(options: argparse.Namespace) -> int:
    """Select a short form, or score answers by a given form; return 0 when done, 2 if a file is unusable."""
    try:
        matrix = read_matrix(options.matrix)
        said = _scored(matrix, options.score) if options.score else _made(matrix, options)
        if options.out is not None:
            write_json(options.out, said)
    except (UnusableMatrixError, OSError) as error:
        return unusable(error)
    except ValueError as error:
        return unusable(error, options.matrix)
    print(*(_score_lines(said) if options.score else lines(said)), sep="\n")
    if options.as_json:
        print_json(said)
    return DONE


def _made(matrix: ResponseMatrix, options: argparse.Namespace) -> dict[str, object]:
    items = set(matrix.items)
    labels = {
        label: read_labels(path, ("item", label), items, "item")
        for label, path in zip(LABELS, (options.types, options.styles, options.stories), strict=True)
        if path is not None
    }
    models = {name: family_of(name) for name in matrix.examinees}
    if options.models:
        models |= read_labels(options.models, ("subject", "model"), set(models), "examinee")
    size = options.items or round((options.share or SHARE) * len(matrix.items))
    found = make_form(
        matrix,
        size,
        constraints(matrix.items, labels),
        units=[models[name] for name in matrix.examinees],
        seed=options.seed,
    )
    if found is None:
        raise ValueError(
            f"a short form needs {LEAST_EXAMINEES} examinees who answered every item, of two models."
        )
    return form_json(matrix, found, labels)


def lines(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of the report on a short form."""
    drawn = data["method"] == STRATIFIED
    how = (
        "a stratified draw: too few examinees to tell which are informative"
        if drawn
        else "the most informative"
    )
    yield f"Short form: {len(data['items'])} of {data['of_items']} items ({how})."
    if len(data["items"]) < data["wanted"]:
        yield f"The constraints leave {len(data['items'])} of the {data['wanted']} items asked for."
    yield (
        f"Error of its score on examinees left out ({data['examinees']} of {data['models']} models, each"
        " model left out in turn), in points of accuracy:"
    )
    for name, title in (
        ("error", "this form"),
        ("random", "random draws"),
        ("stratified", "stratified draws"),
    ):
        one = data[name]
        yield (
            f"  {title}: mean {_points(one['mean'])} (95 %: {_points(one['low'])} to {_points(one['high'])}),"
            f" root mean square {_points(one['root'])}"
        )
    yield f"A score is within ± {_points(data['error']['half_width'])} of the accuracy in 95 of 100 cases."
    for label in ("type", "style"):
        counted = Counter(one[label] for one in data["items"] if label in one)
        if counted:
            yield f"By {label}: " + ", ".join(f"{name} {n}" for name, n in sorted(counted.items())) + "."
    yield "Items, in the order in which they were taken:"
    yield from (f"  {one['id']}" for one in data["items"])


def _points(share: float | None) -> str:
    return percent(share)


def _scored(matrix: ResponseMatrix, path: Path) -> dict[str, object]:
    """Return, as JSON, the scores of the examinees who answered all items of a form, and the others' names.

    Raise UnusableMatrixError if the form cannot be used with the matrix.
    """
    try:
        form = json.loads(text_of(path))
        names = [str(one["id"]) for one in form["items"]]
        rule, half = rule_from_json(form["rule"]), form["error"]["half_width"]
    except (ValueError, KeyError, TypeError) as error:
        raise UnusableMatrixError(f"{path}: is no short form ({error}).") from error
    places = {name: index for index, name in enumerate(matrix.items)}
    if missing := [name for name in names if name not in places]:
        raise UnusableMatrixError(f"{path}: item {missing[0]!r} does not stand in the matrix.")
    cells = matrix.cells[:, [places[name] for name in names]]
    if cells.shape[1] != len(rule.means):
        raise UnusableMatrixError(f"{path}: has {len(names)} items, and a rule for {len(rule.means)}.")
    whole = np.asarray(~np.isnan(cells).any(axis=1))
    scores = rule.scores(cells[whole])
    known = [name for name, is_whole in zip(matrix.examinees, whole, strict=True) if is_whole]
    return {
        "items": len(names),
        "half_width": half,
        "scores": [{"id": name, "score": float(score)} for name, score in zip(known, scores, strict=True)],
        "not_scored": [name for name, is_whole in zip(matrix.examinees, whole, strict=True) if not is_whole],
    }


def _score_lines(data: Mapping[str, Any]) -> Iterator[str]:
    yield f"Accuracy on the whole set, by {data['items']} items (± {_points(data['half_width'])}, 95 %):"
    yield from (f"  {one['id']}: {_points(one['score'])}" for one in data["scores"])
    if data["not_scored"]:
        yield f"Not scored, since answers are missing: {', '.join(data['not_scored'])}."
