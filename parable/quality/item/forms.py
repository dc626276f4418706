"""Rules on the form of options: phrases of the same kind, each of which can answer the question."""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import ClassVar, Final

from parable.quality.finding import Finding
from parable.quality.item import words
from parable.quality.item.asked import asked
from parable.quality.item.base import OPTIONS, ItemView, RuleCheck
from parable.quality.item.batch import Batch, at_line_start, by_lines
from parable.quality.item.meanings import meaning
from parable.quality.item.shapes import (
    ADJECTIVE,
    ADVERB,
    CLAUSE,
    NOUN,
    NUMBER,
    PARTICIPLE,
    PLACE,
    THIRD,
    VERB,
    Shapes,
    shapes,
)
from parable.quality.item.sums import labels
from parable.sentences import gettext_noop as _

_ONE_WORD: Final = re.compile("[a-z]+")
_NUMBER: Final = re.compile(r"[-−]?\d[\d.,]*")
_TWO_NUMBERS: Final = re.compile(r"[-−]?\d[\d.,]* +[-−]?\d[\d.,]*")
_TORN: Final = re.compile(r"[\])}.,;）】，。；、]\s*\S")
_MAY_BE_TORN: Final = re.compile(r"^[\])}.,;）】，。；、]|\d")
_TORN_ON_LINES: Final = by_lines(_MAY_BE_TORN)
_ASKS_REASON: Final = re.compile("为什么|为了什么|为何|原因|目的|干什么|做什么")
_REASON: Final = re.compile("(?:因为|由于|为了|为的是|是因为)")

_REASON_ON_LINES: Final = at_line_start(_REASON)

_WANTS: Final[tuple[tuple[re.Pattern[str], Shapes], ...]] = (
    (
        re.compile(r"\bdo (?:next|before|after|what)\b|\bdoing what\b|\bdo\W*$"),
        frozenset({VERB, PARTICIPLE, THIRD, CLAUSE}),
    ),
    (re.compile(r"\b(?:feel|describe)\b"), frozenset({ADJECTIVE, NOUN, PARTICIPLE, ADVERB, CLAUSE})),
    (re.compile(r"\bhow (?:many|much)\b|\b(?:what|which) year\b"), frozenset({NUMBER, NOUN, CLAUSE})),
    (re.compile(r"^(?:\w+ ){0,3}(?:who|where)\b"), frozenset({NOUN, PLACE, CLAUSE, PARTICIPLE})),
)
"""Patterns of questions, with the kinds of phrase that can answer them."""
_WANTS_AMOUNT: Final = re.compile("多少[个只天年岁次米克元里人]|多[久重远]|几[个只天年岁次]")
_AMOUNT: Final = re.compile(r"\d|[〇零一二两三四五六七八九十百千万亿半几数多少整全每更]")


