"""Simulate how many items have negative discrimination by chance, and estimate how precise this share is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

import numpy as np

from parable.psychometrics.bootstrap import RESAMPLES, cluster_interval
from parable.psychometrics.irt import Calibration, discriminations
from parable.psychometrics.irt.curves import SLOPE, curves
from parable.psychometrics.irt.priors import PriorChoice
from parable.psychometrics.responses import ResponseMatrix, item_rest_correlation

DRAWS: Final = 20
MOST_ITEMS: Final = 400
"""The most items per simulated set: each set takes a new calibration, and more items add little precision."""
_TOLERANCE: Final = 1e-2
_MOST_CYCLES: Final = 30


@dataclass(frozen=True, slots=True)
class NegativeShare:
    """The proportion of items with negative discrimination, and the proportion expected by chance.

    `by_chance` is the mean over simulated sets in which all true discriminations are positive; `low` to
    `high` covers 95 % of these sets.
    """

    share: float
    by_chance: float
    low: float
    high: float


def negative_share(
    matrix: ResponseMatrix,
    found: Calibration,
    *,
    seed: int,
    draws: int = DRAWS,
    report: Callable[[int], object] | None = None,
) -> NegativeShare:
    """Return the proportion of items with negative discrimination, and simulate its value by chance.

    The simulated answers come from the same items with positive slopes. `report` is called before each draw
    with the number of sets drawn.
    """
    rng = np.random.default_rng(seed)
    included = np.flatnonzero(~found.left_out)
    included = np.sort(rng.choice(included, min(len(included), MOST_ITEMS), replace=False))
    parameters = found.slope_intercept[included]
    parameters[:, SLOPE] = np.abs(parameters[:, SLOPE])
    chance = curves(parameters, found.ability).right.T
    answered = matrix.answered[:, included]
    names = tuple(matrix.items[item] for item in included)
    shares = []
    for draw in range(draws):
        if report is not None:
            report(draw)
        cells = np.where(answered, (rng.random(chance.shape) < chance).astype(np.float64), np.nan)
        shares.append(_share(ResponseMatrix(matrix.examinees, names, cells), found))
    low, high = np.quantile(shares, [0.025, 0.975])
    seen = float(np.mean(found.discrimination[~found.left_out] < 0))
    return NegativeShare(seen, float(np.mean(shares)), float(low), float(high))


def _share(matrix: ResponseMatrix, like: Calibration) -> float:
    priors: PriorChoice = "none" if like.priors == "none" else "weak"
    try:
        again = discriminations(
            matrix, like.model, priors=priors, tolerance=_TOLERANCE, most_cycles=_MOST_CYCLES
        )
    except ValueError:  # all simulated answers are equal by chance
        return 0.0
    return float(np.mean(again[~np.isnan(again)] < 0))


def negative_correlations(
    matrix: ResponseMatrix,
    families: Sequence[str],
    *,
    seed: int,
    resamples: int = RESAMPLES,
    report: Callable[[int], object] | None = None,
) -> tuple[float, tuple[float, float] | None]:
    """Return the proportion of items with negative item-rest correlation, and its interval or None.

    The bootstrap interval resamples families of examinees: checkpoints of one model are drawn together. The
    proportion is NaN if no correlation is defined. `report` is called before each resample with the number of
    resamples done.
    """

    def share(rows: np.ndarray[tuple[int], np.dtype[np.intp]]) -> float:
        drawn = ResponseMatrix(tuple(str(row) for row in rows), matrix.items, matrix.cells[rows])
        correlation = item_rest_correlation(drawn)
        known = ~np.isnan(correlation)
        return float(np.mean(correlation[known] < 0)) if known.any() else float("nan")

    everybody, drawn_so_far = np.arange(len(matrix.examinees)), count()

    def counted(rows: np.ndarray[tuple[int], np.dtype[np.intp]]) -> float:
        if report is not None:
            report(next(drawn_so_far))
        return share(rows)

    return share(everybody), cluster_interval(counted, families, seed=seed, resamples=resamples)
