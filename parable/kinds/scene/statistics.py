"""What a set of pairs of texts comes to."""

from collections.abc import Iterable
from dataclasses import dataclass

from parable.kinds.count import mean
from parable.kinds.scene.content import ScenePair, find_difference


@dataclass(frozen=True, slots=True)
class SceneCounts:
    """Counts of pairs and judgements, and means of characters of a text, a difference and a reason."""

    pairs: int
    same: int
    different: int
    characters: float
    difference: float
    reason: float


def scene_counts(pairs: Iterable[ScenePair]) -> SceneCounts:
    """Count a set."""
    found = list(pairs)
    judged = [judgement for one in found for judgement in one.judgements or ()]
    texts = [text for one in found for text in (one.first, one.second) if text is not None]
    both = [(one.first, one.second) for one in found if one.first is not None and one.second is not None]
    differences = [find_difference(first, second) for first, second in both]
    return SceneCounts(
        pairs=len(found),
        same=sum(one.is_same for one in judged),
        different=sum(not one.is_same for one in judged),
        characters=mean([len(text) for text in texts]),
        difference=mean([max(len(one.first), len(one.second)) for one in differences if one]),
        reason=mean([len(one.reason) for one in judged if one.reason]),
    )
