"""Predict the proportion correct on the whole set from the answers to a short form.

From 30 examinees on, by ridge regression on the answers and their pairwise products (a polynomial kernel of
degree two), with the penalty that predicts left-out examinees best. With fewer examinees, only the items'
difficulty can be learned: the score is the others' mean on the whole set, plus the difference between the
examinee's and the others' proportion correct on the form. Sources: Saunders, Gammerman and Vovk, Ridge
regression learning algorithm in dual variables (1998); Allen, The relationship between variable selection and
data augmentation and a method for prediction (1974), for the penalty; Cochran, Sampling Techniques (1977),
7.2, for the difference.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from parable.psychometrics.irt import FEW_EXAMINEES
from parable.psychometrics.responses import Array

PENALTIES: Final = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
OFFSET: Final = 0.5
"""The weight of single answers in the kernel, relative to their products."""
_LEAST: Final = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A scoring rule for the answers x to the items of a form, shape (items,).

    The score is base + mean of (x - means) if there are no `references`; else base + sum over references r of
    coefficient times (OFFSET + (x - means) . (r - means) / scale) squared.
    """

    base: float
    means: Array
    scale: float
    references: Array
    coefficients: Array

    def scores(self, answers: Array) -> Array:
        """Return the score of each examinee, from 0 to 1; `answers` has the shape (examinees, items)."""
        apart = answers - self.means
        if not len(self.references):
            return np.asarray(np.clip(self.base + apart.mean(axis=1), 0.0, 1.0))
        kernel = np.square(OFFSET + apart @ (self.references - self.means).T / self.scale)
        return np.asarray(np.clip(self.base + kernel @ self.coefficients, 0.0, 1.0))

    def as_json(self) -> dict[str, Any]:
        """Return the rule as JSON that suffices to score answers; references are strings of 1 and 0."""
        return {
            "base": self.base,
            "means": self.means.tolist(),
            "offset": OFFSET,
            "scale": self.scale,
            "references": ["".join("1" if one else "0" for one in row) for row in self.references],
            "coefficients": self.coefficients.tolist(),
        }


def rule_from_json(stored: Any) -> Rule:
    """Return a rule from its stored form. Raise KeyError, TypeError or ValueError if it is malformed."""
    means = np.array(stored["means"], dtype=np.float64)
    references = np.array([[float(sign) for sign in row] for row in stored["references"]])
    found = Rule(
        float(stored["base"]),
        means,
        float(stored["scale"]),
        references.reshape(-1, len(means)),
        np.array(stored["coefficients"], dtype=np.float64),
    )
    if len(found.coefficients) != len(found.references):
        raise ValueError("A rule has one coefficient a reference.")
    return found


def fit_rule(answers: Array, shares: Array) -> Rule:
    """Fit the rule that predicts examinees' proportion correct on the set from answers to the form.

    `answers`: shape (examinees, items of the form); `shares`: the proportions, shape (examinees,).
    """
    means, base = answers.mean(axis=0), float(shares.mean())
    if len(answers) < FEW_EXAMINEES:
        return Rule(base, means, 1.0, np.empty((0, len(means))), np.empty(0))
    apart = answers - means
    scale = max(float(np.square(apart).sum()) / len(answers), _LEAST)
    values, vectors = np.linalg.eigh(np.square(OFFSET + apart @ apart.T / scale))
    along = vectors.T @ (shares - base)
    penalty = min(PENALTIES, key=lambda one: _left_out_error(values, vectors, along, shares - base, one))
    return Rule(base, means, scale, answers, vectors @ (along / (values + penalty)))


def _left_out_error(values: Array, vectors: Array, along: Array, wanted: Array, penalty: float) -> float:
    """Return the mean squared leave-one-out error, computed without refitting."""
    kept = values / (values + penalty)
    own = np.square(vectors) @ kept
    return float(np.square((wanted - vectors @ (kept * along)) / np.maximum(1 - own, _LEAST)).mean())
