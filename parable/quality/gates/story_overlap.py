"""A gate that tests whether the key is the option most like the story, or least like it."""

from collections.abc import Sequence
from typing import ClassVar, Final

import numpy as np

from parable.formats.records import ItemRecord, key_within
from parable.quality.gates.base import ALL, STYLE, ItemSet
from parable.quality.gates.decision_rule import Measured, MeasuringGate
from parable.quality.gates.grams import Floats, are_in
from parable.quality.gates.picks import Tally, trials, try_extremes
from parable.quality.gates.sample import drawn_from, sample
from parable.quality.gates.unit_numbers import UnitNumbers, pair_up
from parable.sentences import gettext_noop as _

AT_ONCE: Final = 500
"""The number of items that are computed together, so that their arrays fit the processor's cache."""


class StoryOverlap(MeasuringGate):
    """Choose the option that repeats most, or least, of the story: by words, and by pairs of words."""

    id: ClassVar = "story_overlap"
    parts: ClassVar = (ALL, STYLE)
    samples: ClassVar = True
    trait: ClassVar = "has_own_options"
    name: ClassVar = _("Overlap with the story")
    looks_at: ClassVar = _(
        "How many items are answered by always choosing the option of which most is in the story, or least."
    )
    needs: ClassVar = _("It needs 100 items with a key and the text of their stories.")
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
        """Return the measurements of each task: four rules that share one test; no rules without stories."""
        found: list[Measured] = []
        for task in self.tasks_in(items):
            keyed = items.keyed(task)
            read = sample(keyed)
            tried = trials(read, _tried(read) if read else {})
            found.append(Measured(self.id, task, len(read), tried, detail=drawn_from(keyed, read)))
        return found


def _tried(items: Sequence[ItemRecord]) -> dict[str, Tally]:
    sizes = np.array([len(item.choices) for item in items])
    keys = np.array([key_within(item) for item in items])
    chunks = (items[start : start + AT_ONCE] for start in range(0, len(items), AT_ONCE))
    shares = [np.concatenate(parts) for parts in zip(*map(overlaps, chunks), strict=True)]
    return {
        f"{side}_by_{name}": tally
        for name, values in zip(("words", "pairs"), shares, strict=True)
        for side, tally in zip(("most", "least"), try_extremes(values, sizes, keys), strict=True)
    }


def overlaps(items: Sequence[ItemRecord]) -> tuple[Floats, Floats]:
    """Return, for each option, the proportions of its words and of its word pairs that are in the story."""
    numbers: dict[str, int] = {}
    stories = [numbers.setdefault(item.story, len(numbers)) for item in items]
    units = UnitNumbers()
    said, told_in = units.of([*numbers])
    own, options = units.of([choice for item in items for choice in item.choices])
    sizes = [len(item.choices) for item in items]
    story_of_option, number = np.repeat(np.array(stories, dtype=np.int64), sizes), sum(sizes)
    found: list[Floats] = []
    for (theirs, where), (ours, who), width in (
        ((said, told_in), (own, options), units.width),
        (pair_up(said, told_in, units.width), pair_up(own, options, units.width), units.width**2),
    ):
        are_told = are_in(story_of_option[who] * width + ours, where * width + theirs)
        hits, all_of_them = np.bincount(who[are_told], minlength=number), np.bincount(who, minlength=number)
        found.append(hits / np.maximum(all_of_them, 1))
    return found[0], found[1]
