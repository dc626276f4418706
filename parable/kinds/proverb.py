"""Narratives that illustrate a proverb, with aligned spans of both: the ePiC dataset."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from types import MappingProxyType
from typing import Any, ClassVar, Final

from parable.kinds.averages import NOTHING, Score, f1_of, score_of
from parable.kinds.base import AGREES_FROM, Kind, Scale
from parable.kinds.count import count_by_number, mean
from parable.kinds.mark_json import read_groups, write_groups
from parable.kinds.marks import ALIGNMENT, Group, Groups, Mark, mark_of
from parable.kinds.published import Published
from parable.kinds.question import Released
from parable.kinds.spans import Span
from parable.kinds.written_marks import MarksAnswer
from parable.sentences import gettext_noop as _

# Types: proverbs, narratives, and pairs of aligned spans, which have a text but no positions.

SLOTS: Final = 5
"""Most pairs of spans per narrative."""
CRITERIA: Final = ("relatedness", "interesting", "fluency", "overall")
"""Criteria by which a narrative is rated."""
SCALE: Final = (1, 2, 3, 4, 5)


@dataclass(frozen=True, slots=True)
class Proverb:
    """A proverb with its id."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class SpanPair:
    """A span of the proverb and the corresponding span of the narrative; "" if one side has no span."""

    proverb: str
    narrative: str

    @property
    def is_used(self) -> bool:
        """Whether either side has a span."""
        return bool(self.proverb or self.narrative)


@dataclass(frozen=True, slots=True)
class Narrative:
    """A narrative for a proverb; `slots` are its aligned pairs of spans, including unused pairs."""

    id: str
    proverb: str
    text: str
    slots: tuple[SpanPair, ...]

    @property
    def pairs(self) -> tuple[SpanPair, ...]:
        """The slots in which at least one side has a span."""
        return tuple(pair for pair in self.slots if pair.is_used)


# N-grams of a text in either published tokenisation, and the overlap of two texts.

Tokenise = Callable[[str], list[str]]
Grams = frozenset[tuple[str, ...]]

LENGTHS: Final = (1, 2, 3)
_ENDINGS: Final = re.compile(r"n't\b|'(?:s|m|re|ve|ll|d)\b")
_LETTERS: Final = re.compile(r"[^\W\d_]+")


def split_at_spaces(text: str) -> list[str]:
    """Split a text at white space, in lower case, with punctuation attached, as in table 2 of the paper."""
    return text.lower().split()


def split_letters(text: str) -> list[str]:
    """Split a text into runs of letters, in lower case without contractions, as in table 3 of the paper."""
    return _LETTERS.findall(_ENDINGS.sub(" ", text.lower().replace("’", "'")))


def grams(tokens: Sequence[str], length: int) -> Grams:
    """Return the set of n-grams of these tokens; `length` is n."""
    return frozenset(zip(*(tokens[start:] for start in range(length)), strict=False))


@dataclass(frozen=True, slots=True)
class Overlap:
    """The Jaccard index and the number of shared n-grams of two texts, or their means over pairs of texts."""

    jaccard: float
    shared: float


def overlap_of(first: Grams, second: Grams) -> Overlap:
    """Return the overlap of two sets of n-grams; all values are 0 if both are empty."""
    shared = len(first & second)
    return Overlap(shared / (len(first | second) or 1), float(shared))


# Spans of a text that is still being written: their positions after a change.


def anchored(groups: Iterable[Iterable[Mark]], texts: Mapping[str, str]) -> Groups:
    """Update the positions of marks after a change of the texts, which are given by target.

    Positions that still match the mark's text do not change; otherwise the first occurrence of this text is
    used. If there is no occurrence, the mark has no positions.
    """
    return tuple(tuple(_anchored(mark, texts.get(mark.target, "")) for mark in group) for group in groups)


def _anchored(mark: Mark, text: str) -> Mark:
    if Span(mark.text, mark.positions).read_in(text) == mark.text:
        return mark
    start = text.find(mark.text) if mark.text else -1
    found = range(start, start + len(mark.text)) if start >= 0 else ()
    return replace(mark, positions=tuple(found))


# Statistics of a set of narratives: the counts of the published table 2.


