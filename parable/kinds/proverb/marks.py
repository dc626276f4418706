"""Aligned spans as groups of marks, and how much two alignments agree."""

from collections.abc import Iterable, Sequence
from typing import Final

from parable.kinds.averages import f1_of
from parable.kinds.marks import Group, Groups, Mark, mark_of
from parable.kinds.proverb.content import SLOTS, Narrative, SpanPair
from parable.kinds.proverb.scorer import score_alignment, score_span
from parable.kinds.spans import Span

PROVERB: Final = "proverb"
NARRATIVE: Final = "narrative"
SIDES: Final = (PROVERB, NARRATIVE)
"""The two sides of a pair: each is a role, and the text that its span is of."""


def to_marks(narrative: Narrative) -> Groups:
    """Each slot as a group, unused ones before the last used one as empty groups.

    A wording that does not stand in its text, as a few published ones, has no positions.
    """
    texts = {PROVERB: narrative.proverb, NARRATIVE: narrative.text}
    slots = [
        {PROVERB: slot.proverb, NARRATIVE: slot.narrative} if slot.is_used else {} for slot in narrative.slots
    ]
    while slots and not slots[-1]:
        slots.pop()
    return tuple(
        tuple(mark_of(side, _span(words, texts[side]), target=side) for side, words in slot.items() if words)
        for slot in slots
    )


def _span(words: str, text: str) -> Span:
    start = text.find(words)
    return Span(words, () if start < 0 else tuple(range(start, start + len(words))))


def from_marks(groups: Iterable[Sequence[Mark]]) -> tuple[SpanPair, ...]:
    """The pairs of these groups, filled up to the number of slots that a record has."""
    pairs = [SpanPair(_words(group, PROVERB), _words(group, NARRATIVE)) for group in groups]
    return tuple(pairs + [SpanPair("", "")] * (SLOTS - len(pairs)))


def _words(group: Sequence[Mark], side: str) -> str:
    return next((mark.text for mark in group if mark.role == side), "")


def likeness(first: Group, second: Group) -> float:
    """The harmonic mean of how much the two sides of a pair agree."""
    one, other = from_marks([first])[0], from_marks([second])[0]
    proverb = score_span(one.proverb, other.proverb).f1
    return f1_of(proverb, score_span(one.narrative, other.narrative).f1)


def score(gold: Groups, given: Groups) -> float:
    """F1 of a whole alignment by token sets."""
    wanted, found = (Narrative("", "", "", from_marks(groups)) for groups in (gold, given))
    return score_alignment(wanted, found).f1
