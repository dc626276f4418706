"""Results of partial-input baselines: how often a model is right without a part of the item.

A right answer is no proof of a flaw: a model may know a published story, guess well, or infer the key from
the options. An item is reported if the model was right with the whole item, and without the part more often
than guessing explains.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from parable.psychometrics.bootstrap import wilson_interval
from parable.psychometrics.results import clusters
from parable.psychometrics.results.estimates import Estimate

ANSWERED_FROM: Final = 0.5
"""An item counts as answered when whole if at least this proportion of the answers is right."""


@dataclass(frozen=True, slots=True)
class Asked:
    """An item with its story, its chance of guessing right, and numbers of right and of all answers.

    `whole_right` and `whole` count the answers to the whole item, `probe_right` and `probe` those without the
    part.
    """

    item: str
    story: Hashable
    chance: float
    whole_right: int
    whole: int
    probe_right: int
    probe: int


@dataclass(frozen=True, slots=True)
class StillAnswered:
    """An item that the model answers right without the missing part, with numbers of answers.

    `low` is the lower bound of Wilson's interval over repeats; repeats of one model are not independent, so
    the true bound may be lower.
    """

    item: str
    right: int
    asked: int
    low: float
    chance: float


@dataclass(frozen=True, slots=True)
class PartialInputFigures:
    """The results of a partial-input baseline: accuracies of one model with and without the part.

    Intervals are clustered by story. `kept` is the proportion right without the part among the `kept_items`
    items that were answered when whole. `expected` is the number of items that would be reported if the model
    guessed.
    """

    items: int
    stories: int
    chance: float
    whole: Estimate
    probe: Estimate
    difference: Estimate
    kept: Estimate
    kept_items: int
    named: tuple[StillAnswered, ...]
    expected: float


def compare_partial_inputs(asked: Sequence[Asked]) -> PartialInputFigures | None:
    """Compare both runs over the items that both include; return None if there are none."""
    both = [one for one in asked if one.whole and one.probe]
    if not both:
        return None
    numbers = {name: number for number, name in enumerate(dict.fromkeys(one.story for one in both))}
    stories = np.array([numbers[one.story] for one in both], dtype=np.int64)
    whole = np.array([one.whole_right / one.whole for one in both])
    probe = np.array([one.probe_right / one.probe for one in both])
    answered = whole >= ANSWERED_FROM
    known = [one for one, is_known in zip(both, answered, strict=True) if is_known]
    named: list[StillAnswered] = []
    for one in known:
        low, _high = wilson_interval(one.probe_right, one.probe)
        if low > one.chance:
            named.append(StillAnswered(one.item, one.probe_right, one.probe, low, one.chance))
    return PartialInputFigures(
        items=len(both),
        stories=len(numbers),
        chance=float(np.mean([one.chance for one in both])),
        whole=clusters.share(whole, stories),
        probe=clusters.share(probe, stories),
        difference=clusters.combination(
            [clusters.Part(probe, stories, 1.0), clusters.Part(whole, stories, -1.0)]
        ),
        kept=clusters.share(probe[answered], stories[answered]),
        kept_items=len(known),
        named=tuple(sorted(named, key=lambda one: (-one.low, one.item))),
        expected=math.fsum(_by_guessing(one) for one in known),
    )


def _by_guessing(one: Asked) -> float:
    """Return the probability that guessing alone makes an item count as still answered."""
    least = next(
        (n for n in range(one.probe + 1) if wilson_interval(n, one.probe)[0] > one.chance), one.probe + 1
    )
    return float(scipy.stats.binom.sf(least - 1, one.probe, one.chance))
