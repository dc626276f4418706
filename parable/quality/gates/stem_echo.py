"""The rule that chooses the option that repeats most of the stem; ties are shared."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

import numpy as np

from parable.formats.records import ItemRecord, key_within
from parable.psychometrics.bootstrap import wilson_interval
from parable.quality.gates.decision_rule import Trial, spread_of
from parable.quality.gates.grams import are_in
from parable.quality.gates.unit_numbers import UnitNumbers, pair_up

AT_ONCE: Final = 500
"""The number of items that are computed together, so that their arrays fit the processor's cache."""
RULE: Final = "most_repeated"


def try_echo(items: Sequence[ItemRecord], standard_stems: Collection[str]) -> Trial:
    """Return the trial of the rule over at least one keyed item.

    Words of a standard stem do not count as repeated.
    """
    scores: list[float] = []
    variances: list[float] = []
    apart: list[tuple[int, str]] = []
    for item, said in zip(items, _repeated(items, standard_stems), strict=True):
        most, k, key = max(said), len(said), key_within(item)
        tied = said.count(most)
        scores.append(1 / tied if said[key] == most else 0.0)
        variances.append(1 / (k * tied) - 1 / k**2)
        if tied == 1 and said[key] == most:
            apart.append((-most, item.id))
    chance = sum(1 / len(item.choices) for item in items) / len(items)
    low, high = wilson_interval(sum(scores), len(items))
    worst = tuple(name for _most, name in sorted(apart))
    accuracy = sum(scores) / len(items)
    return Trial(RULE, accuracy, low, high, chance, chance, spread_of(variances), worst)


def _repeated(items: Sequence[ItemRecord], standard_stems: Collection[str]) -> Iterator[list[int]]:
    """Yield for each item how many of the stem's pairs of words each option repeats.

    A Chinese character counts as a word.
    """
    for start in range(0, len(items), AT_ONCE):
        chunk = items[start : start + AT_ONCE]
        units = UnitNumbers()
        stems = units.of(["" if item.question in standard_stems else item.question for item in chunk])
        own = units.of([choice for item in chunk for choice in item.choices])
        sizes = [len(item.choices) for item in chunk]
        of_option, wide = np.repeat(np.arange(len(chunk)), sizes), units.width**2
        theirs, where = pair_up(*stems, units.width)
        ours, who = pair_up(*own, units.width)
        are_said = are_in(of_option[who] * wide + ours, where * wide + theirs)
        said = np.unique(who[are_said] * wide + ours[are_said]) // wide
        counts = np.bincount(said, minlength=sum(sizes)).tolist()
        ends = np.cumsum(sizes).tolist()
        yield from (counts[end - size : end] for end, size in zip(ends, sizes, strict=True))
