"""Linking of a calibration to the scale of an earlier release's calibration, through common items.

Importing this module loads NumPy and SciPy.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

import numpy as np

from evaluation.models import Calibration
from evaluation.queries.calibration import StoredFigures
from parable.psychometrics.linking.drift import Linked, linked
from parable.psychometrics.linking.transformation import Common, common_items, link, linked_parts, score
from release.models import Release, ReleaseItem

MOST_MOVED: Final = 200
MOST_EXAMINEES: Final = 500
"""At most `MOST_MOVED` drifted items and `MOST_EXAMINEES` examinees are stored; counts include all."""
Rows = Sequence[Mapping[str, Any]]


def earlier_calibration(calibration: Calibration) -> Calibration | None:
    """Return an earlier release's newest calibration with the same IRT model, or None."""
    found = Calibration.objects.filter(
        release__project=calibration.release.project,
        release__lt=calibration.release_id,
        model=calibration.model,
        parameters__has_key="item_parameters",
    )
    return found.select_related("release").order_by("-release", "-pk").first()


def linked_with_earlier(calibration: Calibration, parameters: Mapping[str, Any]) -> StoredFigures | None:
    """Return the link of these parameters to an earlier calibration, or None if too few items are common."""
    earlier = earlier_calibration(calibration)
    if earlier is None or "item_parameters" not in parameters:
        return None
    same = same_items(earlier.release, calibration.release)
    before: Rows = earlier.parameters["item_parameters"]
    after: Rows = [row for row in parameters["item_parameters"] if row["id"] in same]
    parts = linked_parts(*({row["id"]: _part(row) for row in rows if _part(row)} for rows in (before, after)))
    before, after = (
        [row for row in rows if _part(row) == part] for rows, part in zip((before, after), parts, strict=True)
    )
    common = common_items(_curves(before), _curves(after), same)
    found = linked(common, (_errors(common, before), _errors(common, after)))
    if found is None:
        return None
    everybody: tuple[Rows, Rows] = parameters["abilities"], earlier.parameters["abilities"]
    people = [
        [row for row in rows if _part(row) == part]
        for rows, part in zip(everybody, reversed(parts), strict=True)
    ]
    kept = common.selected(np.array([not one.moved for one in found.items], dtype=np.bool_))
    other = link(kept, "mean_sigma")
    links = {"stocking_lord": asdict(found.link), "mean_sigma": None if other is None else asdict(other)}
    return {
        "calibration": earlier.pk,
        "release": earlier.release.version,
        "common": len(common.names),
        "links": links,
        "tested": sum(one.p_value is not None for one in found.items),
        "moved": [asdict(one) for one in found.items if one.moved][:MOST_MOVED],
        "examinees": _examinees(before, found, *people),
        "not_compared": sum(len(rows) for rows in everybody) - sum(len(rows) for rows in people),
    }


def _part(row: Mapping[str, Any]) -> int:
    """Return the number of the part that a row belongs to: 1 if none is stored, 0 if it is unconnected."""
    return row.get("part", 1) or 0


def same_items(before: Release, after: Release) -> StoredFigures:
    """Return {public id: story id} of the items with the same wording and key in both releases."""
    fields = ("public_id", "record__question", "record__choices", "record__answer", "record__story_id")
    rows = [ReleaseItem.objects.filter(release=one).values_list(*fields) for one in (before, after)]
    known = {name: _words(*rest) for name, *rest, _story in rows[0].iterator()}
    return {name: story for name, *rest, story in rows[1].iterator() if known.get(name) == _words(*rest)}


def _words(question: str, choices: list[str], answer: Any) -> tuple[object, ...]:
    is_place = isinstance(answer, int) and 0 <= answer < len(choices)
    return question, sorted(choices), choices[answer] if is_place else answer


def _curves(rows: Rows) -> tuple[list[str], Any]:
    """Return item ids, and their slope, intercept and guessing, shape (items, 3).

    Slope and intercept are NaN if unknown.
    """
    names = ("discrimination", "difficulty", "guessing")
    values = np.array(
        [[np.nan if row[name] is None else row[name] for name in names] for row in rows], dtype=np.float64
    ).reshape(-1, 3)
    return [str(row["id"]) for row in rows], np.column_stack(
        [values[:, 0], -values[:, 0] * values[:, 1], np.nan_to_num(values[:, 2])]
    )


def _errors(common: Common, rows: Rows) -> Any:
    of = {row["id"]: row["se"]["difficulty"] for row in rows}
    return np.array([np.nan if of[name] is None else of[name] for name in common.names], dtype=np.float64)


def _examinees(before: Rows, found: Linked, after: Rows, earlier: Rows) -> list[StoredFigures]:
    """Return the examinees of both calibrations on the earlier scale, with expected proportion correct."""
    _, items = _curves(before)
    items = items[np.isfinite(items).all(axis=1)]
    rows = []
    for people, is_new in ((after, True), (earlier, False)):
        for one in people[:MOST_EXAMINEES]:
            if one["ability"] is None:
                continue
            error = one["se"] or 0.0
            here = found.link.ability(one["ability"]) if is_new else one["ability"]
            se = found.link.error(one["ability"], error) if is_new else error
            rows.append(
                {
                    "name": one["id"],
                    "is_new": is_new,
                    "ability": here,
                    "se": se,
                    "expected": score(items, here),
                }
            )
    return sorted(rows, key=lambda row: -row["ability"])
