"""Whether the key is the option that is most like the others, or least."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import combinations, pairwise
from math import log
from typing import ClassVar

from parable.formats.records import ItemRecord, key_within
from parable.quality.gates.base import ALL, STYLE, ItemSet
from parable.quality.gates.decision_rule import Measured, MeasuringGate
from parable.quality.gates.picks import Tally, extremes, trials
from parable.quality.gates.sample import drawn_from, sample
from parable.quality.item import words
from parable.sentences import gettext_noop as _

Words = frozenset[str]
Pairs = Counter[Hashable]
Weights = Mapping[Hashable, float]


class Convergence(MeasuringGate):
    """Always the option that has most in common with the others, or least, by each of three measures."""

    id: ClassVar = "convergence"
    parts: ClassVar = (ALL, STYLE)
    samples: ClassVar = True
    trait: ClassVar = "has_own_options"
    name: ClassVar = _("Likeness of the options")
    looks_at: ClassVar = _(
        "How many items are answered by always choosing the option that is most like the others, or least."
    )
    why: ClassVar = _(
        "Where each distractor changes one part of the key, the key is what they have in common, and can be"
        " found without the story."
    )
    fix: ClassVar = _(
        "In the items listed here, vary the distractors among themselves too, so that no option is the core"
        " of all."
    )
    rules: ClassVar = {
        "most_words": _("the option that has most words in common with the others"),
        "least_words": _("the option that has fewest words in common with the others"),
        "most_share": _("the option of whose words most are in the others"),
        "least_share": _("the option of whose words fewest are in the others"),
        "most_pairs": _("the option that has most pairs of characters in common with the others"),
        "least_pairs": _("the option that has fewest pairs of characters in common with the others"),
    }

    def measure(self, items: ItemSet) -> list[Measured]:
        """One test a task, shared by all rules."""
        return [self._measure_task(task, items.keyed(task)) for task in self.tasks_in(items)]

    def _measure_task(self, task: str, keyed: Sequence[ItemRecord]) -> Measured:
        items = sample(keyed)
        found = {rule: Tally() for rule in self.rules}
        weights = rarity(_pairs(choice) for item in items for choice in item.choices)
        for place, item in enumerate(items):
            for name, values in likeness(item.choices, weights).items():
                for side, chosen in zip(("most", "least"), extremes(values), strict=True):
                    is_right = key_within(item) in chosen
                    found[f"{side}_{name}"].add(place, len(values), len(chosen), is_right=is_right)
        return Measured(self.id, task, len(items), trials(items, found), detail=drawn_from(keyed, items))


def rarity(options: Iterable[Pairs]) -> Weights:
    """What each pair of characters weighs: the less, the more options have it."""
    found = list(options)
    having = Counter(pair for own in found for pair in own)
    return {pair: log(1 + len(found) / count) for pair, count in having.items()}


def likeness(options: Sequence[str], weights: Weights) -> dict[str, list[float]]:
    """What each option shares with the others: how many words, what share of them, rare pairs of signs."""
    said = [frozenset(words.units(option)) for option in options]
    paired = [_pairs(option) for option in options]
    heavy = [_weight(own, weights) for own in paired]

    def dice(first: int, second: int) -> float:
        both = heavy[first] + heavy[second]
        return 2 * _shared_weight(paired[first], paired[second], weights) / both if both else 0.0

    return {
        "words": _added(len(options), lambda first, second: len(said[first] & said[second])),
        "share": _added(len(options), lambda first, second: _jaccard(said[first], said[second])),
        "pairs": _added(len(options), dice),
    }


def _pairs(text: str) -> Pairs:
    return Counter(pairwise(words.fold(text)))


def _weight(own: Pairs, weights: Weights) -> float:
    return sum(weights[pair] * count for pair, count in own.items())


def _shared_weight(one: Pairs, other: Pairs, weights: Weights) -> float:
    return sum([weights[pair] * min(count, other[pair]) for pair, count in one.items() if pair in other])


def _jaccard(one: Words, other: Words) -> float:
    return len(one & other) / len(one | other) if one or other else 0.0


def _added(many: int, common: Callable[[int, int], float]) -> list[float]:
    """For each option what it has in common with each of the others, added up."""
    found = [0.0] * many
    for first, second in combinations(range(many), 2):
        share = common(first, second)
        found[first] += share
        found[second] += share
    return found