class MixedForms(RuleCheck):
    """Options that are different kinds of phrase."""

    id: ClassVar = "mixed_forms"
    rule: ClassVar = "grammatical_consistency"
    name: ClassVar = _("Options of different form")
    says: ClassVar = _("The options differ in grammatical form.")
    looks_at: ClassVar = _(
        "Short options of different form: nouns beside verbs, adjectives or sentences; singular"
        " beside plural (“leaf”, “roots”); numbers beside words; “because” before some of them"
        " only; an option that begins with a closing mark."
    )
    why: ClassVar = _("An option that does not fit the stem is ruled out by its grammar.")
    fix: ClassVar = _("Give all options the same form.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the items with a phrase whose kind may be guessed, or with a reason as an option."""
        reasons = batch.typed_stems.having(_ASKS_REASON) & batch.typed_options.having(_REASON_ON_LINES)
        return _may_differ(batch) | reasons

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about all options together."""
        texts = compared(item.texts)
        if _stands_out(texts) or _is_one_of_many(texts) or _reasons_differ(item, texts):
            yield self.at(OPTIONS)


class OptionOffKind(RuleCheck):
    """An option that cannot answer the question."""

    id: ClassVar = "option_off_kind"
    rule: ClassVar = "no_logical_cues"
    name: ClassVar = _("An option that cannot be the answer")
    says: ClassVar = _("An option can be ruled out by its form alone.")
    looks_at: ClassVar = _(
        "Options that cannot answer “do what”, “how many”, “who”, “where” or “how does it feel”,"
        " and options that differ in form."
    )
    why: ClassVar = _("Readers rule it out, or see that only one option fits, without the story.")
    fix: ClassVar = _("Word each option as a possible answer to the stem.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the items with a phrase whose kind may be guessed, or with a stem that asks how many."""
        return _may_differ(batch) | batch.stems.having(_WANTS_AMOUNT)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about all options together."""
        texts = compared(item.texts)
        if _stands_out(texts) or _any_off(item, texts):
            yield self.at(OPTIONS)


class ImplausibleOption(RuleCheck):
    """A distractor that can be ruled out without knowledge."""

    id: ClassVar = "implausible_option"
    rule: ClassVar = "plausible_distractors"
    name: ClassVar = _("Implausible distractor")
    says: ClassVar = _("A distractor is of a different kind from the other options.")
    looks_at: ClassVar = _(
        "Distractors that differ from the other options in form or number, or that cannot answer the stem."
    )
    why: ClassVar = _("A distractor that no one chooses makes the key easier to find.")
    fix: ClassVar = _("Replace it with a plausible error.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the items with a phrase whose kind may be guessed, or with a stem that asks how many."""
        return _may_differ(batch) | batch.stems.having(_WANTS_AMOUNT)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about all options together."""
        texts = compared(item.texts)
        if _stands_out(texts) or _is_one_of_many(texts) or _any_off(item, texts):
            yield self.at(OPTIONS)


@lru_cache(64)
def compared(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the texts of the options, without those that only refer to other options."""
    return tuple(text for text in texts if not meaning(text) and not labels(text))


@lru_cache(1)  # several checks ask for the same batch
def _may_differ(batch: Batch) -> set[int]:
    """Return the items of a batch with an option that may have `shapes`, or be torn from a text."""
    return batch.options.having(words.OTHER_UNIT, _TORN_ON_LINES)


@lru_cache(64)
def _stands_out(texts: tuple[str, ...]) -> bool:
    """Return whether one option differs from the others by form alone, a test that three rules use."""
    return _differ(texts) or _are_torn(texts)


def _differ(texts: Sequence[str]) -> bool:
    """Return whether no kind of phrase is common to all texts; False if a text may be of any kind."""
    return len(texts) > 1 and all(map(shapes, texts)) and not frozenset.intersection(*map(shapes, texts))


def _are_torn(texts: Sequence[str]) -> bool:
    """Return whether an option begins with closing punctuation, or has two numbers where others have one."""
    plain = [words.bare(text) for text in texts]
    if not any(map(_MAY_BE_TORN.search, plain)):
        return False
    numbers = sum(bool(_NUMBER.fullmatch(text)) for text in plain)
    doubled = any(_TWO_NUMBERS.fullmatch(text) for text in plain)
    torn = sum(bool(_TORN.match(text)) for text in plain)
    return 0 < torn < len(plain) or (doubled and 2 * numbers >= len(plain))


def _is_one_of_many(texts: Sequence[str]) -> bool:
    """Return whether one-word nouns, in at least half of the options, are both singular and plural."""
    nouns = [
        plain for text in texts if _ONE_WORD.fullmatch(plain := words.bare(text)) and shapes(text) == {NOUN}
    ]
    return len(nouns) > 1 and 2 * len(nouns) >= len(texts) and len({_is_plural(noun) for noun in nouns}) > 1


def _is_plural(noun: str) -> bool:
    return len(noun) > 3 and noun.endswith("s") and not noun.endswith(("ss", "us", "is", "ous", "ics"))


def _reasons_differ(item: ItemView, texts: Sequence[str]) -> bool:
    """Return whether the stem asks for a reason and only some options begin with a Chinese "because"."""
    return bool(_ASKS_REASON.search(item.own_stem)) and len({bool(_REASON.match(text)) for text in texts}) > 1


def _any_off(item: ItemView, texts: Sequence[str]) -> bool:
    question = asked(item.own_stem)
    if words.is_chinese(question):
        wants_amount = bool(_WANTS_AMOUNT.search(question))
        return wants_amount and any(words.is_chinese(text) and not _AMOUNT.search(text) for text in texts)
    wanted = [sorts for pattern, sorts in _WANTS if pattern.search(question)]
    return bool(wanted) and any(_is_off(shapes(text), wanted) for text in texts)


def _is_off(found: Shapes, wanted: Sequence[Shapes]) -> bool:
    """Return whether a phrase cannot answer a question; False if the phrase may be of any kind."""
    return bool(found) and any(not found & sorts for sorts in wanted)
