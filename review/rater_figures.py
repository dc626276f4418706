"""Models of raters: reviewers' severity, adjusted ratings, and keys inferred from answers. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from parable.psychometrics.raters.adjusted import Adjusted, adjusted_ratings
from parable.psychometrics.raters.facets import Severity, severities
from parable.psychometrics.raters.keys import Answer, Person, keys_by_answers
from parable.psychometrics.raters.ratings import make_ratings
from review.figures import Rated

MOST_SHOWN: Final = 5
LEAST_CHANGE: Final = 0.05
"""A page lists the `MOST_SHOWN` ratings that the adjustment changes most, by at least `LEAST_CHANGE`. Files
have all ratings.
"""
MOST_NAMED: Final = 500
"""The maximum number of listed items whose blind answers point to another key."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A blind answer that chooses one option of a revision.

    `option` and `key` are positions, `options` is the number of options.
    """

    revision: int
    story: int
    reviewer: int
    option: int
    options: int
    key: int


@dataclass(frozen=True, slots=True)
class SeverityFigures:
    """The severity of each reviewer; `units`, `ratings` and `stories` count the data of the estimate."""

    reviewers: tuple[Severity, ...]
    units: int
    ratings: int
    stories: int
    p_equal: float | None
    reliability: float | None


@dataclass(frozen=True, slots=True)
class KeyFigures:
    """Keys inferred from blind answers; `against` has the revisions whose key is another option."""

    reviewers: tuple[Person, ...]
    answers: int
    items: int
    stories: int
    against: tuple[int, ...]


def severity_figures(rated: Iterable[Rated], categories: int) -> tuple[SeverityFigures, list[Adjusted]]:
    """Return each reviewer's severity, and the rating of every revision adjusted for severity."""
    rows = list(rated)
    ratings = make_ratings(((one.revision, one.reviewer, one.rating) for one in rows), categories)
    found = severities(ratings, {one.revision: one.story for one in rows})
    figures = SeverityFigures(
        found.raters, found.units, found.ratings, found.stories, found.p_equal, found.reliability
    )
    return figures, adjusted_ratings(ratings, found)


def most_changed(adjusted: Sequence[Adjusted]) -> list[Adjusted]:
    """Return the ratings that the adjustment changes most, largest change first.

    Small changes are left out.
    """
    found = [one for one in adjusted if abs(one.adjusted - one.raw) >= LEAST_CHANGE]
    return sorted(found, key=lambda one: -abs(one.adjusted - one.raw))[:MOST_SHOWN]


def key_figures(chosen: Sequence[Chosen]) -> KeyFigures | None:
    """Return the keys inferred from blind answers, or None if there are too few answers."""
    found = keys_by_answers(
        (Answer(one.revision, one.reviewer, one.option, one.options) for one in chosen),
        {one.revision: one.story for one in chosen},
    )
    if found is None:
        return None
    against = found.against({one.revision: one.key for one in chosen})
    named = tuple(int(str(one.item)) for one in against[:MOST_NAMED])
    return KeyFigures(found.people, found.answers, len(found.items), found.stories, named)
