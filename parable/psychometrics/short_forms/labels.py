"""Convert types, styles and stories of items to constraints of a short form, and a form to JSON."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from parable.psychometrics.responses import ResponseMatrix
from parable.psychometrics.short_forms.form import Error, ShortForm
from parable.psychometrics.short_forms.selection import Constraints


def constraints(items: Sequence[str], labels: Mapping[str, Mapping[str, str]]) -> Constraints:
    """Return the constraints for labels of items.

    `labels` maps each kind of label to the labels of items, by item id. Items without labels form one
    stratum; each item without a story is a story of its own.
    """
    kinds = [labels[name] for name in ("type", "style") if name in labels]
    strata = tuple(" / ".join(of.get(item, "–") for of in kinds) for item in items) if kinds else ()
    of_story = labels.get("story")
    stories = (
        ()
        if of_story is None
        else tuple(f"story {of_story[item]}" if item in of_story else f"item {item}" for item in items)
    )
    return Constraints(strata, stories)


def form_json(
    matrix: ResponseMatrix, found: ShortForm, labels: Mapping[str, Mapping[str, str]]
) -> dict[str, Any]:
    """Return a short form as JSON; errors are proportions."""
    names = [matrix.items[one] for one in found.items]
    return {
        "method": found.method,
        "examinees": found.error.n,
        "models": found.error.units,
        "of_items": len(matrix.items),
        "wanted": found.wanted,
        "items": [
            {"id": name, **{label: of[name] for label, of in labels.items() if name in of}} for name in names
        ],
        "error": error_json(found.error),
        "random": error_json(found.random),
        "stratified": error_json(found.stratified),
        "rule": found.rule.as_json(),
        "left_out": [
            {"id": matrix.examinees[row], "share": share, "score": score}
            for row, share, score in found.left_out
        ],
    }


def error_json(one: Error) -> dict[str, float | int | None]:
    """Return an error as JSON: mean, 95 % interval, root mean square, half-width of a score's interval."""
    return {
        "mean": one.mean,
        "low": one.low,
        "high": one.high,
        "root": one.root,
        "half_width": one.half_width if math.isfinite(one.half_width) else None,
    }
