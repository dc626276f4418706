"""Tests whether the length of an option gives the key away."""

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, Final

from parable.formats.records import ItemRecord, key_within
from parable.psychometrics.bootstrap import wilson_interval
from parable.quality.gates.base import ItemSet
from parable.quality.gates.decision_rule import Measured, MeasuringGate, Trial, spread_of
from parable.quality.item.words import length, margin
from parable.sentences import gettext_noop as _

Extreme = Callable[[Iterable[int]], int]

RULES: Final[dict[str, Extreme]] = {"longest": max, "shortest": min}


class LengthArtefact(MeasuringGate):
    """Measures how many items "always the longest" or "always the shortest" answers; ties share the score."""

    id: ClassVar = "length_artefact"
    trait: ClassVar = "has_options"
    name: ClassVar = _("Length of the key")
    looks_at: ClassVar = _(
        "How many items are answered correctly by always choosing the longest option, or the shortest."
    )
    why: ClassVar = _("A model that has learned that keys are long scores above chance without reading.")
    fix: ClassVar = _("Shorten keys or lengthen distractors in the items listed here.")
    rules: ClassVar = {"longest": _("the longest option"), "shortest": _("the shortest option")}

    def measure(self, items: ItemSet) -> list[Measured]:
        """Return the measurements of each task, with two trials: the longest and the shortest option."""
        return [self._measure_task(task, items.keyed(task)) for task in self.tasks_in(items)]

    def _measure_task(self, task: str, items: Sequence[ItemRecord]) -> Measured:
        lengths = [[length(choice) for choice in item.choices] for item in items]
        trials = tuple(_try(rule, items, lengths) for rule in RULES) if items else ()
        return Measured(self.id, task, len(items), trials, detail={"margins": margins(items, lengths)})


def _try(rule: str, items: Sequence[ItemRecord], lengths: Sequence[Sequence[int]]) -> Trial:
    extreme = RULES[rule]
    scores: list[float] = []
    variances: list[float] = []
    for item, long in zip(items, lengths, strict=True):
        wanted = extreme(long)
        tied, k = long.count(wanted), len(long)
        scores.append(1 / tied if long[key_within(item)] == wanted else 0.0)
        variances.append(1 / (k * tied) - 1 / k**2)
    chance = sum(1 / len(long) for long in lengths) / len(items)
    low, high = wilson_interval(sum(scores), len(items))
    spread = spread_of(variances)
    worst = _worst(rule, items, lengths, scores)
    return Trial(rule, sum(scores) / len(items), low, high, chance, chance, spread, worst)


def _worst(
    rule: str, items: Sequence[ItemRecord], lengths: Sequence[Sequence[int]], scores: Sequence[float]
) -> tuple[str, ...]:
    """Return the items whose key alone is longest (or shortest), those with the widest margin first."""
    sign = 1 if rule == "longest" else -1
    alone = [
        (-abs(apart) / max(*long, 1), item.id)
        for item, long, score in zip(items, lengths, scores, strict=True)
        if score == 1 and (apart := _margin(item, long)) * sign > 0
    ]
    return tuple(name for _apart, name in sorted(alone))


def _margin(item: ItemRecord, long: Sequence[int]) -> int:
    key = key_within(item)
    return margin(long[key], [one for index, one in enumerate(long) if index != key])


def margins(items: Sequence[ItemRecord], lengths: Sequence[Sequence[int]]) -> list[float]:
    """Return how many keys are the longest option, the second longest, and so on; ties are shared."""
    counts = [0.0] * max((len(long) for long in lengths), default=0)
    for item, long in zip(items, lengths, strict=True):
        key = long[key_within(item)]
        first, tied = sum(one > key for one in long), long.count(key)
        for index in range(first, first + tied):
            counts[index] += 1 / tied
    return [round(count, 2) for count in counts]
