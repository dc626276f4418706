"""Base class of gates, which check a whole set, with their input and results."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Final, TypeVar, TypeVarTuple

from parable.formats.records import ItemRecord, one_line
from parable.kinds import Form, Trait, codes, codes_among
from parable.quality import finding
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

    @property
    def tasks(self) -> frozenset[str]:
        """The tasks that have items."""
        return frozenset(self.once(_by_task))

    def of_task(self, task: str) -> tuple[ItemRecord, ...]:
        """Return the items of a task."""
        return self.once(_by_task).get(task, ())

    def typed(self, item: ItemRecord) -> tuple[str, ...]:
        """Return the options of an item as they were typed."""
        return self.as_typed.get((item.task, item.id), item.choices) if self.as_typed else item.choices

    def keyed(self, task: str) -> tuple[ItemRecord, ...]:
        """Return the items of a task whose key is known."""
        return self.once(_keyed, task)


def _by_task(items: ItemSet) -> dict[str, tuple[ItemRecord, ...]]:
    found: dict[str, list[ItemRecord]] = {}
    for item in items.items:
        found.setdefault(item.task, []).append(item)
    return {task: tuple(own) for task, own in found.items()}


def _keyed(items: ItemSet, task: str) -> tuple[ItemRecord, ...]:
    own = items.of_task(task)
    keyed = tuple(item for item in own if item.answer is not None)
    return own if len(keyed) == len(own) else keyed


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
        present = codes_among(items.tasks)
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


def story_of(item: ItemRecord) -> str:
    """Return what identifies an item's story: its id, or else its text with single spaces."""
    return item.story_id or one_line(item.story)


def name_of(item: ItemRecord) -> tuple[str, str]:
    """Return the task and id of an item, which together are unique, as tasks may share ids."""
    return item.task, item.id
