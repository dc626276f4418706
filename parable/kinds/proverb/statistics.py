"""What a set of narratives comes to: the counts of the published table 2."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from parable.kinds.count import count_by_number, mean
from parable.kinds.proverb.content import Narrative
from parable.kinds.proverb.grams import Tokenise, grams, split_at_spaces


@dataclass(frozen=True, slots=True)
class NarrativeCounts:
    """Counts of narratives alone, n-grams across the ends of sentences, and means per narrative and span.

    `exact_pairs` are those whose spans stand in proverb and narrative as they are; `by_pairs` counts
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
    """Count a set; means are 0 where there is nothing to be averaged."""
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
