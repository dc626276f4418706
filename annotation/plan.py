"""Rules that suggest to a writer which type to write next, and which story to take.

Pure: functions take counts by type, and return a suggestion or an order. Types and stories are ids.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf

Counts = Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Target:
    """The targets of a type: items per story, and share of the project in percent (0: no target share)."""

    per_story: int = 1
    share: int = 0


@dataclass(frozen=True, slots=True)
class StoryNeed:
    """A story's items by type, and its reserved types without an item.

    Both are as one writer sees them. `mine` are reserved for this writer, `open_to_all` for any writer of
    the story, `others` for other writers.
    """

    items: Counts = field(default_factory=dict)
    mine: frozenset[int] = frozenset()
    open_to_all: frozenset[int] = frozenset()
    others: frozenset[int] = frozenset()


class Reason(StrEnum):
    """The reason why a type is suggested."""

    RESERVED_FOR_WRITER = "reserved_for_writer"
    RESERVED = "reserved"
    ONLY_MISSING = "only_missing"
    LEAST_WRITTEN = "least_written"
    MISSING = "missing"
    BELOW_SHARE = "below_share"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """The type to write next, and why.

    If its share is the reason, `share` is the current share in percent.
    """

    type: int
    reason: Reason
    share: int = 0


def missing(targets: Mapping[int, Target], items: Counts) -> list[int]:
    """Return the types with fewer items about the story than the target, in the order of `targets`."""
    return [kind for kind, target in targets.items() if items.get(kind, 0) < target.per_story]


def still_needed(targets: Mapping[int, Target], story: StoryNeed) -> list[int]:
    """Return the missing types of the story, except those reserved for other writers."""
    return [kind for kind in missing(targets, story.items) if kind not in story.others]


def asked_of(targets: Mapping[int, Target], story: StoryNeed) -> list[int]:
    """Return the types that the writer should write about the story.

    These are the types reserved for the writer or, if there are none, those reserved for all writers or, if
    there are none, those still needed.
    """
    reserved = story.mine or story.open_to_all
    return sorted(reserved) if reserved else still_needed(targets, story)


def suggest(
    targets: Mapping[int, Target], story: StoryNeed, written: Counts, project: Counts
) -> Suggestion | None:
    """Return the type to write next: among the needed types, the one that the writer has written least often.

    If the story needs no type, return the type furthest below its target share of the project, or None.
    `written` and `project` are the items by type of the writer and of the project.
    """
    if asked := asked_of(targets, story):
        kind = min(asked, key=lambda each: written.get(each, 0))
        return Suggestion(kind, _reason(kind, asked, story, written))
    shares = shares_of(project)
    lags = {kind: target.share - shares.get(kind, 0.0) for kind, target in targets.items() if target.share}
    furthest = max(lags, key=lambda each: lags[each], default=None)
    if furthest is None or lags[furthest] <= 0:
        return None
    return Suggestion(furthest, Reason.BELOW_SHARE, share=round(shares.get(furthest, 0.0)))


def _reason(kind: int, asked: list[int], story: StoryNeed, written: Counts) -> Reason:
    if kind in story.mine:
        return Reason.RESERVED_FOR_WRITER
    if kind in story.open_to_all:
        return Reason.RESERVED
    if len(asked) == 1:
        return Reason.ONLY_MISSING
    least = [each for each in asked if written.get(each, 0) == written.get(kind, 0)]
    return Reason.LEAST_WRITTEN if len(least) == 1 else Reason.MISSING


def shares_of(counts: Counts) -> dict[int, float]:
    """Return each type's share of all types in percent. An item of two types counts for both."""
    whole = sum(counts.values())
    return {kind: 100 * n / whole for kind, n in counts.items()} if whole else {}


def in_order(targets: Mapping[int, Target], stories: Mapping[int, StoryNeed], written: Counts) -> list[int]:
    """Return the ids of the stories: first those whose needed types the writer has written least often.

    Stories that need no type come last.
    """
    return sorted(stories, key=lambda story: _mean(asked_of(targets, stories[story]), written))


def _mean(kinds: Iterable[int], written: Counts) -> float:
    counts = [written.get(kind, 0) for kind in kinds]
    return sum(counts) / len(counts) if counts else inf
