"""Rules of setting a reviewer's verdicts aside: what becomes of each item. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from annotation.lifecycle import DRAFT, IN_REVIEW, RETIRED, RETURNED, WITHDRAWN


class Effect(StrEnum):
    """What becomes of an item; the first two change it, the others say why it stays where it is."""

    REOPEN = "reopen"  # it goes back to review
    REPLACE = "replace"  # its round is still open: one more request, for another reviewer
    RULED = "ruled"  # an adjudicator has decided since
    AGAIN = "again"  # it has gone back to review since
    REVISED = "revised"  # its wording has changed since
    WITH_WRITER = "with_writer"
    ENDED = "ended"  # withdrawn or retired


@dataclass(frozen=True, slots=True)
class Standing:
    """An item's state, and how a verdict of the reviewer relates to it.

    `is_current`: the verdict is about the current wording, or has become it. `is_last_round`: the item has
    not entered review since. `is_ruled`: another person has adjudicated the item since.
    """

    state: str
    is_current: bool
    is_last_round: bool
    is_ruled: bool


def effect_on(standing: Standing) -> Effect:
    """Return what becomes of an item if this verdict on it is set aside."""
    if standing.state in (RETURNED, DRAFT):
        return Effect.WITH_WRITER
    if standing.state in (WITHDRAWN, RETIRED):
        return Effect.ENDED
    if not standing.is_current:
        return Effect.REVISED
    if not standing.is_last_round:
        return Effect.AGAIN
    if standing.is_ruled:
        return Effect.RULED
    return Effect.REPLACE if standing.state == IN_REVIEW else Effect.REOPEN


ORDER: Final = tuple(Effect)


def effect_on_item(standings: Iterable[Standing]) -> Effect:
    """Return what becomes of an item if all these verdicts on it are set aside."""
    return min((effect_on(one) for one in standings), key=ORDER.index)
