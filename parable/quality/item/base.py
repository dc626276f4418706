"""Checks of one item, with their input and answers."""

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar, Final

from parable.formats.records import HUMAN
from parable.kinds import KINDS, Form, Trait
from parable.quality.finding import ERROR, WARNING, BaseCheck, Finding
from parable.quality.item import words

STEM: Final = "stem"
KEY: Final = "key"
OPTIONS: Final = "options"
TYPES: Final = "types"
EXPLANATION: Final = "explanation"


@dataclass(frozen=True, slots=True)
class OptionView:
    """One option as typed; `rank` is its position from 1 in the right order, if it has one."""

    text: str
    is_key: bool = False
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class SiblingView:
    """Another item of the same story: its stem, and the words of its options, not saying which is the key.

    Where the items of a story share a key also that, and the name by which people call the item.
    """

    stem: str
    options: tuple[str, ...] = ()
    key: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class ItemSpec:
    """The requirements of a form: number of options (else 2 to 26) and allowed types (else any).

    An empty line of the form is no option.
    """

    options: int | None = None
    types: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class ItemView:
    """All that a check may know of an item, finished or not; text that is not there is "".

    `language` is a code such as "zh", "zh-hans" or "en". Options stand in the writer's order, empty ones
    keep their place. `standard_stem` is the stem that the project's items of the task share: an item that
    has it is exempt from all checks of stems. `siblings` are the other items of the story.
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
    """The options that say something, each with its number from 1."""
    key: OptionView | None = field(init=False, repr=False, compare=False)
    """The one key that says something; none while there is none, or more than one."""
    distractors: tuple[OptionView, ...] = field(init=False, repr=False, compare=False)
    """The other options that say something."""
    texts: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """The texts of the options that say something."""
    own_stem: str = field(init=False, repr=False, compare=False)
    """The stem that checks of stems look at: "" where it is empty or the standard one."""
    is_chinese: bool = field(init=False, repr=False, compare=False)
    """Whether the item should be in Chinese."""
    is_read: bool = field(init=False, repr=False, compare=False)
    """Whether the item should be in a language whose words the checks know; so too where none is said."""

    def __post_init__(self) -> None:
        """Compute what nearly every check needs."""
        filled = tuple((n, o) for n, o in enumerate(self.options, start=1) if not words.is_blank(o.text))
        keys = [option for option in self.options if option.is_key]
        key = keys[0] if len(keys) == 1 and not words.is_blank(keys[0].text) else None
        object.__setattr__(self, "filled", filled)
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "distractors", tuple(one for _n, one in filled if not one.is_key))
        object.__setattr__(self, "texts", tuple(one.text for _n, one in filled))
        exempt = words.is_blank(self.stem) or is_standard(self.stem, self.standard_stem)
        object.__setattr__(self, "own_stem", "" if exempt else self.stem)
        language = words.language_named(self.language)
        object.__setattr__(self, "is_chinese", language == words.CHINESE)
        object.__setattr__(self, "is_read", language in {"", words.CHINESE, words.ENGLISH})


class Check(BaseCheck):
    """A check of a single item.

    An error blocks submission; a warning can be answered with a reason.
    """

    trait: ClassVar[Trait | Form | None] = None
    """The property of the tasks that it applies to; None where it applies to all."""
    rule: ClassVar[str] = ""
    """The rule of item writing that it looks after, "" where it is none of the nineteen."""
    at_desk: ClassVar[bool] = True
    """Whether it also looks at what is being typed; where it does not, only files and releases are held to
    it."""
    reads_words: ClassVar[bool] = False
    """Whether it knows words of Chinese and English, and so judges no item in another language."""
    reveals_key: ClassVar[bool] = False
    """Whether a finding tells something of the key to who sees the options."""
    fails_sets: ClassVar[bool] = False
    """Whether a file or a release that has such an item fails: only for what is surely wrong in any set."""
    looks_at: ClassVar[str]
    fix: ClassVar[str]

    def applies_to(self, task: str) -> bool:
        """Return whether the check applies to items of this task."""
        kind = KINDS.get(task)
        return kind is not None and (self.trait is None or bool(getattr(kind, self.trait)))

    def is_sure(self, item: ItemView, finding: Finding) -> bool:
        """Return whether a finding of a check that fails sets is certain in other people's files, too."""
        return self.fails_sets

    @abstractmethod
    def find(self, item: ItemView) -> Iterable[Finding]:
        """Return the findings in an item of one of its tasks; nothing if it is sound."""


class RuleCheck(Check):
    """A rule of item writing: one of the nineteen that people have labelled items by.

    It looks at files and releases, not at what is being typed: too many sound items break one.
    """

    severity: ClassVar = WARNING
    at_desk: ClassVar = False
    reads_words: ClassVar = True
    trait: ClassVar[Trait | Form | None] = "has_keys"


class Requirement(Check):
    """A check of what an item must have to be complete; other errors concern its wording."""

    severity: ClassVar = ERROR


def is_standard(stem: str, standard_stem: str) -> bool:
    """Return whether a stem is the one items share, ignoring width, case and final sign."""
    return bool(standard_stem) and words.asked_form(stem) == words.asked_form(standard_stem)


def option(number: int) -> str:
    """Return the place of an option by its number from 1."""
    return f"option-{number}"
