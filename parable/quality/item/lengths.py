"""Rule on the lengths of options: none may be far longer or shorter than the others."""

from collections.abc import Collection, Iterator, Sequence
from typing import ClassVar, Final

from parable.quality.finding import Finding
from parable.quality.item import words
from parable.quality.item.base import ItemView, RuleCheck, option
from parable.quality.item.batch import Batch
from parable.quality.item.meanings import meaning
from parable.quality.item.sums import labels
from parable.sentences import gettext_noop as _

TIMES_KEY: Final = 1.5
TIMES_KEY_CHINESE: Final = 2.1
"""Times the mean length of the other options from which a Chinese key stands out."""
TIMES_OTHER: Final = 2.5
"""Times the mean length from which another option, or any shorter option, stands out."""
LEAST_MORE: Final = 8
"""Fewest characters by which the length must differ from the mean."""


class UnequalLengths(RuleCheck):
    """An option that is far longer or shorter than the others."""

    id: ClassVar = "unequal_lengths"
    reads_words: ClassVar = False
    reveals_key: ClassVar = True
    rule: ClassVar = "equal_length_options"
    name: ClassVar = _("Options of unequal length")
    says: ClassVar = _("Option %(number)d has %(length)d characters, the others %(mean)d on average.")
    looks_at: ClassVar = _(
        "A key 1.5 times as long as the others on average (2.1 times in Chinese), another option"
        " 2.5 times as long, or any option 2.5 times as short; by at least 8 characters."
    )
    why: ClassVar = _("An option that stands out by its length is chosen or ruled out for that reason.")
    fix: ClassVar = _("Give all options about the same amount of detail.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the items whose longest option is far longer than the shortest."""
        return [
            index
            for index, (item, lengths) in enumerate(zip(batch.items, batch.lengths, strict=True))
            if lengths
            and max(lengths) - min(lengths) >= LEAST_MORE
            and max(lengths) >= (TIMES_KEY_CHINESE if item.is_chinese else TIMES_KEY) * min(lengths)
        ]

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each option of unusual length; “none of them” and the like are ignored."""
        compared = [(n, one) for n, one in item.filled if not (meaning(one.text) or labels(one.text))]
        lengths = [words.length(one.text) for _number, one in compared]
        times = TIMES_KEY_CHINESE if item.is_chinese else TIMES_KEY
        for index, (number, one) in enumerate(compared):
            mean = _mean_without(lengths, index)
            if mean and _stands_out(lengths[index], mean, times if one.is_key else TIMES_OTHER):
                yield self.at(option(number), number=number, length=lengths[index], mean=round(mean))


def _mean_without(lengths: Sequence[int], place: int) -> float:
    return (sum(lengths) - lengths[place]) / (len(lengths) - 1) if len(lengths) > 1 else 0.0


def _stands_out(length: int, mean: float, times: float) -> bool:
    return abs(length - mean) >= LEAST_MORE and (length >= times * mean or TIMES_OTHER * length <= mean)
