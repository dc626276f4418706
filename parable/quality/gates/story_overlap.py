"""Whether the key is the option that is most like the story, or least."""

from collections.abc import Hashable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import ClassVar

from parable.formats.records import ItemRecord, key_within
from parable.quality.gates.base import ALL, STYLE, ItemSet
from parable.quality.gates.decision_rule import Measured, MeasuringGate
from parable.quality.gates.picks import Tally, extremes, trials
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
        found = {rule: Tally() for rule in self.rules}
        for place, item in enumerate(items):
            if item.story:
                _count(found, place, item)
        detail = drawn_from(keyed, items)
        return Measured(self.id, task, len(items), trials(items, found), detail=detail)


def _count(found: dict[str, Tally], place: int, item: ItemRecord) -> None:
    for name, shares in zip(("words", "pairs"), overlaps(item.story, item.choices), strict=True):
        for side, chosen in zip(("most", "least"), extremes(shares), strict=True):
            is_right = key_within(item) in chosen
            found[f"{side}_by_{name}"].add(place, len(shares), len(chosen), is_right=is_right)


def overlaps(story: str, options: Sequence[str]) -> tuple[list[float], list[float]]:
    """For each option the share of its words that the story has, and of its pairs of neighbouring words."""
    said, side_by_side = _pieces(story)
    units = [words.units(option) for option in options]
    return [_share(own, said) for own in units], [_share(list(pairwise(own)), side_by_side) for own in units]


@lru_cache(_REMEMBERED)
def _pieces(story: str) -> tuple[frozenset[Hashable], frozenset[Hashable]]:
    units = words.units(story)
    return frozenset(units), frozenset(pairwise(units))


def _share(own: Sequence[Hashable], said: frozenset[Hashable]) -> float:
    return sum(piece in said for piece in own) / len(own) if own else 0.0
