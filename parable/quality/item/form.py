"""Checks of an item's types, explanation, lengths and language."""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import ClassVar, Final

from parable.formats.limits import MAX_EXPLANATION_CHARS, MAX_OPTION_CHARS, MAX_STEM_CHARS
from parable.quality.finding import WARNING, Finding
from parable.quality.item import words
from parable.quality.item.asked import asked
from parable.quality.item.base import (
    EXPLANATION,
    OPTIONS,
    STEM,
    TYPES,
    Check,
    ItemView,
    Requirement,
    RuleCheck,
    option,
)
from parable.quality.item.batch import Batch, at_line_start, by_lines
from parable.quality.item.cues import meaning
from parable.quality.item.options import (
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
from parable.quality.item.wording import labels
from parable.sentences import gettext_noop as _

_OTHER_LETTER: Final = re.compile(rf"[^\W\d_{words.HAN}]")

LEAST_LETTERS: Final = 4
"""The fewest letters of a single word in another script; shorter words may be abbreviations or units."""


class TypeMissing(Requirement):
    """Find items without a commonsense type."""

    id: ClassVar = "type_missing"
    name: ClassVar = _("No commonsense type")
    trait: ClassVar = "requires_types"
    says: ClassVar = _("Select at least one commonsense type.")
    looks_at: ClassVar = _("At least one commonsense type is selected.")
    why: ClassVar = _("Results are shown by type; items without one are left out.")
    fix: ClassVar = _("Select the type of knowledge the key needs; two if it needs two.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items without types."""
        return batch.where(lambda item: not item.types)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding if the item has no type."""
        if not item.types:
            yield self.at(TYPES)


class UnknownType(Requirement):
    """Find types that the project does not have."""

    id: ClassVar = "unknown_type"
    name: ClassVar = _("Unknown commonsense type")
    says: ClassVar = _("“%(type)s” is not a commonsense type of this project.")
    looks_at: ClassVar = _("The project has each selected type.")
    why: ClassVar = _("Results are shown by the project's types only.")
    fix: ClassVar = _("Select one of the project's types, or ask the manager to add this one.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items that come from a form, as only forms have a list of types."""
        return batch.where(lambda item: item.spec)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each type that the project does not have."""
        known = item.spec.types if item.spec else None
        for code in item.types:
            if known is not None and code not in known:
                yield self.at(TYPES, type=code)


class TooLong(Requirement):
    """Find texts that are longer than files allow."""

    id: ClassVar = "too_long"
    name: ClassVar = _("Text too long")
    says: ClassVar = _("Too long: at most %(limit)d characters.")
    looks_at: ClassVar = _("Stems above 4000 characters, options above 2000 and explanations above 10000.")
    why: ClassVar = _("Item files have these limits; longer texts cannot be imported again.")
    fix: ClassVar = _("Shorten the text.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items whose texts together are longer than the lowest limit."""
        return batch.where(
            lambda item: len(item.stem) + len(item.explanation) + sum(map(len, item.texts)) > MAX_OPTION_CHARS
        )

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each text over its limit."""
        if max(map(len, (item.stem, item.explanation, *item.texts))) <= MAX_OPTION_CHARS:
            return  # the lowest limit
        texts = [(STEM, item.stem, MAX_STEM_CHARS), (EXPLANATION, item.explanation, MAX_EXPLANATION_CHARS)]
        texts += [(option(n), one.text, MAX_OPTION_CHARS) for n, one in item.filled]
        for place, text, limit in texts:
            if len(text.strip()) > limit:
                yield self.at(place, limit=limit)


class ExplanationMissing(Requirement):
    """Find items whose key is not explained."""

    id: ClassVar = "explanation_missing"
    name: ClassVar = _("No explanation")
    trait: ClassVar = "requires_explanation"
    says: ClassVar = _("Explain why the key is right.")
    looks_at: ClassVar = _("The key is explained.")
    why: ClassVar = _(
        "Reviewers use it to check that the key follows from common sense. A key that"
        " cannot be explained is often wrong."
    )
    fix: ClassVar = _("Say in a sentence or two what one must know, and why the other options fail.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items whose explanations do not begin with a letter."""
        return batch.where(lambda item: not item.explanation[:1].isalnum())

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding if the explanation is blank."""
        if words.is_blank(item.explanation):
            yield self.at(EXPLANATION)


class WrongLanguage(Check):
    """Find texts that are not in the language of the item."""

    id: ClassVar = "wrong_language"
    reads_words: ClassVar = True
    name: ClassVar = _("Wrong language")
    severity: ClassVar = WARNING
    says: ClassVar = _("Most of this text is not in the language of the story.")
    looks_at: ClassVar = _(
        "Stem, options and explanation are mostly in the script of the story's"
        " language; abbreviations, units and numbers do not count."
    )
    why: ClassVar = _("An option in another language stands out, and the item tests translation.")
    fix: ClassVar = _("Write in the language of the story.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items with letters of another script, and those with explanations."""
        lettered = batch.stems.having(_OTHER_LETTER) | batch.options.having(_OTHER_LETTER)
        return [
            index
            for index, (item, stem, options) in enumerate(
                zip(batch.items, batch.stems, batch.options, strict=True)
            )
            if item.explanation
            or (index in lettered if item.is_chinese else not (stem.isascii() and options.isascii()))
        ]

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each text in another language; the standard stem is not checked."""
        places = [(STEM, item.own_stem), *((option(n), one.text) for n, one in item.filled)]
        for place, text in [*places, (EXPLANATION, item.explanation)]:
            if is_foreign(text, item.language):
                yield self.at(place)


def is_foreign(text: str, language: str) -> bool:
    """Return whether most of a text is in another script than that of `language`, Chinese or English.

    Return False for other languages, whose scripts are not known.
    """
    known = words.language_named(language)
    if known not in {"", words.CHINESE, words.ENGLISH}:
        return False
    folded = words.fold(text)
    if not _OTHER_LETTER.search(folded) if known == words.CHINESE else folded.isascii():
        return False  # most texts end here
    letters = [unit for unit in words.units(text) if unit[0].isalpha()]
    han = sum(map(words.is_han, letters))
    latin = sum(1 for unit in letters if unit[0] < "\u0250")
    other = len(letters) - han - latin
    if known != words.CHINESE:
        return han + 2 * other > 2 * latin
    return latin + other > han and (latin + other > 1 or other > 0 or _is_plain_word(text))


def _is_plain_word(text: str) -> bool:
    """Return whether a text is one ordinary word, not "NBA", "WiFi" or "5 kg"."""
    word = text.strip(" .。!?！？")
    return word.isalpha() and len(word) >= LEAST_LETTERS and (word.islower() or word.istitle())


# --- Checks of the form of options: phrases of the same kind, each of which can answer the question ---

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
    """Find options that are different kinds of phrase."""

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
        """Return the indexes of items with an option whose kind may be guessed, or that is a reason."""
        reasons = batch.typed_stems.having(_ASKS_REASON) & batch.typed_options.having(_REASON_ON_LINES)
        return _may_differ(batch) | reasons

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about all options, if their kinds differ."""
        texts = compared(item.texts)
        if _stands_out(texts) or _is_one_of_many(texts):
            yield self.at(OPTIONS)
        elif _ASKS_REASON.search(item.own_stem) and len({bool(_REASON.match(text)) for text in texts}) > 1:
            yield self.at(OPTIONS)  # only some options begin with a Chinese "because"


class OptionOffKind(RuleCheck):
    """Find options that cannot answer the question."""

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
        """Return the indexes of items whose stem asks how many, or with options of a guessable kind."""
        return _may_differ(batch) | batch.stems.having(_WANTS_AMOUNT)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about all options, if one cannot be the answer."""
        texts = compared(item.texts)
        if _stands_out(texts) or _any_off(item, texts):
            yield self.at(OPTIONS)


class ImplausibleOption(RuleCheck):
    """Find distractors that can be ruled out by their form alone."""

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
        """Return the indexes of items whose stem asks how many, or with options of a guessable kind."""
        return _may_differ(batch) | batch.stems.having(_WANTS_AMOUNT)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about all options, if one can be ruled out."""
        texts = compared(item.texts)
        if _stands_out(texts) or _is_one_of_many(texts) or _any_off(item, texts):
            yield self.at(OPTIONS)


@lru_cache(64)
def compared(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the texts of the options, without options that only refer to other options."""
    return tuple(text for text in texts if not meaning(text) and not labels(text))


@lru_cache(1)  # several checks ask for the same batch
def _may_differ(batch: Batch) -> set[int]:
    """Return the indexes of items with options that may have `shapes`, or be cut out of a longer text."""
    return batch.options.having(words.OTHER_UNIT, _TORN_ON_LINES)


@lru_cache(64)
def _stands_out(texts: tuple[str, ...]) -> bool:
    """Return whether an option differs from the others by form alone; three checks use this test."""
    if len(texts) > 1 and all(map(shapes, texts)) and not frozenset.intersection(*map(shapes, texts)):
        return True  # no kind of phrase is common to all
    return _are_torn(texts)


def _are_torn(texts: Sequence[str]) -> bool:
    """Return whether some options seem to be cut out of a longer text.

    Either only some options begin with closing punctuation, or one has two numbers and others have one.
    """
    plain = [words.bare(text) for text in texts]
    if not any(map(_MAY_BE_TORN.search, plain)):
        return False
    numbers = sum(bool(_NUMBER.fullmatch(text)) for text in plain)
    doubled = any(_TWO_NUMBERS.fullmatch(text) for text in plain)
    torn = sum(bool(_TORN.match(text)) for text in plain)
    return 0 < torn < len(plain) or (doubled and 2 * numbers >= len(plain))


def _is_one_of_many(texts: Sequence[str]) -> bool:
    """Return whether at least half of the options are single nouns, both singular and plural."""
    nouns = [
        plain for text in texts if _ONE_WORD.fullmatch(plain := words.bare(text)) and shapes(text) == {NOUN}
    ]
    return len(nouns) > 1 and 2 * len(nouns) >= len(texts) and len({_is_plural(noun) for noun in nouns}) > 1


def _is_plural(noun: str) -> bool:
    return len(noun) > 3 and noun.endswith("s") and not noun.endswith(("ss", "us", "is", "ous", "ics"))


def _any_off(item: ItemView, texts: Sequence[str]) -> bool:
    question = asked(item.own_stem)
    if words.is_chinese(question):
        wants_amount = bool(_WANTS_AMOUNT.search(question))
        return wants_amount and any(words.is_chinese(text) and not _AMOUNT.search(text) for text in texts)
    wanted = [sorts for pattern, sorts in _WANTS if pattern.search(question)]
    # a text without shapes may be a phrase of any kind
    found = [kinds for text in texts if (kinds := shapes(text))] if wanted else []
    return any(not kinds & sorts for kinds in found for sorts in wanted)


# --- Check of the lengths of options: none may be far longer or shorter than the others ---

TIMES_KEY: Final = 1.5
TIMES_KEY_CHINESE: Final = 2.1
"""A Chinese key that is this many times as long as the mean of the other options stands out."""
TIMES_OTHER: Final = 2.5
"""Any other option stands out if it is this many times as long, or as short, as the mean of the others."""
LEAST_MORE: Final = 8
"""The fewest characters by which the length of an option must differ from the mean to stand out."""


class UnequalLengths(RuleCheck):
    """Find options that are far longer or shorter than the others."""

    id: ClassVar = "unequal_lengths"
    reads_words: ClassVar = False
    reveals_key: ClassVar = True
    rule: ClassVar = "equal_length_options"
    name: ClassVar = _("Options of unequal length")
    says: ClassVar = _("Option %(number)d has %(length)d characters, the others %(mean)d on average.")
    looks_at: ClassVar = _(
        "A key 1.5 times as long as the others on average (2.1 times in Chinese), another option"
        " 2.5 times as long, or any option 2.5 times as short; by at least 8 characters."
    )
    why: ClassVar = _("An option that stands out by its length is chosen or ruled out for that reason.")
    fix: ClassVar = _("Give all options about the same amount of detail.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items whose longest option is far longer than the shortest."""
        return [
            index
            for index, (item, lengths) in enumerate(zip(batch.items, batch.lengths, strict=True))
            if lengths
            and max(lengths) - min(lengths) >= LEAST_MORE
            and max(lengths) >= (TIMES_KEY_CHINESE if item.is_chinese else TIMES_KEY) * min(lengths)
        ]

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each option of unusual length; “none of them” and the like are ignored."""
        compared = [(n, one) for n, one in item.filled if not (meaning(one.text) or labels(one.text))]
        lengths = [words.length(one.text) for _number, one in compared]
        times = TIMES_KEY_CHINESE if item.is_chinese else TIMES_KEY
        for index, (number, one) in enumerate(compared):
            mean = (sum(lengths) - lengths[index]) / (len(lengths) - 1) if len(lengths) > 1 else 0.0
            length, limit = lengths[index], times if one.is_key else TIMES_OTHER
            is_far = length >= limit * mean or TIMES_OTHER * length <= mean
            if mean and abs(length - mean) >= LEAST_MORE and is_far:
                yield self.at(option(number), number=number, length=length, mean=round(mean))
