"""Statistics of ratings that several people give to each narrative."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from parable.kinds.proverb import LEAST_GOOD, SCALE
from parable.psychometrics.agreement import raw_agreement


@dataclass(frozen=True, slots=True)
class RatingFigures:
    """Statistics of ratings by one criterion: the mean, and the raw agreement on good versus poor.

    `agreement` is None if no narrative was rated twice.
    """

    narratives: int
    ratings: int
    mean: float | None
    agreement: float | None


def rating_figures(
    ratings: Iterable[Sequence[int]], *, marks: Sequence[int] = SCALE, least_good: int = LEAST_GOOD
) -> RatingFigures:
    """Return the statistics of ratings, given as one list per narrative (or per item on another scale).

    Raise ValueError if a rating is not in `marks`.
    """
    units = [unit for unit in ratings if unit]
    flat = [one for unit in units for one in unit]
    if any(one not in marks for one in flat):
        raise ValueError(f"A rating is one of {tuple(marks)}.")
    poor = [sum(one < least_good for one in unit) for unit in units]
    counts = np.array([[few, len(unit) - few] for few, unit in zip(poor, units, strict=True)], dtype=np.int64)
    agreed = raw_agreement(counts) if units else float("nan")
    return RatingFigures(
        narratives=len(units),
        ratings=len(flat),
        mean=sum(flat) / len(flat) if flat else None,
        agreement=agreed if np.isfinite(agreed) else None,
    )
