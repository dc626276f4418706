"""Base class of gates, which check a whole set, with their input (`ItemSet`) and results (`GateResult`)."""

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
"""The parts of a project's items that a gate judges before a release: all items, a style, or a writer's
items."""

HITS: Final = _("%(rule)s (right in %(hits)d of %(differ)d items that differ in it)")
"""Describes a rule that chooses options: how often the chosen options include the key."""

Figure = float | int | None
Result = TypeVar("Result")
Values = TypeVarTuple("Values")


@dataclass(frozen=True, slots=True)
class ItemSet:
    """A whole set of items, with splits if they are known; the input of gates.

    `rights` are the rights to the stories, by story id: "" if unknown; None if the files have no such field.
    `standard_stems` are stems that many items share on purpose, which checks of stems ignore. `types` are the
    types that the set should cover; if empty, the types of its items. `as_typed` has the options, by task and
    id, as a file has them, with letters and white space; the default is the item's options. `is_foreign`:
    whether other people assigned the key positions. `in_order` are ids of items whose options have an order
    of their own, so that the position of their key was not chosen. `keeps_places`: whether the set has items
    of an earlier release, whose keys keep their positions. `suspected` maps the id of a story to a group of
    stories that are probably versions of one story, not yet confirmed; None if nobody has searched for such
    stories.
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
        """Return the cached result of `work(self, *values)`; call `work` only if there is none."""
        asked = (work, *values)
        if asked not in self._done:
            self._done[asked] = work(self, *values)
        found: Result = self._done[asked]
        return found

    @property
    def tasks(self) -> frozenset[str]:
        """The tasks of the items in the set."""
        return frozenset(self.once(_by_task))

    def of_task(self, task: str) -> tuple[ItemRecord, ...]:
        """Return the items of a task."""
        return self.once(_by_task).get(task, ())

    def typed(self, item: ItemRecord) -> tuple[str, ...]:
        """Return the options of an item as the file has them."""
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

    `figure` is the measured value, with the interval `low` to `high` if it is an estimate; the gate does not
    pass if it exceeds `threshold`. `looked_at` is the number of items. `items` are the ids of the worst
    items; `leave_out` are those of them to leave out so that the others can stay, if this is not all of them.
    `detail` has further values: `cells` (keys by position in each split, by letter), `margins` (keys by rank
    in length) and `types` are drawn as columns, `chance` beside the interval.
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

    Sentences are marked for translation here, and translated for display.
    """

    id: ClassVar[str]
    name: ClassVar[str]
    looks_at: ClassVar[str]
    why: ClassVar[str]
    fix: ClassVar[str]
    trait: ClassVar[Trait | Form | None] = None
    """The property that a task must have for the gate to apply; None if it applies to every task."""
    needs: ClassVar[str] = _("It needs items.")
    """What a set must have for the gate to apply."""
    unit: ClassVar[tuple[str, str]] = ngettext_noop("%(n)d item", "%(n)d items")
    """The unit of the gate's figure if it is not a proportion of items."""
    parts: ClassVar[tuple[str, ...]] = (ALL,)
    """The parts of unreleased items that the gate judges; empty if only a release build can fail it."""
    story_field: ClassVar[str] = ""
    """The field of a story that must be filled in to fix the finding; "" if there is no such field."""
    reveals_keys: ClassVar[bool] = False
    """Whether the items in a result reveal something about their keys, so that withheld sets hide them."""
    learns: ClassVar[bool] = False
    """Whether the gate trains a classifier, which takes too long to repeat for a preview."""
    rules: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """By rule, a description of the options that the rule chooses."""
    finds_repeats: ClassVar[bool] = False
    """Whether the gate finds what is there twice, so that it can be answered from memory."""
    has_remedy: ClassVar[bool] = True
    """Whether leaving items out can fix the finding; it is False for randomly drawn key positions."""

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks to which the gate applies."""
        return codes(self.trait)

    def tasks_in(self, items: ItemSet) -> tuple[str, ...]:
        """Return the tasks to which the gate applies: usual tasks, and other tasks with items in the set."""
        present = codes_among(items.tasks)
        return tuple(task for task in self.tasks if task in present)

    def rule_words(self, rule: str, say: Callable[[str], str]) -> str:
        """Return the translated description of the options that a rule chooses; "" if there is none."""
        return say(self.rules[rule]) if rule in self.rules else ""

    def rules_found(self, detail: Mapping[str, Any], say: Callable[[str], str]) -> list[str]:
        """Return translated descriptions of the rules that make the gate warn or fail, with their hits."""
        found = [(self.rule_words(one["rule"], say), one) for one in detail.get("spoken", ())]
        return [
            say(HITS) % {**one, "rule": words} if "hits" in one else words for words, one in found if words
        ]

    def facts(self, detail: Mapping[str, Any], say: Callable[[str], str]) -> list[str]:
        """Return translated sentences about the result that its figure does not express."""
        return []

    @abstractmethod
    def judge(self, items: ItemSet) -> list[GateResult]:
        """Return the results of the gate: one per task, or one for all tasks."""


def story_of(item: ItemRecord) -> str:
    """Return the identifier of an item's story: its id, or else its text with single spaces."""
    return item.story_id or one_line(item.story)


def name_of(item: ItemRecord) -> tuple[str, str]:
    """Return the unique name of an item, (task, id), as items of different tasks may have the same id."""
    return item.task, item.id
