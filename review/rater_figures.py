"""What models of raters say of reviewers: severity, adjusted ratings, keys by blind answers. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from parable.psychometrics.raters.adjusted import Adjusted, adjusted_ratings
from parable.psychometrics.raters.facets import Severity, severities
from parable.psychometrics.raters.keys import Answer, Keys, Person, keys_by_answers
from parable.psychometrics.raters.ratings import make_ratings
from review.figures import Rated

MOST_SHOWN: Final = 5
LEAST_CHANGE: Final = 0.05
"""Of ratings that severity changes, a page shows these few; files hold all."""
MOST_NAMED: Final = 500
"""So many items are named at most for which answers speak for another key."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """One blind answer that names one option of a revision: which of how many, and which is the key."""

    revision: int
    story: int
    reviewer: int
    option: int
    options: int
    key: int


@dataclass(frozen=True, slots=True)
class SeverityFigures:
    """Severity of reviewers; `units`, `ratings` and `stories` are what it was estimated from."""

    reviewers: tuple[Severity, ...]
    units: int
    ratings: int
    stories: int
    p_equal: float | None
    reliability: float | None


@dataclass(frozen=True, slots=True)
class KeyFigures:
    """Keys by blind answers: `against` are the revisions whose answers speak for another option."""

    reviewers: tuple[Person, ...]
    answers: int
    items: int
    stories: int
    against: tuple[int, ...]


def severity_figures(rated: Iterable[Rated], categories: int) -> tuple[SeverityFigures, list[Adjusted]]:
    """The severity of each reviewer on the project's scale, and every revision's rating adjusted for it."""
    rows = list(rated)
    ratings = make_ratings(((one.revision, one.reviewer, one.rating) for one in rows), categories)
    found = severities(ratings, {one.revision: one.story for one in rows})
    figures = SeverityFigures(
        found.raters, found.units, found.ratings, found.stories, found.p_equal, found.reliability
    )
    return figures, adjusted_ratings(ratings, found)


def most_changed(adjusted: Sequence[Adjusted]) -> list[Adjusted]:
    """Those whose rating changes most, as far as it changes at all."""
    found = [one for one in adjusted if abs(one.adjusted - one.raw) >= LEAST_CHANGE]
    return sorted(found, key=lambda one: -abs(one.adjusted - one.raw))[:MOST_SHOWN]


def key_figures(chosen: Sequence[Chosen]) -> KeyFigures | None:
    """The keys that blind answers speak for; None where there are too few answers."""
    found = keys_by_answers(
        (Answer(one.revision, one.reviewer, one.option, one.options) for one in chosen),
        {one.revision: one.story for one in chosen},
    )
    return None if found is None else _key_figures(found, chosen)


def _key_figures(found: Keys, chosen: Sequence[Chosen]) -> KeyFigures:
    against = found.against({one.revision: one.key for one in chosen})
    named = tuple(int(str(one.item)) for one in against[:MOST_NAMED])
    return KeyFigures(found.people, found.answers, len(found.items), found.stories, named)
