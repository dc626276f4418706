"""The definition of a kind of item: the properties that decide how Parable treats its items."""

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
"""A function of the given answer (or None) and the right answer; returns their agreement, at most 1."""


AGREES_FROM: Final = 0.8
"""The lowest score at which marks agree with the item's answer; lower blind answers need adjudication."""


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
    """A reviewer's rating scale, from `low` to `high`; a rating of `passes` or higher is good.

    `criteria`: what is rated, with the rating of the whole item last; () for a single rating. `names`: the
    meaning of each rating, from the lowest. `ends`: by criterion, the meaning of the lowest and highest
    rating. `raters`: how many people rate independently.
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

    `code` is stored in the database, in addresses and in files, and never changes. `name`, `item_name` and
    `items_name` are the English names of the task, of one item, and of several; `brief` tells an item writer
    what to do.

    `is_usual`: new projects have this task; a project must choose the other tasks.

    `answer`: the form of answers. `own_question`: the question, for kinds with their own form of answer.

    `scorer`: the agreement of an answer with the right one; an answer counts as right if this is at least
    `agrees_from`. `measure`: the code of the scorer if it gives partial credit; result tables name it.

    `has_options`, `has_stem`: whether items have options, and a stem.

    `fewest_options`, `most_options`: the range of the number of options that a project may set.

    `scale`: the rating scale of reviewers; None for the project's own scale.

    `splits`: the rules by which the items can be split.

    `requires_types`, `requires_explanation`: what an item must have besides stem, options and key.

    `asks`: whether the stem is a question or leaves something open; otherwise it is a statement.

    `options`: by language, the fixed options of all items; empty if each item has its own options.

    `requires_blank`: whether the stem has one blank, which the options fill.

    `is_owed`: whether each writer of a story must write `Project.items_per_writer` of these items.

    `shares_stem`: whether items have the project's standard stem, which checks of stems ignore.

    `exposed_by_story`: whether items about one story have the same key in other words, so that a reader of
    one item is exposed to all, and keys are compared. Otherwise exposure is by item.

    `key_from_moral`: whether the key states the moral of the story; the form then shows the moral, and people
    who have seen the moral are exposed.

    `has_machine_style`: whether items are also composed from models' proposals about the moral, and accuracy
    is reported by style.

    `drafts_by_stem`: whether models are asked for wrong options while the stem is written.

    `marks_each_option`: whether a verifier marks each option as right or wrong.

    `has_marks`: whether the answer is marked in a text.

    `weight`: the weight of the task in the score; 0 if the score leaves it out.

    `published`: the layouts of published files, for kinds that have such layouts.
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
        """Return `right` if the given answer counts as right, else `given`; used in tables of answers."""
        return right if self.is_right(given, right) else given

    @property
    def has_own_options(self) -> bool:
        """Whether each item has its own options, rather than options fixed for the task."""
        return self.has_options and not self.options

    @property
    def has_keys(self) -> bool:
        """Whether each item has one or more right options."""
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
