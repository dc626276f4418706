"""Base classes of checks of one item, and their input (`ItemView`)."""

from abc import abstractmethod
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import ClassVar, Final

from parable.formats.records import HUMAN
from parable.kinds import KINDS, Form, Trait
from parable.quality.finding import ERROR, WARNING, BaseCheck, Finding
from parable.quality.item import words
from parable.quality.item.batch import Batch

STEM: Final = "stem"
KEY: Final = "key"
OPTIONS: Final = "options"
TYPES: Final = "types"
EXPLANATION: Final = "explanation"


@dataclass(frozen=True, slots=True)
class OptionView:
    """An option of an item, as typed.

    `rank` is its position from 1 in the right order; None if the task has no such order.
    """

    text: str
    is_key: bool = False
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class SiblingView:
    """Another item of the same story: its stem and the texts of its options; its key is not marked.

    If items of a story share keys, `key` is the text of its key, and `name` is the name by which people refer
    to the item.
    """

    stem: str
    options: tuple[str, ...] = ()
    key: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class ItemSpec:
    """The requirements of a form: the number of options (None for 2 to 26) and the types (None for any).

    An empty field of the form does not count as an option.
    """

    options: int | None = None
    types: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class ItemView:
    """An item, finished or not, as the input of checks; missing texts are "".

    `language` is a code such as "zh", "zh-hans" or "en". Options are in the writer's order, including empty
    options. `standard_stem` is the stem shared by the project's items of the task: an item with this stem is
    exempt from all checks of stems. `siblings` are the other items of the story.
    """

    task: str
    language: str
    stem: str = ""
    options: tuple[OptionView, ...] = ()
    types: tuple[str, ...] = ()
    explanation: str = ""
    story: str = ""
    moral: str = ""
    standard_stem: str = ""
    siblings: tuple[SiblingView, ...] = ()
    style: str = HUMAN
    spec: ItemSpec | None = None
    filled: tuple[tuple[int, OptionView], ...] = field(init=False, repr=False, compare=False)
    """The options that are not blank, each with its number from 1."""
    key: OptionView | None = field(init=False, repr=False, compare=False)
    """The only key, if it is not blank; None if there is no key, or more than one."""
    distractors: tuple[OptionView, ...] = field(init=False, repr=False, compare=False)
    """The options that are not blank and not keys."""
    texts: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """The texts of the options that are not blank."""
    own_stem: str = field(init=False, repr=False, compare=False)
    """The stem that checks read: "" if the stem is blank or the standard stem."""
    is_chinese: bool = field(init=False, repr=False, compare=False)
    """Whether the item's language is Chinese."""
    is_read: bool = field(init=False, repr=False, compare=False)
    """Whether the checks know the words of the item's language; also True if no language is given."""

    def __post_init__(self) -> None:
        """Compute the fields that nearly every check needs."""
        filled = [
            (number, one)
            for number, one in enumerate(self.options, start=1)
            if one.text[:1].isalnum() or not words.is_blank(one.text)  # most begin with a letter
        ]
        keys = [option for option in self.options if option.is_key]
        key = keys[0] if len(keys) == 1 and not words.is_blank(keys[0].text) else None
        object.__setattr__(self, "filled", tuple(filled))
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "distractors", tuple([one for _n, one in filled if not one.is_key]))
        object.__setattr__(self, "texts", tuple([one.text for _n, one in filled]))
        exempt = words.is_blank(self.stem) or is_standard(self.stem, self.standard_stem)
        object.__setattr__(self, "own_stem", "" if exempt else self.stem)
        language = words.language_named(self.language)
        object.__setattr__(self, "is_chinese", language == words.CHINESE)
        object.__setattr__(self, "is_read", language in {"", words.CHINESE, words.ENGLISH})


class Check(BaseCheck):
    """Base class of checks of a single item.

    An error blocks submission; a warning can be answered with a reason.
    """

    trait: ClassVar[Trait | Form | None] = None
    """The property that a task must have for the check to apply; None if it applies to every task."""
    rule: ClassVar[str] = ""
    """The item-writing rule that the check implements; "" if it implements none of the nineteen."""
    at_desk: ClassVar[bool] = True
    """Whether the check also runs while a writer types; otherwise it runs on files and releases only."""
    reads_words: ClassVar[bool] = False
    """Whether the check knows only words of Chinese and English; it then skips items in other languages."""
    reveals_key: ClassVar[bool] = False
    """Whether a finding gives people who see the options a hint about the key."""
    fails_sets: ClassVar[bool] = False
    """Whether a finding in one item fails the whole file or release; only for certain errors."""
    looks_at: ClassVar[str]
    fix: ClassVar[str]

    def applies_to(self, task: str) -> bool:
        """Return whether the check applies to items of this task."""
        kind = KINDS.get(task)
        return kind is not None and (self.trait is None or bool(getattr(kind, self.trait)))

    def is_sure(self, item: ItemView, finding: Finding) -> bool:
        """Return whether a finding is certain even in files of other people; for checks with `fails_sets`."""
        return self.fails_sets

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items in a batch that may have findings, without repeats.

        This must be faster than `find`. It may include items without findings, but must not miss any.
        """
        return range(len(batch.items))

    @abstractmethod
    def find(self, item: ItemView) -> Iterable[Finding]:
        """Return the findings in an item; the check must apply to the item's task."""


class RuleCheck(Check):
    """Base class of checks for one of the nineteen item-writing rules by which people labelled items.

    These checks do not run while a writer types, as too many good items break one of these rules.
    """

    severity: ClassVar = WARNING
    at_desk: ClassVar = False
    reads_words: ClassVar = True
    trait: ClassVar[Trait | Form | None] = "has_keys"


class Requirement(Check):
    """Base class of checks that an item is complete; other errors are about its wording."""

    severity: ClassVar = ERROR


def is_standard(stem: str, standard_stem: str) -> bool:
    """Return whether a stem is the standard stem, ignoring width, case and final punctuation."""
    return bool(standard_stem) and words.asked_form(stem) == words.asked_form(standard_stem)


def option(number: int) -> str:
    """Return the identifier of an option in findings, by its number from 1: "option-2"."""
    return f"option-{number}"
