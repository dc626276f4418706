"""Base class of gates, which check a whole set, with their input and results."""

import json
import re
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Final, TypeVar, TypeVarTuple

import numpy as np

from parable.formats.records import ItemRecord, one_line, released
from parable.kinds import Form, Trait, codes, codes_among, kind_of
from parable.quality import finding
from parable.quality.item.words import same_form, same_forms
from parable.sentences import gettext_noop as _
from parable.sentences import ngettext_noop

OK: Final = "ok"
WARNING: Final = finding.WARNING
ERROR: Final = finding.ERROR
NOT_APPLICABLE: Final = "not_applicable"
VERDICTS: Final = (OK, WARNING, ERROR, NOT_APPLICABLE)

ALL: Final = "all"
STYLE: Final = "style"
WRITER: Final = "writer"
"""The parts of a project's items that a gate judges before a release: all, one style, or one writer's."""

HITS: Final = _("%(rule)s (right in %(hits)d of %(differ)d items that differ in it)")
"""Describes a rule that chooses some options, and how often its choice includes the key."""

Figure = float | int | None
Result = TypeVar("Result")
Values = TypeVarTuple("Values")


@dataclass(frozen=True, slots=True)
class ItemSet:
    """A whole set of items, with splits where they are known.

    `rights` by story id, "" where they are unknown; None where the files have no such field.
    `standard_stems` are stems that many items share on purpose: no check of stems looks at them.
    `types` are the types that the set ought to cover; where there are none, those that its items carry.
    `as_typed` has the options by task and id as a file has them, with letters and white space; where it
    is silent, the options of the record are what was typed. `is_foreign` says that others placed the keys.
    `in_order` are ids of items whose options stand in an order of their own, so that nobody placed the key.
    `keeps_places` says that items of an earlier release are among them, whose keys stay where they are.
    `suspected` names the group of each story, by its id, that is probably a wording of another: nobody has
    decided yet. It is None where nobody has searched for such stories. What several gates work out from the
    same items is done `once`.
    """

    items: tuple[ItemRecord, ...]
    rights: Mapping[str, str] | None = None
    standard_stems: frozenset[str] = frozenset()
    types: tuple[str, ...] = ()
    as_typed: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    is_foreign: bool = False
    in_order: frozenset[str] = frozenset()
    keeps_places: bool = False
    suspected: Mapping[str, str] | None = None
    _done: dict[tuple[object, ...], Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def once(self, work: "Callable[[ItemSet, *Values], Result]", *values: *Values) -> Result:
        """Return `work(self, *values)`, which is done at the first call and kept for all later ones."""
        asked = (work, *values)
        if asked not in self._done:
            self._done[asked] = work(self, *values)
        found: Result = self._done[asked]
        return found

    def of_task(self, task: str) -> tuple[ItemRecord, ...]:
        """Return the items of a task."""
        return tuple(item for item in self.items if item.task == task)

    def typed(self, item: ItemRecord) -> tuple[str, ...]:
        """Return the options of an item as they were typed."""
        return self.as_typed.get((item.task, item.id), item.choices)

    def keyed(self, task: str) -> tuple[ItemRecord, ...]:
        """Return the items of a task whose key is known."""
        return tuple(item for item in self.of_task(task) if item.answer is not None)


@dataclass(frozen=True, slots=True)
class GateResult:
    """The result of a gate for one task, or for all tasks if `task` is None.

    `figure` with its interval `low` to `high` where it is estimated, and the `threshold` past which it
    does not pass; `looked_at` counts items. `items` are the worst offenders by id; `leave_out` those of them
    without which the others may stay, where that is not all of them. `detail` says more: `cells` (keys by
    place in each split, by letter), `margins` (keys by rank in length) and `types` are drawn as columns,
    `chance` beside the interval.
    """

    id: str
    task: str | None
    verdict: str
    figure: Figure = None
    low: Figure = None
    high: Figure = None
    threshold: Figure = None
    items: tuple[str, ...] = ()
    looked_at: int = 0
    detail: Mapping[str, Any] = field(default_factory=dict)
    leave_out: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return the result as a JSON object, as commands print it."""
        return {
            "id": self.id,
            "task": self.task,
            "verdict": self.verdict,
            "figure": self.figure,
            "low": self.low,
            "high": self.high,
            "threshold": self.threshold,
            "items": list(self.items),
        }


class Gate(ABC):
    """Base class of gates, which check a whole set.

    Its sentences are marked, and translated where they are shown.
    """

    id: ClassVar[str]
    name: ClassVar[str]
    looks_at: ClassVar[str]
    why: ClassVar[str]
    fix: ClassVar[str]
    trait: ClassVar[Trait | Form | None] = None
    """The property that a task must have for the gate to apply; None if it applies to every task."""
    unit: ClassVar[tuple[str, str]] = ngettext_noop("%(n)d item", "%(n)d items")
    """The unit of the gate's figure if it is not a share of items."""
    parts: ClassVar[tuple[str, ...]] = (ALL,)
    """The parts of unreleased items that the gate judges; empty if only a release build can fail it."""
    story_field: ClassVar[str] = ""
    """The field of a story that fixes the finding, if a list of the stories without it is useful."""
    reveals_keys: ClassVar[bool] = False
    """Whether the items named by the gate reveal something of their keys, so that withheld sets hide them."""
    learns: ClassVar[bool] = False
    """Whether the gate trains a classifier, which takes too long to repeat for a preview."""
    rules: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Descriptions of the options that the gate's rules choose, by rule."""
    has_remedy: ClassVar[bool] = True
    """Whether leaving items out can fix the finding; drawn key positions would only be drawn anew."""

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks to which the gate applies."""
        return codes(self.trait)

    def tasks_in(self, items: ItemSet) -> tuple[str, ...]:
        """Return the tasks to which the gate applies: usual ones, and others that the set has items of."""
        present = codes_among(item.task for item in items.items)
        return tuple(task for task in self.tasks if task in present)

    def rule_words(self, rule: str, say: Callable[[str], str]) -> str:
        """Return the translated description of what a rule chooses; empty if the rule has no description."""
        return say(self.rules[rule]) if rule in self.rules else ""

    def rules_found(self, detail: Mapping[str, Any], say: Callable[[str], str]) -> list[str]:
        """Return translated descriptions of the rules for which a test warns or fails, with their hits."""
        found = [(self.rule_words(one["rule"], say), one) for one in detail.get("spoken", ())]
        return [
            say(HITS) % {**one, "rule": words} if "hits" in one else words for words, one in found if words
        ]

    def facts(self, detail: Mapping[str, Any], say: Callable[[str], str]) -> list[str]:
        """Return translated sentences about the result that its figure does not express."""
        return []

    @abstractmethod
    def judge(self, items: ItemSet) -> list[GateResult]:
        """Return the results of the gate: one for each task, or one for all tasks."""


_NUMBER: Final = re.compile(
    r"(?:第 ?\d{1,4} ?[题問问][.、:)]?|(?:question|item|no|q)[. ]{0,2}\d{1,4}[.:)]?(?!\w)"
    r"|\(\d{1,3}\)|\d{1,3}[.、)](?!\d)) ?"
)
"""The number of an item before its stem, as `same_form` leaves it; not "3.5 kg" or "1984:"."""


def wording_of(item: ItemRecord) -> Hashable:
    """Return what identifies an item's wording: stem and options in any order; without these, its texts.

    A number in front of the stem and white space in it are no part of what it asks.
    """
    if item.question or item.choices:
        stem = _NUMBER.sub("", same_form(item.question)).replace(" ", "")
        return stem, frozenset(same_forms(item.choices))
    asked = kind_of(item.task).question.asked_of(released(item))
    return item.task, one_line(item.story), json.dumps(dict(asked), sort_keys=True)


def repeated_wordings(items: ItemSet) -> list[list[int]]:
    """Return groups of positions of items with the same wording.

    Wordings of a million items would fill a gigabyte: their hashes say which items are worth comparing.
    """
    hashes = np.fromiter((hash(wording_of(item)) for item in items.items), np.int64, len(items.items))
    _known, numbers, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    groups: defaultdict[object, list[int]] = defaultdict(list)
    for place in np.flatnonzero(counts[numbers] > 1).tolist():
        groups[wording_of(items.items[place])].append(place)
    return [group for group in groups.values() if len(group) > 1]


def story_of(item: ItemRecord) -> str:
    """Return what identifies an item's story: its id, or else its text with single spaces."""
    return item.story_id or one_line(item.story)


def name_of(item: ItemRecord) -> tuple[str, str]:
    """Return the task and id of an item, which together are unique, as tasks may share ids."""
    return item.task, item.id
