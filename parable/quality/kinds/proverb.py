"""Checks of narratives that illustrate proverbs, and of the aligned spans of narrative and proverb."""

from collections.abc import Iterator
from typing import ClassVar, Final

from parable.kinds.proverb import Narrative, grams, split_at_spaces, split_letters
from parable.quality.finding import ERROR, WARNING, Finding
from parable.quality.kinds.base import Check
from parable.sentences import gettext_noop as _

MOST_WORDS: Final = 100
LENGTH_SHARED: Final = 3
"""This many words in sequence count as a quotation from the proverb."""


def _pairs(content: Narrative) -> Iterator[tuple[str, str, str]]:
    """Yield both sides of each used pair: an id, the span, and the text that should contain the span."""
    for number, pair in enumerate(content.slots, start=1):
        if pair.is_used:
            yield f"pair-{number}-proverb", pair.proverb, content.proverb
            yield f"pair-{number}-narrative", pair.narrative, content.text


class NarrativeEmpty(Check[Narrative]):
    """Find records without a narrative or without a proverb."""

    id: ClassVar = "narrative_empty"
    name: ClassVar = _("No narrative")
    severity: ClassVar = ERROR
    says: ClassVar = _("Write the narrative and name its proverb.")
    why: ClassVar = _("A narrative illustrates a proverb.")

    def find(self, content: Narrative) -> Iterator[Finding]:
        """Yield one finding if the narrative or the proverb is missing."""
        if not content.text.strip() or not content.proverb.strip():
            yield self.at("narrative")


class NarrativeLong(Check[Narrative]):
    """Find narratives that are too long."""

    id: ClassVar = "narrative_long"
    name: ClassVar = _("Long narrative")
    severity: ClassVar = WARNING
    says: ClassVar = _("The narrative has %(count)d words; aim for 100 or fewer.")
    why: ClassVar = _("Short narratives are easier to align and to compare.")

    def find(self, content: Narrative) -> Iterator[Finding]:
        """Yield one finding if the narrative has more than a hundred words."""
        count = len(split_at_spaces(content.text))
        if count > MOST_WORDS:
            yield self.at("narrative", count=count)


class ProverbQuoted(Check[Narrative]):
    """Find narratives that contain a part of their proverb."""

    id: ClassVar = "proverb_quoted"
    name: ClassVar = _("Narrative quotes the proverb")
    severity: ClassVar = WARNING
    says: ClassVar = _("The narrative contains words of the proverb: “%(words)s”.")
    why: ClassVar = _("Shared words give the proverb away without understanding.")

    def find(self, content: Narrative) -> Iterator[Finding]:
        """Yield one finding with the first three consecutive words that both texts contain."""
        proverb = split_letters(content.proverb)
        shared = grams(split_letters(content.text), LENGTH_SHARED)
        for start in range(len(proverb) - LENGTH_SHARED + 1):
            words = tuple(proverb[start : start + LENGTH_SHARED])
            if words in shared:
                yield self.at("narrative", words=" ".join(words))
                return


class PairsMissing(Check[Narrative]):
    """Find narratives without aligned spans."""

    id: ClassVar = "pairs_missing"
    name: ClassVar = _("No aligned spans")
    severity: ClassVar = ERROR
    says: ClassVar = _("Align at least one pair of spans.")
    why: ClassVar = _("Aligned spans show how the narrative follows the proverb.")

    def find(self, content: Narrative) -> Iterator[Finding]:
        """Yield one finding if no pair is used."""
        if not content.pairs:
            yield self.at("pairs")


class PairHalf(Check[Narrative]):
    """Find pairs with only one side."""

    id: ClassVar = "pair_half"
    name: ClassVar = _("Pair with one side")
    severity: ClassVar = ERROR
    says: ClassVar = _("Mark both sides of the pair.")
    why: ClassVar = _("A span is aligned with a span of the other text.")

    def find(self, content: Narrative) -> Iterator[Finding]:
        """Yield one finding for each empty side."""
        for place, span, _text in _pairs(content):
            if not span:
                yield self.at(place)


class SpanAbsent(Check[Narrative]):
    """Find spans that the proverb or narrative does not contain."""

    id: ClassVar = "span_absent"
    name: ClassVar = _("Span not in the text")
    severity: ClassVar = ERROR
    says: ClassVar = _("The text does not contain “%(span)s”.")
    why: ClassVar = _("A span that is not in the text cannot be shown in it.")

    def find(self, content: Narrative) -> Iterator[Finding]:
        """Yield one finding for each span that the text of its side does not contain."""
        for place, span, text in _pairs(content):
            if span not in text:
                yield self.at(place, span=span)


PROVERB_CHECKS: Final[tuple[Check[Narrative], ...]] = (
    NarrativeEmpty(),
    NarrativeLong(),
    ProverbQuoted(),
    PairsMissing(),
    PairHalf(),
    SpanAbsent(),
)
