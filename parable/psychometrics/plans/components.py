"""Variance components of right and wrong answers: models, stories, items, and interactions.

The answer of model m to item i of story s at repeat r is modelled as the mean plus effects of the model, the
story, the item within the story, model by story, model by item, and a residual. Items are nested in stories;
models are crossed with both; repeats are nested in model and item. Variances are estimated by equating mean
squares with their expectations (Henderson's first method); negative estimates are set to zero.

Sources: Brennan, Generalizability Theory (2001), chapters 3 to 7; Searle, Casella and McCulloch, Variance
Components (1992), 5.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Components:
    """Variance components of one answer, which scores 1 if right and 0 if wrong.

    `repeat` is None if no item was repeated; its variance is then included in `model_item`.
    """

    model: float
    story: float
    item: float
    model_story: float
    model_item: float
    repeat: float | None

    @property
    def total(self) -> float:
        """The variance of one answer by any model to any item: the sum of the components."""
        parts = (self.model, self.story, self.item, self.model_story, self.model_item, self.repeat or 0.0)
        return sum(parts)

    def as_json(self) -> dict[str, float | None]:
        """Return the components by name, as stored in JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True, eq=False)
class Askings:
    """Answers by model and item: proportion right and number of answers, shape (models, items) each.

    `stories` is the story of each item, shape (items,).
    """

    share: Floats
    asked: Ints
    stories: Ints

    def of_models(self, chosen: Sequence[int]) -> Askings:
        """Return the answers of these models, given by row."""
        return Askings(self.share[list(chosen)], self.asked[list(chosen)], self.stories)


def components(askings: Askings) -> Components | None:
    """Estimate the variance components; return None if the models, stories or items do not suffice.

    Only items that every model answered are used. At least two models, two stories, and a story with two
    items are required.
    """
    kept = (askings.asked > 0).all(axis=0)
    share, asked, stories = askings.share[:, kept], askings.asked[:, kept], askings.stories[kept]
    sizes = _sizes(stories)
    if len(share) < 2 or len(sizes) < 2 or len(stories) <= len(sizes):
        return None
    repeat = _repeat(share, asked)
    alone = 0.0 if repeat is None else repeat * float((1 / asked).mean())
    with_story, with_item = _pooled(share - share.mean(axis=0), stories, freedom=len(share) - 1)
    story, item = _pooled(share.mean(axis=0)[None], stories, freedom=1)
    model = float(share.mean(axis=1).var(ddof=1))
    effective = float(sizes.sum() ** 2 / np.square(sizes).sum())  # number of stories, if all had one size
    parts = len(sizes) / effective
    return Components(
        model=max(0.0, model - with_story * parts / len(sizes) - with_item / len(stories)),
        story=max(0.0, story - with_story / len(share)),
        item=max(0.0, item - with_item / len(share)),
        model_story=with_story,
        model_item=max(0.0, with_item - alone),
        repeat=repeat,
    )


def story_sizes(stories: Ints) -> list[int]:
    """Return the number of items of each story."""
    return [int(size) for size in _sizes(stories)]


def _sizes(stories: Ints) -> Ints:
    return np.unique(stories, return_counts=True)[1]


def _repeat(share: Floats, asked: Ints) -> float | None:
    """Return the variance of repeated answers by one model to one item; None if nothing was repeated."""
    twice = asked > 1
    if not twice.any():
        return None
    n, p = asked[twice], share[twice]
    return float((p * (1 - p) * n / (n - 1)).mean())


def _pooled(values: Floats, stories: Ints, *, freedom: int) -> tuple[float, float]:
    """Return the variances between and within stories, pooled over rows with `freedom` degrees of freedom."""
    labels, where = np.unique(stories, return_inverse=True)
    sizes = np.bincount(where)
    sums = np.stack([np.bincount(where, weights=row, minlength=len(labels)) for row in values])
    means = sums / sizes
    apart = values - means[:, where]
    within = float(np.square(apart).sum()) / (freedom * (len(stories) - len(labels)))
    grand = values.mean(axis=1, keepdims=True)
    between = float((sizes * np.square(means - grand)).sum()) / (freedom * (len(labels) - 1))
    usual = (sizes.sum() - np.square(sizes).sum() / sizes.sum()) / (len(labels) - 1)
    return max(0.0, (between - within) / float(usual)), within
