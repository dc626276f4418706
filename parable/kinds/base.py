"""The definition of a kind of task: the properties by which Parable treats its items."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from parable.kinds.published import Published
from parable.kinds.question import ONE_OPTION, OWN_ANSWER, RIGHT_ORDER_OF_ALL, SEVERAL_OPTIONS, Question

Trait = Literal[
    "is_usual",
    "has_options",
    "has_stem",
    "requires_types",
    "requires_explanation",
    "asks",
    "requires_blank",
    "is_owed",
    "shares_stem",
    "exposed_by_story",
    "key_from_moral",
    "has_machine_style",
    "drafts_by_stem",
    "marks_each_option",
    "has_marks",
]
"""A property that a task can have."""

Form = Literal["has_own_options", "has_keys", "has_one_key", "has_several_keys", "has_right_order"]
"""A property that follows from the form in which items of a task are answered."""


Answer = Literal["one", "several", "order", "own"]
"""The form of an answer: one option, several options, an order of all options, or the kind's own form."""

Scorer = Callable[[Any, Any], float]
"""A function of the given answer (or None) and the right answer that returns their agreement, at most 1."""


def same(given: Any, right: Any) -> float:
    """Return 1 if the given answer is the right answer, else 0."""
    return float(given == right)


QUESTIONS: Final[Mapping[str, Question]] = {
    "one": ONE_OPTION,
    "several": SEVERAL_OPTIONS,
    "order": RIGHT_ORDER_OF_ALL,
    "own": OWN_ANSWER,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """A reviewer's rating scale, from `low` to `high`; ratings of at least `passes` are good.

    `criteria`: by which a mark each is given, the last one of the whole; () where there is one mark for all.
    `names`: what each mark means, from the lowest; `ends`: by criterion, what lowest and highest mean.
    `raters`: how many people rate without seeing each other's marks.
    """

    low: int
    high: int
    passes: int
    criteria: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    ends: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    raters: int = 1

    def has(self, mark: int | None) -> bool:
        """Return whether a rating is on the scale."""
        return mark is not None and self.low <= mark <= self.high


BY_STORY: Final = "story"
BY_ITEM: Final = "item"
BY_SHARES: Final = "shares"
SEEN: Final = "seen"
UNSEEN: Final = "unseen"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of items: what is asked about a story, and how answers are scored.

    `code` is in the database, in addresses and in files, and never changes. `name`, `item_name` and
    `items_name` are in English: of the task, of one of its items, and of several; so is `brief`, what
    somebody who writes an item has to do.

    `is_usual`: a new project has it; the others a project chooses.
    `answer`: how its items are answered; `own_question`: by which question, where that is its kind's own.
    `scorer`: how near an answer comes, from `agrees_from` on it counts as right, and `measure`: its code
    where it is more than right or wrong; tables of results have its words.
    `has_options`, `has_stem`: its items have options, and a stem.
    `fewest_options`, `most_options`: how many a project may set for its items.
    `scale`: the marks of its reviewers; None where they are those of the project.
    `splits`: the rules by which its items can be split.
    `requires_types`, `requires_explanation`: what an item must have beside stem, options and key.
    `asks`: its stem is a question or leaves something open; else it is a statement.
    `options`: by language those that all its items have, where they have none of their own.
    `requires_blank`: its stem has one blank, which the options fill.
    `is_owed`: each writer of a story owes so many of them (`Project.items_per_writer`).
    `shares_stem`: its items have the project's standard stem, which no check of stems looks at.
    `exposed_by_story`: its items about one story have one key in other words, so a reader of one
    is exposed to all of them, and their keys are compared; else exposure and keys are of single items.
    `key_from_moral`: its key words the moral of the story, so its form shows the moral, and who has seen
    the moral is exposed.
    `has_machine_style`: items are also put together from what models propose about the moral, and accuracy
    is reported by style.
    `drafts_by_stem`: models are asked for wrong options while its stem is being written.
    `marks_each_option`: a verifier says of each option whether it is right.
    `has_marks`: its answer is marked in a text.
    `weight`: its part of the score; 0 where the score leaves it out.
    `published`: how its items stand in published files, where these have layouts of their own.
    """

    code: str
    name: str
    item_name: str
    items_name: str
    brief: str
    is_usual: bool = False
    answer: Answer = "one"
    own_question: Question | None = None
    scorer: Scorer = same
    agrees_from: float = 1.0
    measure: str = ""
    has_options: bool = True
    has_stem: bool = True
    fewest_options: int = 2
    most_options: int = 26
    scale: Scale | None = None
    splits: tuple[str, ...] = (BY_STORY, BY_ITEM, BY_SHARES, SEEN, UNSEEN)
    requires_types: bool = False
    requires_explanation: bool = False
    asks: bool = True
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    requires_blank: bool = False
    is_owed: bool = False
    shares_stem: bool = False
    exposed_by_story: bool = False
    key_from_moral: bool = False
    has_machine_style: bool = False
    drafts_by_stem: bool = False
    marks_each_option: bool = False
    has_marks: bool = False
    weight: float = 0.0
    published: Published | None = None

    @property
    def question(self) -> Question:
        """The question, which defines how items are asked and answered outside the site."""
        return self.own_question or QUESTIONS[self.answer]

    def is_right(self, given: Any, right: Any) -> bool:
        """Return whether an answer counts as right by the kind's scorer."""
        return given is not None and right is not None and self.scorer(given, right) >= self.agrees_from

    def counted(self, given: Any, right: Any) -> Any:
        """Return the answer that tables count: the right one if the given one counts as right, else that."""
        return right if self.is_right(given, right) else given

    @property
    def has_own_options(self) -> bool:
        """Whether each item has its own options, rather than options fixed for the task."""
        return self.has_options and not self.options

    @property
    def has_keys(self) -> bool:
        """Whether items have options that are marked as right."""
        return self.has_one_key or self.has_several_keys

    @property
    def has_one_key(self) -> bool:
        """Whether exactly one option is right."""
        return self.answer == "one"

    @property
    def has_several_keys(self) -> bool:
        """Whether one or more options are right."""
        return self.answer == "several"

    @property
    def has_right_order(self) -> bool:
        """Whether the options must be put in order."""
        return self.answer == "order"
