"""Signs in a reviewer's statistics that a manager should look at the reviewer's work. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

LEAST_ANSWERS: Final = 20
"""With fewer blind answers, nothing is said about a reviewer's accuracy or speed."""
HASTY_SECONDS: Final = 5.0
"""People who answer half of the items faster than this have not read the stories. The time of imported
answers is 0, so nothing is said of it.
"""
LEAST_SHARED: Final = 20
SEVERE: Final = 0.75
"""A mean difference from the ratings of others, on `LEAST_SHARED` items or more, of which a page speaks."""


class RaterSign(StrEnum):
    """A sign that a reviewer's work needs a look."""

    CHANCE = "chance"
    HASTY = "hasty"
    SEVERE = "severe"
    LENIENT = "lenient"


@dataclass(frozen=True, slots=True)
class RaterRecord:
    """A reviewer's blind answers and speed, from the project's statistics, with the signs that they raise.

    `accuracy` is a share with the interval `low` to `high`; `seconds` is the median time to the answer,
    `severity` the mean difference between the others' ratings and this reviewer's.
    """

    reviewer: int
    answers: int
    accuracy: float | None
    low: float | None
    high: float | None
    seconds: float | None
    severity: float | None
    chance: float
    signs: tuple[RaterSign, ...]

    @property
    def right(self) -> int:
        """The number of correct blind answers."""
        return round((self.accuracy or 0.0) * self.answers)

    @property
    def is_careless(self) -> bool:
        """Whether the answers themselves are in doubt, not only how strict the ratings are."""
        return bool({RaterSign.CHANCE, RaterSign.HASTY} & {*self.signs})


def rater_record(row: Mapping[str, Any], chance: float) -> RaterRecord:
    """Return the record of a row of the stored statistics.

    `chance` is the share of blind answers that guessing gets right.
    """
    found = row["accuracy"]
    answers, low = found["n"] if found["value"] is not None else 0, found["low"]
    signs = []
    if answers >= LEAST_ANSWERS and low is not None and low <= chance:
        signs.append(RaterSign.CHANCE)
    if answers >= LEAST_ANSWERS and row["seconds"] and row["seconds"] < HASTY_SECONDS:
        signs.append(RaterSign.HASTY)
    if row["severity"] is not None and row["shared"] >= LEAST_SHARED and abs(row["severity"]) >= SEVERE:
        signs.append(RaterSign.SEVERE if row["severity"] > 0 else RaterSign.LENIENT)
    return RaterRecord(
        reviewer=row["reviewer"],
        answers=answers,
        accuracy=found["value"],
        low=low,
        high=found["high"],
        seconds=row["seconds"],
        severity=row["severity"],
        chance=chance,
        signs=tuple(signs),
    )
