"""Whether an examinee prefers a place among the options, whatever is there."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from parable.psychometrics.results.clusters import Part, combination
from parable.psychometrics.results.estimates import Estimate
from parable.psychometrics.results.sheets import NONE, Floats, Items, Mask, ResponseColumns

_LEAST_SPREAD: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Place:
    """One position as shown: how often it was chosen and held the key, and how often the key there was found.

    `excess` is the share chosen less the share of keys, over the answers that chose an option.
    """

    chosen: int
    keys: int
    excess: Estimate
    found: float | None


@dataclass(frozen=True, slots=True)
class Preference:
    """The positions of one examinee.

    `p_value` is that of no preference at all, clustered by story, None where stories are too few or all
    alike; `spread` is the standard deviation of `found` over the positions.
    """

    answers: int
    places: tuple[Place, ...]
    p_value: float | None
    spread: float | None


def position_preference(sheet: ResponseColumns, items: Items, chosen: Mask) -> Preference | None:
    """Where an examinee's choices stand against where the keys stand; None where nothing was chosen."""
    rows = chosen[sheet.item] & (sheet.shown != NONE)
    if not rows.any():
        return None
    count = int(items.options[sheet.item[rows]].max())
    places = np.arange(count)
    picked = (sheet.shown[rows][:, None] == places).astype(np.float64)
    keys = (sheet.key_shown[rows][:, None] == places).astype(np.float64)
    stories = items.story[sheet.item[rows]]
    right = sheet.right[rows]
    found = [float(right[keys[:, at] > 0].mean()) if keys[:, at].any() else None for at in places]
    known = [one for one in found if one is not None]
    return Preference(
        answers=int(rows.sum()),
        places=tuple(
            Place(
                chosen=int(picked[:, at].sum()),
                keys=int(keys[:, at].sum()),
                excess=combination([Part(picked[:, at] - keys[:, at], stories)]),
                found=found[at],
            )
            for at in places
        ),
        p_value=_p_value(picked - keys, stories),
        spread=float(np.std(known)) if len(known) > 1 else None,
    )


def _p_value(apart: Floats, stories: Floats) -> float | None:
    """Hotelling's test that all columns have mean zero, whole stories as units."""
    clusters, where = np.unique(stories, return_inverse=True)
    sums = np.stack(
        [np.bincount(where, weights=column, minlength=len(clusters)) for column in apart.T], axis=1
    )
    pulls = sums - np.bincount(where)[:, None] * apart.mean(axis=0)
    groups = len(clusters)
    if groups < 2:
        return None
    total = apart.sum(axis=0)
    spreads, axes = np.linalg.eigh(pulls.T @ pulls * groups / (groups - 1))
    # The columns add up to nothing, so one axis at least has no spread but for what rounding leaves.
    varied = spreads > _LEAST_SPREAD * max(float(spreads[-1]), 1.0)
    free = int(varied.sum())
    if not free or groups <= free + 1:
        return None if free or total.any() else 1.0
    statistic = float((np.square(total @ axes[:, varied]) / spreads[varied]).sum())
    scaled = statistic * (groups - free) / ((groups - 1) * free)
    return float(scipy.stats.f.sf(scaled, free, groups - free))
