"""Whether the key is the option that is most like the story, or least."""

from collections.abc import Hashable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import ClassVar

import numpy as np

from parable.formats.records import ItemRecord, key_within
from parable.quality.gates.base import ALL, STYLE, ItemSet
from parable.quality.gates.decision_rule import Measured, MeasuringGate
from parable.quality.gates.picks import Tally, trials, try_extremes
from parable.quality.gates.sample import drawn_from, sample
from parable.quality.item import words
from parable.sentences import gettext_noop as _

_REMEMBERED = 64  # the items of a story mostly stand side by side


class StoryOverlap(MeasuringGate):
    """Always the option of which most is in the story, or least: by words, and by neighbouring words."""

    id: ClassVar = "story_overlap"
    parts: ClassVar = (ALL, STYLE)
    samples: ClassVar = True
    trait: ClassVar = "has_own_options"
    name: ClassVar = _("Overlap with the story")
    looks_at: ClassVar = _(
        "How many items are answered by always choosing the option of which most is in the story, or least."
    )
    why: ClassVar = _(
        "If only the key repeats the story, matching words is enough to find it, and nothing has to be"
        " understood."
    )
    fix: ClassVar = _(
        "In the items listed here, let distractors take as many words from the story as the key, or reword"
        " the key."
    )
    rules: ClassVar = {
        "most_by_words": _("the option of whose words most are in the story"),
        "least_by_words": _("the option of whose words fewest are in the story"),
        "most_by_pairs": _("the option whose pairs of words are most often in the story"),
        "least_by_pairs": _("the option whose pairs of words are least often in the story"),
    }

    def measure(self, items: ItemSet) -> list[Measured]:
        """One test a task, shared by four rules; none where no item has a story."""
        return [self._measure_task(task, items.keyed(task)) for task in self.tasks_in(items)]

    def _measure_task(self, task: str, keyed: Sequence[ItemRecord]) -> Measured:
        items = sample(keyed)
        found = _tried(items) if items else {}
        detail = drawn_from(keyed, items)
        return Measured(self.id, task, len(items), trials(items, found), detail=detail)


def _tried(items: Sequence[ItemRecord]) -> dict[str, Tally]:
    sizes = np.array([len(item.choices) for item in items])
    keys = np.array([key_within(item) for item in items])
    shares: tuple[list[float], list[float]] = ([], [])
    for item in items:
        alike = [0.0] * len(item.choices)
        own = overlaps(item.story, item.choices) if item.story else (alike, alike)
        shares[0].extend(own[0])
        shares[1].extend(own[1])
    return {
        f"{side}_by_{name}": tally
        for name, values in zip(("words", "pairs"), shares, strict=True)
        for side, tally in zip(("most", "least"), try_extremes(np.array(values), sizes, keys), strict=True)
    }


def overlaps(story: str, options: Sequence[str]) -> tuple[list[float], list[float]]:
    """For each option the share of its words that the story has, and of its pairs of neighbouring words."""
    said, side_by_side = _pieces(story)
    units = words.units_of_all(options)
    return [_share(own, said) for own in units], [_share([*pairwise(own)], side_by_side) for own in units]


@lru_cache(_REMEMBERED)
def _pieces(story: str) -> tuple[frozenset[Hashable], frozenset[Hashable]]:
    units = words.units(story)
    return frozenset(units), frozenset(pairwise(units))


def _share(own: Sequence[Hashable], said: frozenset[Hashable]) -> float:
    return sum(map(said.__contains__, own)) / len(own) if own else 0.0
