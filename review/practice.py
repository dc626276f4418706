"""Practice items: when one is drawn, what is right about it, how a verdict on it is scored. Pure."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from typing import Final

from annotation.content import ItemContent

HIGHEST_RATE: Final = 50
"""Percent: two practice items never follow one another."""

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
    """What is right about an item. Positions count from 0 in the order of its words.

    `flaws`: at least one of them must be named, where there are any; `dispositions`: all that are right.
    """

    answer: str
    positions: tuple[int, ...]
    rating_low: int
    rating_high: int
    flaws: tuple[str, ...] = ()
    dispositions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Given:
    """What somebody found, positions as in `Expected`; a misclick is no answer."""

    answer: str
    positions: Collection[int]
    misclick: bool
    rating: int | None
    flaws: Collection[str]
    disposition: str


@dataclass(frozen=True, slots=True)
class Findings:
    """Which parts of a verdict were right; None where nothing can be said."""

    answer: bool | None
    rating: bool
    flaws: bool
    disposition: bool

    @property
    def is_right(self) -> bool:
        """Whether no part was wrong."""
        return all(part is not False for part in asdict(self).values())


def score(expected: Expected, given: Given) -> Findings:
    """How a verdict compares with what is known."""
    return Findings(
        answer=None if given.misclick else _answers_rightly(expected, given),
        rating=given.rating is not None and expected.rating_low <= given.rating <= expected.rating_high,
        flaws=not expected.flaws or bool(set(expected.flaws) & set(given.flaws)),
        disposition=given.disposition in expected.dispositions,
    )


def _answers_rightly(expected: Expected, given: Given) -> bool:
    if given.answer != expected.answer:
        return False
    return expected.answer == NONE_FITS or set(given.positions) == set(expected.positions)


def is_drawn(*, project: int, reviewer: int, done: int, rate: int) -> bool:
    """Whether this person's next request is a practice item, where they have done so many reviews.

    `rate` is in percent of all their requests, at most 50. Requests after a practice item are never one, so
    that among the others more than the rate must be drawn: rate / (1 - rate) of them.
    """
    share = min(rate, HIGHEST_RATE) / 100
    return _point(project, reviewer, done) < share / (1 - share)


def choose(golds: Iterable[int], *, reviewer: int) -> int | None:
    """Which of these practice items a person gets next: everybody in an order of their own."""
    return min(golds, key=lambda gold: (_point(gold, reviewer), gold), default=None)


def _point(*parts: int) -> float:
    """A number from 0 to below 1 that the parts alone decide and nobody guesses."""
    digest = blake2b(":".join(map(str, parts)).encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64


def key_position(content: ItemContent) -> int:
    """Where the key stands; the first option where there is none."""
    return next((place for place, option in enumerate(content.options) if option.is_key), 0)


def plant(kind: str, content: ItemContent, *, good: Expected) -> tuple[ItemContent, Expected]:
    """A sound item with a flaw to begin with, and what is right about it then.

    Only the wrong key is planted whole; the words of the others are the manager's to change.
    """
    bad = replace(good, rating_low=0, rating_high=0, dispositions=("edit", "return", "reject"))
    key = key_position(content)
    other = (key + 1) % len(content.options)
    if kind == WRONG_KEY:
        return _with_key(content, other), replace(bad, flaws=("no_right_option", "other"))
    if kind == TWO_RIGHT:
        both = tuple(sorted((key, other)))
        return content, replace(bad, answer=SEVERAL_FIT, positions=both, flaws=("two_right_options",))
    if kind == NO_STORY:
        return content, replace(bad, flaws=("answerable_without_story",))
    return content, replace(bad, rating_high=1, flaws=("language",))


def _with_key(content: ItemContent, key: int) -> ItemContent:
    options = (replace(option, is_key=place == key) for place, option in enumerate(content.options))
    return replace(content, options=tuple(options))


def in_words_order(positions: Iterable[int], drawn: Sequence[int]) -> tuple[int, ...]:
    """Positions in the order drawn for somebody, as positions in the order of the words."""
    return tuple(sorted(drawn[place] for place in positions))
