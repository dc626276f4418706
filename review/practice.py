"""Rules of practice items: when users get them, the expected verdict, and the score of a verdict. Pure."""

# Names gates: the flaws that are planted in practice items.

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from typing import Final

from annotation.content import ItemContent

HIGHEST_RATE: Final = 50
"""The maximum share of practice items among requests, in percent; one never directly follows another."""

OPTION: Final = "option"
NONE_FITS: Final = "none_fits"
SEVERAL_FIT: Final = "several_fit"

WRONG_KEY: Final = "wrong_key"
TWO_RIGHT: Final = "two_right"
NO_STORY: Final = "no_story"
TYPO: Final = "typo"
PLANTS: Final = (WRONG_KEY, TWO_RIGHT, NO_STORY, TYPO)


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected verdict on a practice item.

    Positions count from 0 in the stored order of the options. The verdict must name at least one of `flaws`,
    unless it is empty. `dispositions` has all acceptable dispositions.
    """

    answer: str
    positions: tuple[int, ...]
    rating_low: int
    rating_high: int
    flaws: tuple[str, ...] = ()
    dispositions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Given:
    """A reviewer's answer and verdict, with positions as in `Expected`.

    After a misclick, the answer is not scored.
    """

    answer: str
    positions: Collection[int]
    misclick: bool
    rating: int | None
    flaws: Collection[str]
    disposition: str


@dataclass(frozen=True, slots=True)
class Findings:
    """Whether each part of a verdict was right. `answer` is None after a misclick."""

    answer: bool | None
    rating: bool
    flaws: bool
    disposition: bool

    @property
    def is_right(self) -> bool:
        """Return whether no part of the verdict was wrong."""
        return all(part is not False for part in asdict(self).values())


def score(expected: Expected, given: Given) -> Findings:
    """Return the score of a verdict against the expected one."""
    is_right = given.answer == expected.answer and (
        expected.answer == NONE_FITS or set(given.positions) == set(expected.positions)
    )
    return Findings(
        answer=None if given.misclick else is_right,
        rating=given.rating is not None and expected.rating_low <= given.rating <= expected.rating_high,
        flaws=not expected.flaws or bool(set(expected.flaws) & set(given.flaws)),
        disposition=given.disposition in expected.dispositions,
    )


def is_drawn(*, project: int, reviewer: int, done: int, rate: int) -> bool:
    """Return whether a reviewer who has finished `done` reviews gets a practice item next.

    `rate`: the wanted share of practice items among all requests of the reviewer, in percent, at most 50. A
    practice item is never followed by another, so the probability after a real item must be higher: rate / (1
    - rate).
    """
    share = min(rate, HIGHEST_RATE) / 100
    return _point(project, reviewer, done) < share / (1 - share)


def choose(practice_items: Iterable[int], *, reviewer: int) -> int | None:
    """Return the practice item that this user gets next, or None. Users get them in different orders."""
    return min(
        practice_items,
        key=lambda practice_item: (_point(practice_item, reviewer), practice_item),
        default=None,
    )


def _point(*parts: int) -> float:
    """Return a pseudo-random number in [0, 1); equal parts give the same number."""
    digest = blake2b(":".join(map(str, parts)).encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64


def key_position(content: ItemContent) -> int:
    """Return the position of the first key, or 0 if there is none."""
    return next((index for index, option in enumerate(content.options) if option.is_key), 0)


def plant(kind: str, content: ItemContent, *, good: Expected) -> tuple[ItemContent, Expected]:
    """Return the content of a sound item with a planted flaw of this `kind`, and the expected verdict on it.

    `good` is the expected verdict on the sound item. Only `WRONG_KEY` changes the content; for other flaws,
    the manager must edit the text.
    """
    bad = replace(good, rating_low=0, rating_high=0, dispositions=("edit", "return", "reject"))
    key = key_position(content)
    other = (key + 1) % len(content.options)
    if kind == WRONG_KEY:
        options = (replace(option, is_key=index == other) for index, option in enumerate(content.options))
        return replace(content, options=tuple(options)), replace(bad, flaws=("no_right_option", "other"))
    if kind == TWO_RIGHT:
        both = tuple(sorted((key, other)))
        return content, replace(bad, answer=SEVERAL_FIT, positions=both, flaws=("two_right_options",))
    if kind == NO_STORY:
        return content, replace(bad, flaws=("answerable_without_story",))
    return content, replace(bad, rating_high=1, flaws=("language",))


def in_words_order(positions: Iterable[int], drawn: Sequence[int]) -> tuple[int, ...]:
    """Convert positions in the order `drawn` to positions in the stored order, sorted."""
    return tuple(sorted(drawn[place] for place in positions))
