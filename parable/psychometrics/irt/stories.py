"""Abilities and standard errors that allow for correlated answers to items of one story.

An IRT model assumes that, given ability, answers are independent. Answers about one story are not: an
examinee who misread the story misses several items. The method estimates the common correlation of residuals
within stories; the answers of an examinee then count as 1 / design effect of as many independent answers, and
the likelihood is raised to this power before it is combined with the normal population. Ability and standard
error are both computed in this way.

Sources: Liang and Zeger, Longitudinal data analysis using generalized linear models (1986), for the working
correlation; Pauli, Racugno and Ventura, Bayesian composite marginal likelihoods (2011), for tempering;
Bradlow, Wainer and Wang, A Bayesian random effects model for testlets (1999), for the full model that this
approximates.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from parable.psychometrics.irt.calibration import Calibration
from parable.psychometrics.irt.curves import SLOPE, Array, curves
from parable.psychometrics.irt.estimation import Task
from parable.psychometrics.irt.quadrature import Answers, fitting_grid, make_grid
from parable.psychometrics.irt.standard_errors import ability_variance_from_items
from parable.psychometrics.responses import ResponseMatrix

LEAST_STORIES: Final = 2
_LEAST: Final = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class StoryAbilities:
    """Abilities and standard errors, shape (examinees,), that allow for correlated answers about a story.

    `correlation` is the correlation of residuals within stories; it is 0 if the estimate is negative.
    `design_effect`, shape (examinees,), is the factor by which this correlation increases the variance of an
    ability.
    """

    ability: Array
    ability_se: Array
    correlation: float
    design_effect: Array
    stories: int


def abilities_by_story(
    matrix: ResponseMatrix, found: Calibration, stories: npt.ArrayLike
) -> StoryAbilities | None:
    """Estimate abilities again with the same item parameters, but with correlated answers in a story.

    `stories` is the story of each item. Return None if there is only one story, or if no two items share a
    story.
    """
    included = ~found.left_out
    labels = np.unique(np.asarray(stories)[included], return_inverse=True)[1]
    n = int(labels.max(initial=-1)) + 1
    if n < LEAST_STORIES or n == len(labels):
        return None
    used = _Used(
        matrix.right[:, included].astype(np.float64),
        matrix.answered[:, included].astype(np.float64),
        found.slope_intercept[included],
        np.nan_to_num(found.covariance[included]),
        (labels[:, None] == np.arange(n)).astype(np.float64),
    )
    within, together = _dependence(used, found.ability)
    correlation = max(0.0, within)
    effect = np.maximum(1.0, 1 + correlation * together)
    ability, error = _tempered(used, effect)
    return StoryAbilities(ability, error, correlation, effect, n)


def by_story(found: Calibration, clustered: StoryAbilities | None) -> Calibration:
    """Replace the abilities of a calibration by those of `clustered`, unless this is None."""
    if clustered is None:
        return found
    return replace(found, ability=clustered.ability, ability_se=clustered.ability_se)


@dataclass(frozen=True, slots=True, eq=False)
class _Used:
    """The calibrated items: answers as 0 and 1, parameters with covariances, and stories.

    `member`, shape (items, stories), is 1 if the item belongs to the story.
    """

    right: Array
    asked: Array
    parameters: Array
    covariance: Array
    member: Array


def _dependence(used: _Used, ability: Array) -> tuple[float, Array]:
    """Return the correlation of residuals within stories, and its weight in each examinee's design effect.

    A residual is an item's term in the score of ability. Fitting the ability makes two residuals correlate
    even under independence: their expected product is minus the product of their informations over the total
    information. This expectation is subtracted.
    """
    at = curves(used.parameters, ability)
    slope = used.parameters[:, SLOPE] * at.knowing.T / np.maximum(at.right.T, _LEAST)
    score = (used.right - used.asked * at.right.T) * slope
    root = used.asked * slope * np.sqrt(at.right.T * (1 - at.right.T))
    information = np.square(root)
    of_story = information @ used.member
    whole = np.maximum(of_story.sum(axis=1, keepdims=True), _LEAST)
    score = score - score.sum(axis=1, keepdims=True) * information / whole
    pairs = np.square(score @ used.member) - np.square(score) @ used.member
    expected = -(np.square(of_story) - np.square(information) @ used.member) / whole
    possible = np.square(root @ used.member) - of_story
    seen = (pairs - expected) / np.maximum(1 - of_story / whole, 0.2)
    examinees = max(float(used.asked.sum(axis=0).mean()), 2.0)
    total = float(possible.sum())
    # estimating an item's parameters uses up the residual of one examinee
    within = float(seen.sum()) / total * examinees / (examinees - 1) if total > _LEAST else 0.0
    return within, np.asarray(possible.sum(axis=1) / whole[:, 0])


def _tempered(used: _Used, effect: Array) -> tuple[Array, Array]:
    """Return the ability and standard error of each examinee; log likelihoods are divided by `effect`."""
    grid = fitting_grid(used.parameters, make_grid())
    at = curves(used.parameters, grid.points)
    joint = used.right @ at.log_odds + used.asked @ at.log_wrong
    joint = joint / effect[:, None] + grid.log_weights
    weights = np.exp(joint - joint.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    ability = weights @ grid.points
    width = np.sqrt(np.maximum(weights @ np.square(grid.points) - np.square(ability), 0.0))
    task = Task(Answers(used.right, used.asked), None, columns=2, shared=False)
    vague = ability_variance_from_items(task, used.parameters, used.covariance, ability, width)
    return ability, np.sqrt(np.square(width) + vague / effect)
