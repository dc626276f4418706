"""Items that ask which proverb fits a narrative, with options that models confuse with the right one."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Final

from parable.kinds.base import Kind
from parable.sentences import gettext_noop as _

PROVERB_CHOICE: Final = Kind(
    code="proverb_choice",
    name=_("proverb choice"),
    item_name=_("Proverb item"),
    items_name=_("Proverb items"),
    brief=_(
        "The story is a narrative. The key is the proverb that it illustrates; the other options are proverbs"
        " that are easily confused with it. No other option may fit as well."
    ),
    exposed_by_story=True,
    drafts_by_confusion=True,
)
STEMS: Final[Mapping[str, str]] = MappingProxyType(
    {"en": "Which proverb does the narrative illustrate?", "zh": "这篇叙事说明了哪句谚语？"}
)
"""The stem of a proposed item, by language."""

CONFUSED_UP_TO: Final = 3
"""A proverb counts as confused with the right one if it is among this many best ones."""
MOST_PAIRS: Final = 50
"""The most pairs of proverbs that are proposed as near-synonyms at once."""

Rankings = Mapping[str, Sequence[str]]
"""The proverbs of each narrative, best first."""
Pair = frozenset[str]
"""Two proverbs."""


def near_proverbs(rankings: Rankings, keys: Mapping[str, str]) -> dict[str, list[str]]:
    """Return, by proverb, the others that are ranked high for its narratives, nearest first.

    `keys`: the right proverb of each narrative. A proverb counts with the reciprocal of its rank.
    """
    near: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for narrative, ranked in rankings.items():
        key = keys[narrative]
        for rank, proverb in enumerate(ranked, start=1):
            if proverb != key:
                near[key][proverb] += 1 / rank
    return {key: [one for one, _n in _by_count(counts)] for key, counts in near.items()}


def _by_count(counts: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return the entries with the largest first; equal ones by name, so that the order is always the same."""
    return sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))


def choose_distractors(
    key: str, ranked: Sequence[str], near: Sequence[str], *, left_out: Collection[Pair], count: int
) -> tuple[str, ...]:
    """Return `count` proverbs that are easily confused with the key, or fewer if not enough are known.

    As in ePiC, half are the proverbs that the examinee finds most fitting for the narrative (`ranked`), and
    half those it confuses most with the key over all of its narratives (`near`). If one source has too few,
    the other fills up. A proverb that forms a pair of `left_out` with the key is not used, as it may be right
    as well.
    """

    def usable(proverbs: Iterable[str]) -> list[str]:
        return [
            one for one in dict.fromkeys(proverbs) if one != key and frozenset((key, one)) not in left_out
        ]

    fitting, close = usable(ranked), usable(near)
    first = fitting[: (count + 1) // 2]
    rest = [one for one in chain(close, fitting) if one not in first]
    return tuple(dict.fromkeys([*first, *rest]))[:count]


def confused_pairs(
    rankings: Rankings, keys: Mapping[str, str], *, most: int = MOST_PAIRS
) -> list[tuple[str, str]]:
    """Return pairs of proverbs that are confused in both directions, most often first: perhaps near-synonyms.

    A direction counts by the share of a proverb's narratives that rank the other one at most
    `CONFUSED_UP_TO`.
    """
    total, confused = Counter(keys[one] for one in rankings), Counter[tuple[str, str]]()
    for narrative, ranked in rankings.items():
        key = keys[narrative]
        confused.update((key, other) for other in ranked[:CONFUSED_UP_TO] if other != key)
    shares = {
        (one, other): n / total[one] + confused[other, one] / total[other]
        for (one, other), n in confused.items()
        if one < other and confused[other, one]
    }
    return sorted(shares, key=lambda pair: (-shares[pair], pair))[:most]


def key_ranks(rankings: Rankings, keys: Mapping[str, str]) -> dict[str, int | None]:
    """Return the rank of each narrative's right proverb; None if the list does not have it.

    A narrative without a list has None, too: what is not answered is not found.
    """

    def rank(narrative: str, key: str) -> int | None:
        ranked = rankings.get(narrative, ())
        return ranked.index(key) + 1 if key in ranked else None

    return {narrative: rank(narrative, key) for narrative, key in keys.items()}


def renamed(rankings: Rankings, name_of: Callable[[str], str]) -> dict[str, list[str]]:
    """Return rankings under other names of the proverbs; a name that comes twice counts where it is first."""
    return {
        narrative: list(dict.fromkeys(name_of(one) for one in ranked))
        for narrative, ranked in rankings.items()
    }
