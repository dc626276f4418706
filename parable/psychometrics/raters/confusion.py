"""Latent classes of units, estimated from the labels of several observers (Dawid and Skene).

Dawid and Skene, Maximum likelihood estimation of observer error-rates using the EM algorithm (1979): each
observer labels a unit of class j as l with a probability specific to the observer; classes, these
probabilities and the proportions of classes are estimated together.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

Array = npt.NDArray[np.float64]
MOST_CYCLES: Final = 2000
TOLERANCE: Final = 1e-9
_LEAST: Final = 1e-300


@dataclass(frozen=True, slots=True, eq=False)
class Confusion:
    """Estimates of the latent class model, with probabilities from 0 to 1.

    `shares`: the proportion of each class, shape (classes,). `errors`: the probability of each label, shape
    (observers, classes, labels). `classes`: the posterior of each unit, shape (units, classes).
    """

    shares: Array
    errors: Array
    classes: Array
    log_likelihood: float


def dawid_skene(counts: npt.ArrayLike, *, smoothing: float = 0.0) -> Confusion:
    """Estimate latent classes by EM.

    `counts` is how often each observer gave each unit each label. `counts` has the shape (units, observers,
    labels). `smoothing` is added to each count of an observer's confusion table, so that few labels do not
    make an observer look certain. EM starts from each unit's proportions of labels.
    """
    table = np.asarray(counts, dtype=np.float64)
    given = table.sum(axis=1)
    classes = given / np.maximum(given.sum(axis=1, keepdims=True), 1)
    before = -np.inf
    for _ in range(MOST_CYCLES):
        shares = classes.mean(axis=0)
        errors = np.einsum("uj,uol->ojl", classes, table) + smoothing
        errors /= np.maximum(errors.sum(axis=2, keepdims=True), _LEAST)
        joint = np.log(np.maximum(shares, _LEAST)) + np.einsum(
            "uol,ojl->uj", table, np.log(np.maximum(errors, _LEAST))
        )
        of_units = scipy.special.logsumexp(joint, axis=1)
        classes = np.exp(joint - of_units[:, None])
        now = float(of_units.sum())
        if now - before < TOLERANCE:
            break
        before = now
    return Confusion(shares, errors, classes, now)
