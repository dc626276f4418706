"""Ranks of examinees by ability and by accuracy, with intervals."""

import math
import re
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from parable.psychometrics.irt import Calibration
from parable.psychometrics.irt.curves import Array, curves
from parable.psychometrics.responses import ResponseMatrix

MOST_RANKED: Final = 100
"""The most examinees for which ranks are computed; longer tables are of no use to readers."""
LEAST_STORIES: Final = 5
LEAST_COMMON: Final = 0.95
"""Accuracies of two examinees are comparable if both answered at least this share of their items."""
DRAWS: Final = 500
_POINTS: Final = np.linspace(-5.0, 5.0, 101)
_CHECKPOINT: Final = re.compile(
    r"(?:[-_@:. ]+(?:step|ckpt|checkpoint|epoch|iter)|/(?:step(?=\d)|ckpt|checkpoint|epoch|iter))[-_ ]?\d.*$",
    re.IGNORECASE,
)


def family_of(name: str) -> str:
    """Remove the training step from the name of a checkpoint, to get the name of its model.

    If nothing would remain, return the whole name: a model itself may be called "step-2".
    """
    return _CHECKPOINT.sub("", name) or name


@dataclass(frozen=True, slots=True)
class Places:
    """An examinee's ranks by ability and by accuracy, from 1 for the highest, with 95 % intervals.

    The rank by accuracy is None if the examinee answered other items than most: then only abilities are
    comparable.
    """

    by_ability: int
    by_accuracy: int | None
    ability_interval: tuple[int, int]
    accuracy_interval: tuple[int, int] | None


def places(
    matrix: ResponseMatrix, found: Calibration, stories: npt.ArrayLike, *, seed: int, draws: int = DRAWS
) -> list[Places] | None:
    """Return the ranks of all examinees, in matrix order, with intervals over stories.

    Abilities and accuracies are computed again for bootstrap samples of stories; item parameters stay the
    same. As few stories vary too little between samples, ranks are taken from draws of Student's t with the
    samples' covariance. Return None for more than 100 examinees, or for fewer than five stories, which would
    make ranks look certain.
    """
    if len(matrix.examinees) > MOST_RANKED:
        return None
    labels = np.unique(np.asarray(stories), return_inverse=True)[1]
    if labels.max(initial=0) + 1 < LEAST_STORIES:
        return None
    count = int(labels.max()) + 1
    # how often each story is drawn in each draw
    times = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=draws)
    drawn = times.astype(np.float64)
    alike = comparable(matrix)
    right = _by_story(matrix.right.astype(np.float64), labels, drawn.shape[1])
    answered = _by_story(matrix.answered.astype(np.float64), labels, drawn.shape[1])
    ability, accuracy = (
        _ranked(_student(values, drawn.shape[1], seed))
        for values in (
            _abilities(matrix, found, labels, drawn),
            np.asarray((drawn @ right.T) / np.maximum(drawn @ answered.T, 1))[:, alike],
        )
    )
    share = matrix.right.sum(axis=1) / np.maximum(matrix.answered.sum(axis=1), 1)
    now = _ranked(found.ability[None])[0], _ranked(share[None, alike])[0]
    ends = [np.quantile(ranks, [0.025, 0.975], axis=0, method="nearest") for ranks in (ability, accuracy)]
    of_accuracy = {
        int(row): (int(now[1][at]), _pair(ends[1][:, at])) for at, row in enumerate(np.flatnonzero(alike))
    }
    return [
        Places(int(now[0][row]), place, _pair(ends[0][:, row]), interval)
        for row in range(len(matrix.examinees))
        for place, interval in [of_accuracy.get(row, (None, None))]
    ]


def comparable(matrix: ResponseMatrix) -> npt.NDArray[np.bool_]:
    """Return a mask of the examinees who answered nearly the same items as most other examinees.

    If two sets of items have equally many examinees, the larger set is used. All are False if no two
    examinees answered nearly the same items, unless there is only one examinee.
    """
    sets, of_row, counts = np.unique(matrix.answered, axis=0, return_inverse=True, return_counts=True)
    common = sets @ sets.T.astype(np.int64)
    sizes = np.diag(common)
    alike = common >= LEAST_COMMON * (sizes[:, None] + sizes[None, :] - common)
    best = max(range(len(sets)), key=lambda one: (int(counts[alike[one]].sum()), int(sizes[one])))
    found = np.asarray(alike[best][np.ravel(of_row)], dtype=np.bool_)
    return found if found.sum() > 1 or len(found) == 1 else np.zeros_like(found)


def _student(values: Array, stories: int, seed: int) -> Array:
    """Draw from Student's t with the mean and covariance of `values`, shape (draws, examinees)."""
    rng = np.random.default_rng(seed)
    mean = values.mean(axis=0)
    normal = rng.standard_normal((len(values), len(values))) @ (values - mean) / math.sqrt(len(values))
    scale = rng.chisquare(stories - 1, size=(len(values), 1)) / stories  # n - 1 degrees, and n / (n - 1)
    return np.asarray(mean + normal / np.sqrt(scale))


def _pair(ends: Array) -> tuple[int, int]:
    return int(ends[0]), int(ends[1])


def _ranked(values: Array) -> npt.NDArray[np.int64]:
    return np.asarray(scipy.stats.rankdata(-np.round(values, 9), method="min", axis=1), dtype=np.int64)


def _by_story(columns: Array, labels: npt.NDArray[np.intp], stories: int) -> Array:
    """Sum the columns of each story's items, shape (rows, stories)."""
    members = np.zeros((len(labels), stories))
    members[np.arange(len(labels)), labels] = 1.0
    return np.asarray(columns @ members)


def _abilities(
    matrix: ResponseMatrix, found: Calibration, labels: npt.NDArray[np.intp], drawn: Array
) -> Array:
    """Return the posterior means of ability in each draw of stories, shape (draws, examinees).

    The answers about a story count as often as `drawn` says.
    """
    included = ~found.left_out
    at = curves(found.slope_intercept[included], _POINTS)
    right = matrix.right[:, included].astype(np.float64)
    answered = matrix.answered[:, included].astype(np.float64)
    means = np.empty((len(drawn), len(matrix.examinees)))
    for row in range(len(matrix.examinees)):
        each = right[row][:, None] * at.log_odds + answered[row][:, None] * at.log_wrong
        likelihood = drawn @ _by_story(each.T, labels[included], drawn.shape[1]).T - 0.5 * np.square(_POINTS)
        likelihood = np.exp(likelihood - likelihood.max(axis=1, keepdims=True))
        means[:, row] = likelihood @ _POINTS / likelihood.sum(axis=1)
    return means
