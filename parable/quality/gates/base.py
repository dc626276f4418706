"""Gates of a whole set, with their input and answers."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Final

from parable.formats.records import ItemRecord, one_line, released
from parable.kinds import Form, Trait, codes, codes_among, kind_of
from parable.quality import finding
from parable.quality.item.words import same_form
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
"""The parts of a project's items before a release: all, those of a style, those of a writer."""

HITS: Final = _("%(rule)s (right in %(hits)d of %(differ)d items that differ in it)")
"""A rule that chooses some of the options, and how often it does so rightly."""

Figure = float | int | None


@dataclass(frozen=True, slots=True)
class ItemSet:
    """A whole set of items, each with its split where it has one.

    `rights` by story id, "" where they are unknown; None where the files have no such field.
    `standard_stems` are stems that many items share on purpose: no check of stems looks at them.
    `types` are the types that the set ought to cover; where there are none, those that its items carry.
    `as_typed` has the options by task and id as a file has them, with letters and white space; where it
    is silent, the options of the record are what was typed. `is_foreign` says that others placed the keys.
    `in_order` are ids of items whose options stand in an order of their own, so that nobody placed the key.
    `keeps_places` says that items of an earlier release are among them, whose keys stay where they are.
    `suspected` names the group of each story, by its id, that is probably a wording of another: nobody has
    decided yet. It is None where nobody has searched for such stories.
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
    """A gate's answer for one task, or for all where `task` is None.

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
        """Return the result as commands print it."""
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
    """A check of a whole set.

    Its sentences are marked, and translated where they are shown. Its sentences are marked, and translated
    where they are shown.
    """

    id: ClassVar[str]
    name: ClassVar[str]
    looks_at: ClassVar[str]
    why: ClassVar[str]
    fix: ClassVar[str]
    trait: ClassVar[Trait | Form | None] = None
    """The property of the tasks that it looks at; None where it looks at all."""
    unit: ClassVar[tuple[str, str]] = ngettext_noop("%(n)d item", "%(n)d items")
    """What its figure counts where it is no share of items."""
    parts: ClassVar[tuple[str, ...]] = (ALL,)
    """The parts of items on their way to a release that it looks at; none where only a build can fail it."""
    story_field: ClassVar[str] = ""
    """The field of stories that mends it, where a list of the stories that lack it is what helps."""
    reveals_keys: ClassVar[bool] = False
    """Whether the items it names reveal something of their keys; their names are withheld with a set whose
    answers are withheld."""
    learns: ClassVar[bool] = False
    """Whether it trains something, which takes too long to be done again for a preview."""
    rules: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """What each of several rules that it tries chooses."""
    has_remedy: ClassVar[bool] = True
    """Whether leaving items out can mend it; places that are drawn would only be drawn anew."""

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that it looks at."""
        return codes(self.trait)

    def tasks_in(self, items: ItemSet) -> tuple[str, ...]:
        """Return the gate's usual tasks, and of its other tasks those of which the set has items."""
        present = codes_among(item.task for item in items.items)
        return tuple(task for task in self.tasks if task in present)

    def rule_words(self, rule: str, say: Callable[[str], str]) -> str:
        """Return what one of its rules chooses, in the language of `say`; empty if the figure says it."""
        return say(self.rules[rule]) if rule in self.rules else ""

    def rules_found(self, detail: Mapping[str, Any], say: Callable[[str], str]) -> list[str]:
        """Return the rules by which a test warns or fails, in words, and the hits of rules that choose."""
        found = [(self.rule_words(one["rule"], say), one) for one in detail.get("spoken", ())]
        return [
            say(HITS) % {**one, "rule": words} if "hits" in one else words for words, one in found if words
        ]

    def facts(self, detail: Mapping[str, Any], say: Callable[[str], str]) -> list[str]:
        """Return sentences, in the language of `say`, about the finding that its figure does not express."""
        return []

    @abstractmethod
    def judge(self, items: ItemSet) -> list[GateResult]:
        """Return the gate's answers: one for each task, or one for all."""


_NUMBER: Final = re.compile(
    r"(?:第 ?\d{1,4} ?[题問问][.、:)]?|(?:question|item|no|q)[. ]{0,2}\d{1,4}[.:)]?(?!\w)"
    r"|\(\d{1,3}\)|\d{1,3}[.、)](?!\d)) ?"
)
"""The number of an item in front of its stem, as `same_form` leaves it; not "3.5 kg" or "1984:"."""


def wording_of(item: ItemRecord) -> Hashable:
    """Return what an item asks: stem and options in any order; if it has neither, its texts.

    A number in front of the stem and white space in it are no part of what it asks.
    """
    if item.question or item.choices:
        stem = _NUMBER.sub("", same_form(item.question)).replace(" ", "")
        return stem, frozenset(map(same_form, item.choices))
    asked = kind_of(item.task).question.asked_of(released(item))
    return item.task, one_line(item.story), json.dumps(dict(asked), sort_keys=True)


def story_of(item: ItemRecord) -> str:
    """Return what identifies an item's story: its id, else its words without white space."""
    return item.story_id or one_line(item.story)


def name_of(item: ItemRecord) -> tuple[str, str]:
    """Return a name that is unique among items, as tasks may number theirs alike."""
    return item.task, item.id
