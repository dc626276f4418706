"""Always the option that repeats most of its stem: what this answers, ties shared, exact variance."""

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Final

from parable.formats.records import ItemRecord, key_within
from parable.psychometrics.bootstrap import wilson_interval
from parable.quality.gates.decision_rule import Trial, spread_of
from parable.quality.item import words

RULE: Final = "most_repeated"


def try_echo(items: Sequence[ItemRecord], standard_stems: Collection[str]) -> Trial:
    """Over keyed items, of which there is at least one. A standard stem is repeated by nothing."""
    scores: list[float] = []
    variances: list[float] = []
    apart: list[tuple[int, str]] = []
    for item in items:
        said = _repeated(item) if item.question not in standard_stems else [0] * len(item.choices)
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


def _repeated(item: ItemRecord) -> list[int]:
    """How many neighbouring words, or Chinese characters, of the stem each option says side by side."""
    stem = set(pairwise(words.units(item.question)))
    return [len(stem.intersection(pairwise(words.units(choice)))) for choice in item.choices]
