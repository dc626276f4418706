"""A gate that tests whether the key is the option most like the others, or least like them."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from parable.formats.records import ItemRecord, key_within
from parable.quality.gates.base import ALL, STYLE, ItemSet
from parable.quality.gates.decision_rule import Measured, MeasuringGate
from parable.quality.gates.likeness import likeness
from parable.quality.gates.picks import Tally, trials, try_extremes
from parable.quality.gates.sample import drawn_from, sample
from parable.sentences import gettext_noop as _


class Convergence(MeasuringGate):
    """Choose the option that has most, or least, in common with the others, by three measures."""

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
        """Return the measurements of each task; all rules of a task share one test."""
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
    return {
        f"{side}_{name}": tally
        for name, values in likeness([item.choices for item in items])._asdict().items()
        for side, tally in zip(("most", "least"), try_extremes(values, sizes, keys), strict=True)
    }
