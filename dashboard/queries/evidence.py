"""Queries of the evidence on an item's options: blind answers, examinees' responses, origins, statistics."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from annotation.models import Option
from evaluation.queries.item import Calibrated, ItemAnswers
from generation.models import Adoption
from parable.formats.options import letter
from parable.psychometrics.bootstrap import correlation_interval, wilson_interval
from release.models import ReleaseItem
from release.queries.release import STANDING
from review.queries.item import Choices
from web.numbers import percent

Z: Final = 1.96
HARDEST: Final = 4.0
"""Difficulties are drawn on a scale from -`HARDEST` to `HARDEST`, discriminations on one from -1 to
`HARDEST`.
"""

Ends = tuple[float, float]


@dataclass(frozen=True, slots=True)
class OptionEvidence:
    """An option with the candidate it came from, and how often people and examinees chose it.

    `letters` has each letter that the option had in a release, with the versions of these releases. Only
    releases with this wording count.
    """

    option: Option
    letters: list[tuple[str, list[str]]]
    source: Adoption | None
    people: int
    examinees: int
    is_loud: bool


def options_of(
    options: Sequence[Option],
    adoptions: Sequence[Adoption],
    choices: Choices | None,
    answers: Sequence[ItemAnswers],
    released: Iterable[ReleaseItem] = (),
) -> list[OptionEvidence]:
    """Return a revision's options with evidence.

    `is_loud` is True for a distractor that was chosen more often than a key.
    """
    source = {adoption.option_id: adoption for adoption in adoptions}
    chosen, letters = chosen_positions(options, answers), _letters(options, released)
    people = choices.of_option if choices else {}
    keys = [(people.get(one.pk, 0), chosen.get(one.position, 0)) for one in options if one.is_key]
    least = [min(counted) for counted in zip(*keys, strict=True)] or [0, 0]
    return [
        OptionEvidence(
            option=one,
            letters=letters[one.position],
            source=source.get(one.pk),
            people=(by_people := people.get(one.pk, 0)),
            examinees=(by_examinees := chosen.get(one.position, 0)),
            is_loud=not one.is_key and (by_people > least[0] or by_examinees > least[1]),
        )
        for one in options
    ]


def _letters(
    options: Sequence[Option], released: Iterable[ReleaseItem]
) -> dict[int, list[tuple[str, list[str]]]]:
    """Return each option's letters in releases, by option position.

    Each letter comes with the versions in which the option had it.
    """
    found: dict[int, dict[str, list[str]]] = {one.position: {} for one in options}
    for one in released:
        if options and one.revision_id == options[0].revision_id and one.release.state in STANDING:
            for index, position in enumerate(one.order):
                found[position].setdefault(letter(index), []).append(one.release.version)
    return {position: list(letters.items()) for position, letters in found.items()}


def chosen_positions(options: Sequence[Option], answers: Sequence[ItemAnswers]) -> dict[int, int]:
    """Return how often examinees chose each option, by position. Only releases of this revision count."""
    revision = options[0].revision_id if options else None
    counted: dict[int, int] = {}
    for one in answers:
        if one.released.revision_id != revision:
            continue
        for place, n in one.chosen:
            position = one.released.order[place]
            counted[position] = counted.get(position, 0) + n
    return counted


@dataclass(frozen=True, slots=True)
class Statistic:
    """A statistic of an item: its text, its n, and its value and interval on a scale from 0 to 100."""

    name: str
    text: str
    n: int
    at: float
    low: float | None = None
    high: float | None = None
    chance: float | None = None
    tone: str = ""


def statistics_of(
    guessed: float | None, choices: Choices | None, answers: Sequence[ItemAnswers], found: Calibrated | None
) -> list[Statistic]:
    """Return the statistics of the item, each with n and, where possible, a 95 % interval.

    `guessed`: the probability that a guess is right.
    """
    chance = None if guessed is None else 100 * guessed
    panels = [one for one in answers if one.is_panel]
    newest: dict[int, ItemAnswers] = {}  # the newest run of each model, which counts with its accuracy
    for one in answers:
        if not one.is_panel:
            newest.setdefault(one.run.examinee_id, one)
    shares = [
        (_("Correct blind answers"), choices.right if choices else 0, choices.n if choices else 0),
        (_("Correct, models"), sum(one.right / one.n for one in newest.values()), len(newest)),
        (_("Correct, panels of people"), *(sum(one.right for one in panels), sum(one.n for one in panels))),
    ]
    rows = []
    for name, right, n in shares:
        if n:
            at, (low, high) = 100 * right / n, wilson_interval(right, n)
            text = _with_ends(percent(right / n), (percent(low), percent(high)))
            tone = "careful" if chance is not None and at < chance else ""
            rows.append(Statistic(name, text, n, at, 100 * low, 100 * high, chance, tone))
    return rows + (_latent(found.row) if found else [])


def _latent(row: Any) -> list[Statistic]:
    n, rest = row["answered"], row["rest"]
    interval = None if rest is None else correlation_interval(rest, n)
    found = [
        _statistic(_("Correlation with the rest"), rest, n, interval, (-1.0, 1.0)),
        _statistic(_("Difficulty"), row.get("difficulty"), n, _ends(row, "difficulty"), (-HARDEST, HARDEST)),
        _statistic(
            _("Discrimination"), row.get("discrimination"), n, _ends(row, "discrimination"), (-1.0, HARDEST)
        ),
    ]
    return [one for one in found if one is not None]


def _ends(row: Any, name: str) -> Ends | None:
    value, error = row.get(name), row.get(f"{name}_se")
    return None if value is None or error is None else (value - Z * error, value + Z * error)


def _statistic(name: str, value: float | None, n: int, ends: Ends | None, line: Ends) -> Statistic | None:
    if value is None:
        return None
    words = _with_ends(_decimal(value), (_decimal(ends[0]), _decimal(ends[1])) if ends else None)
    low, high = (_place(ends[0], line), _place(ends[1], line)) if ends else (None, None)
    tone = "careful" if value < 0 and line[0] == -1 else ""
    return Statistic(name, words, n, _place(value, line), low, high, _place(0, line), tone)


def _place(value: float, line: Ends) -> float:
    return round(100 * min(1.0, max(0.0, (value - line[0]) / (line[1] - line[0]))), 2)


def _with_ends(figure: str, ends: tuple[str, str] | None) -> str:
    if ends is None:
        return figure
    return _("%(figure)s (%(low)s to %(high)s)") % {"figure": figure, "low": ends[0], "high": ends[1]}


def _decimal(value: float) -> str:
    return number_format(round(value, 2), 2)