@dataclass(frozen=True, slots=True)
class NarrativeCounts:
    """Counts of narratives, their n-grams (across sentence ends), and means per narrative and span.

    `exact_pairs` are the pairs whose spans occur literally in proverb and narrative; `by_pairs` counts
    narratives by their number of pairs.
    """

    narratives: int
    proverbs: int
    pairs: int
    exact_pairs: int
    by_pairs: Mapping[int, int]
    vocabulary: int
    bigrams: int
    trigrams: int
    tokens: float
    pairs_per_narrative: float
    proverb_span: float
    narrative_span: float


def narrative_counts(
    narratives: Iterable[Narrative], tokenise: Tokenise = split_at_spaces
) -> NarrativeCounts:
    """Return the counts of these narratives; a mean is 0 if there is nothing to average."""
    found = list(narratives)
    tokens = [tokenise(one.text) for one in found]
    pairs = [(one, pair) for one in found for pair in one.pairs]
    unique = [len(frozenset[object]().union(*(grams(one, n) for one in tokens))) for n in (1, 2, 3)]
    return NarrativeCounts(
        narratives=len(found),
        proverbs=len({one.proverb for one in found}),
        pairs=len(pairs),
        exact_pairs=sum(pair.proverb in one.proverb and pair.narrative in one.text for one, pair in pairs),
        by_pairs=count_by_number(len(one.pairs) for one in found),
        vocabulary=unique[0],
        bigrams=unique[1],
        trigrams=unique[2],
        tokens=mean([len(one) for one in tokens]),
        pairs_per_narrative=len(pairs) / (len(found) or 1),
        proverb_span=mean([len(tokenise(pair.proverb)) for _one, pair in pairs]),
        narrative_span=mean([len(tokenise(pair.narrative)) for _one, pair in pairs]),
    )


# Scores of alignments.

_NO_PAIR: Final = SpanPair("", "")


def score_span(gold: str, predicted: str) -> Score:
    """Return precision, recall and F1 of the set of tokens of a predicted span."""
    right, given = set(split_at_spaces(gold)), set(split_at_spaces(predicted))
    return score_of(len(right & given), len(given), len(right))


def score_alignment(gold: Narrative, predicted: Narrative) -> Score:
    """Return the mean score of the predicted narrative spans, compared slot by slot.

    A pair that only one side has scores 0. F1 is computed from mean precision and mean recall.
    """
    slots = zip_longest(gold.slots, predicted.slots, fillvalue=_NO_PAIR)
    found = [
        score_span(right.narrative, given.narrative)
        for right, given in slots
        if right.is_used or given.is_used
    ]
    if not found:
        return NOTHING
    precision = sum(one.precision for one in found) / len(found)
    recall = sum(one.recall for one in found) / len(found)
    return Score(precision, recall, f1_of(precision, recall))


# Conversion of aligned spans to groups of marks, and the agreement of two alignments.

PROVERB: Final = "proverb"
NARRATIVE: Final = "narrative"
SIDES: Final = (PROVERB, NARRATIVE)
"""The two sides of a pair. Each name is both the role of a mark and its target."""


