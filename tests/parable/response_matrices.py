"""Response matrices with known parameters, and the published ones where they are at hand."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from parable.psychometrics.irt import Model
from parable.psychometrics.responses import ResponseMatrix, make_matrix

Array = npt.NDArray[np.float64]

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "irt"


@dataclass(frozen=True, slots=True)
class Simulated:
    """Answers with the parameters behind them; `turned` are the items with a negative slope."""

    matrix: ResponseMatrix
    ability: Array
    discrimination: Array
    difficulty: Array
    guessing: Array
    turned: npt.NDArray[np.bool_]

    def chance_right(self, points: Array) -> Array:
        logit = self.discrimination[:, None] * (points - self.difficulty[:, None])
        return np.asarray(self.guessing[:, None] + (1 - self.guessing[:, None]) / (1 + np.exp(-logit)))


def simulate(
    seed: int, examinees: int, items: int, model: Model = "2pl", *, turned: float = 0.0, missing: float = 0.0
) -> Simulated:
    """Abilities and difficulties standard normal, discrimination log-normal around 1 (spread 0.3)."""
    rng = np.random.default_rng(seed)
    ability, difficulty = rng.standard_normal(examinees), rng.standard_normal(items)
    discrimination = np.ones(items) if model == "1pl" else np.exp(rng.normal(0, 0.3, items))
    is_turned = np.zeros(items, dtype=bool)
    is_turned[rng.choice(items, round(turned * items), replace=False)] = True
    guessing = rng.uniform(0.05, 0.3, items) if model == "3pl" else np.zeros(items)
    found = Simulated(
        make_matrix(np.zeros((examinees, items))),
        ability,
        np.where(is_turned, -discrimination, discrimination),
        difficulty,
        guessing,
        is_turned,
    )
    cells = (rng.random((examinees, items)) < found.chance_right(ability).T).astype(np.float64)
    cells[rng.random(cells.shape) < missing] = np.nan
    return Simulated(make_matrix(cells), ability, found.discrimination, difficulty, guessing, is_turned)


def with_testlets(
    seed: int, examinees: int, sizes: Sequence[int], spread: float
) -> tuple[Simulated, npt.NDArray[np.int64]]:
    """The same with an effect of examinee by story on ability of spread `spread`; the items' stories."""
    rng = np.random.default_rng(seed)
    stories = np.repeat(np.arange(len(sizes)), sizes)
    items = len(stories)
    ability, difficulty = rng.standard_normal(examinees), rng.standard_normal(items)
    discrimination = np.exp(rng.normal(0, 0.3, items))
    here = ability[:, None] + rng.normal(0, spread, (examinees, len(sizes)))[:, stories]
    chance = 1 / (1 + np.exp(-discrimination * (here - difficulty)))
    matrix = make_matrix((rng.random(chance.shape) < chance).astype(np.float64))
    none = np.zeros(items)
    return Simulated(matrix, ability, discrimination, difficulty, none, none.astype(bool)), stories


def published(name: str) -> Path:
    """The path of a published file; the test is skipped where it is not at hand."""
    path = SHARED / name
    if not path.exists():
        pytest.skip("the published response matrices (../shared/data/irt) are not on this machine")
    return path


def published_cells(name: str) -> Array:
    """The numbers of a published matrix without its first row and column."""
    with published(name).open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines))[1:]
    return np.array([[float(cell) for cell in row[1:]] for row in rows])


def two_versions(
    seed: int, *, examinees: int, drifted: int = 0, common: int = 30, own: int = 10
) -> tuple[ResponseMatrix, ResponseMatrix, tuple[float, float]]:
    """Answers to two versions with common items by two populations, and the line between their scales.

    The first population is standard normal, the second has the mean 0.5 and the spread 1.2; the first
    `drifted` of the common items are 0.8 harder in the second version. A calibration's scale has the mean and
    the spread of the examinees at hand, so the line is that of the abilities drawn.
    """
    rng = np.random.default_rng(seed)
    drawn = []
    slope, difficulty = np.exp(rng.normal(0, 0.3, common)), rng.normal(0, 1, common)
    found = []
    for version, (spread, mean) in enumerate(((1.0, 0.0), (1.2, 0.5))):
        ability = mean + spread * rng.standard_normal(examinees)
        drawn.append(ability)
        slopes = np.concatenate([slope, np.exp(rng.normal(0, 0.3, own))])
        harder = np.concatenate([0.8 * version * (np.arange(common) < drifted), np.zeros(own)])
        difficulties = np.concatenate([difficulty, rng.normal(0, 1, own)]) + harder
        chance = 1 / (1 + np.exp(-slopes * (ability[:, None] - difficulties)))
        names = [f"common{n}" for n in range(common)] + [f"version{version}-{n}" for n in range(own)]
        found.append(make_matrix((rng.random(chance.shape) < chance).astype(np.float64), items=names))
    before, after = drawn
    return found[0], found[1], (after.std() / before.std(), (after.mean() - before.mean()) / before.std())