def to_marks(narrative: Narrative) -> Groups:
    """Convert each slot to a group of marks.

    Unused slots become empty groups, unless they come last. A span that does not occur in its text, as in a
    few published records, has no positions.
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
    """Convert groups of marks to pairs of spans, padded to `SLOTS` with empty pairs."""
    pairs = [SpanPair(_words(group, PROVERB), _words(group, NARRATIVE)) for group in groups]
    return tuple(pairs + [SpanPair("", "")] * (SLOTS - len(pairs)))


def _words(group: Sequence[Mark], side: str) -> str:
    return next((mark.text for mark in group if mark.role == side), "")


def likeness(first: Group, second: Group) -> float:
    """Return the harmonic mean of the token F1 of the two proverb spans and of the two narrative spans."""
    one, other = from_marks([first])[0], from_marks([second])[0]
    proverb = score_span(one.proverb, other.proverb).f1
    return f1_of(proverb, score_span(one.narrative, other.narrative).f1)


def score(gold: Groups, given: Groups) -> float:
    """Return the F1 of an alignment, computed from the tokens of the narrative spans."""
    wanted, found = (Narrative("", "", "", from_marks(groups)) for groups in (gold, given))
    return score_alignment(wanted, found).f1


# The prompt that asks a model which words of a narrative correspond to which words of the proverb.


class NarrativeQuestion(MarksAnswer):
    """Questions answered by pairs of spans: one span of the proverb, one of the narrative."""

    layer: ClassVar[str] = ALIGNMENT
    roles: ClassVar[tuple[str, ...]] = SIDES
    asked: ClassVar[tuple[str, ...]] = (NARRATIVE,)
    wanted: ClassVar[tuple[str, ...]] = ("{story}", "{narrative}")
    templates: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "zh": "下面的叙事说明了一句谚语。请把谚语的片段和叙事中与之对应的片段配对，一到五对。\n"
            '只写一个 JSON 列表，例如 [{"proverb": "厨子多了", "narrative": "五个经理"}]。'
            "片段照抄原文。不要解释。\n\n"
            "谚语：\n{story}\n\n叙事：\n{narrative}\n\n答案：",
            "en": "The narrative below illustrates a proverb. Pair spans of the proverb with the spans of the"
            " narrative that stand for them, one to five pairs.\n"
            'Give only a JSON list such as [{"proverb": "too many cooks", "narrative": "five'
            ' managers"}]. Copy'
            " spans from the texts. No explanation.\n\n"
            "Proverb:\n{story}\n\nNarrative:\n{narrative}\n\nAnswer:",
        }
    )

    def texts(self, item: Released) -> Mapping[str, str]:
        """Return the proverb and the narrative, by side."""
        proverb, narrative = SIDES
        return {proverb: item["story"], narrative: self.asked_of(item).get(NARRATIVE, "")}

    def target(self, role: str) -> str:
        """Return the role, which is also the name of the text of its side."""
        return role


NARRATIVE_QUESTION: Final = NarrativeQuestion()


# Conversion of an item to a record of published files, and back.


def value(item: Released) -> Narrative:
    """Convert an item to a published record."""
    own = item.get("own") or {}
    pairs = from_marks(read_groups(own.get(ALIGNMENT)))
    return Narrative(item["id"], item["story"], own.get(NARRATIVE, ""), pairs)


def fields(record: Narrative) -> Mapping[str, Any]:
    """Convert a published record to the fields of an item; the story of narrative `Q12N3` is `Q12`."""
    pairs = write_groups(to_marks(record))
    return {
        "id": record.id,
        "story_id": record.id.rpartition("N")[0] or record.proverb,
        "story": record.proverb,
        "language": "en",
        "own": {NARRATIVE: record.text} | ({ALIGNMENT: pairs} if pairs else {}),
    }


NARRATIVE_FILES: Final = Published(
    layouts=("epic-narratives",),
    file="full_dataset_{split}.json",
    value=value,
    fields=fields,
    count=narrative_counts,
    figures=MappingProxyType(
        {
            "proverbs": _("proverbs"),
            "by_pairs": _("narratives by aligned pairs"),
            "vocabulary": _("different words"),
            "bigrams": _("different bigrams"),
            "trigrams": _("different trigrams"),
            "tokens": _("words in a narrative"),
            "pairs_per_narrative": _("aligned pairs in a narrative"),
            "proverb_span": _("words in a span of a proverb"),
            "narrative_span": _("words in a span of a narrative"),
        }
    ),
)


# The kind: narratives that illustrate a proverb, with aligned spans.

LEAST_GOOD: Final = 3
"""The lowest rating of a good narrative: the middle of the scale."""


def score_answer(given: object, right: object) -> float:
    """Return the F1 of an alignment in Parable's JSON, from the tokens of the narrative spans."""
    groups = [read_groups(one.get(ALIGNMENT)) if isinstance(one, Mapping) else () for one in (right, given)]
    return score(*groups)


NARRATIVES: Final = Kind(
    code="proverb_narratives",
    name=_("narratives"),
    item_name=_("Narrative"),
    items_name=_("Narratives"),
    brief=_("Write a narrative that shows what the proverb means, without its words."),
    answer="own",
    own_question=NARRATIVE_QUESTION,
    scorer=score_answer,
    agrees_from=AGREES_FROM,
    measure="f1",
    has_options=False,
    has_stem=False,
    published=NARRATIVE_FILES,
    is_owed=True,
    has_marks=True,
    scale=Scale(
        low=SCALE[0],
        high=SCALE[-1],
        passes=LEAST_GOOD,
        criteria=CRITERIA,
        ends={
            "relatedness": (_("unrelated to the proverb"), _("perfectly related")),
            "interesting": (_("boring"), _("creative, like a story")),
            "fluency": (_("poor language"), _("no errors")),
            "overall": (_("lowest"), _("highest")),
        },
    ),
)
