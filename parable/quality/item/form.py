"""Checks of an item's types, explanation, lengths and language."""

import re
from collections.abc import Collection, Iterator
from typing import ClassVar, Final

from parable.formats.limits import MAX_EXPLANATION_CHARS, MAX_OPTION_CHARS, MAX_STEM_CHARS
from parable.quality.finding import WARNING, Finding
from parable.quality.item import words
from parable.quality.item.base import EXPLANATION, STEM, TYPES, Check, ItemView, Requirement, option
from parable.quality.item.batch import Batch
from parable.sentences import gettext_noop as _

_OTHER_LETTER: Final = re.compile(rf"[^\W\d_{words.HAN}]")

LEAST_LETTERS: Final = 4
"""Fewest letters of a single word that counts; shorter ones may be abbreviations or units of measure."""


class TypeMissing(Requirement):
    """An item without a commonsense type."""

    id: ClassVar = "type_missing"
    name: ClassVar = _("No commonsense type")
    trait: ClassVar = "requires_types"
    says: ClassVar = _("Select at least one commonsense type.")
    looks_at: ClassVar = _("At least one commonsense type is selected.")
    why: ClassVar = _("Results are shown by type; items without one are left out.")
    fix: ClassVar = _("Select the type of knowledge the key needs; two if it needs two.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the items without types."""
        return batch.where(lambda item: not item.types)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding if no type is chosen."""
        if not item.types:
            yield self.at(TYPES)


class UnknownType(Requirement):
    """A type that the project does not have."""

    id: ClassVar = "unknown_type"
    name: ClassVar = _("Unknown commonsense type")
    says: ClassVar = _("“%(type)s” is not a commonsense type of this project.")
    looks_at: ClassVar = _("The project has each selected type.")
    why: ClassVar = _("Results are shown by the project's types only.")
    fix: ClassVar = _("Select one of the project's types, or ask the manager to add this one.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the items of a project."""
        return batch.where(lambda item: item.spec)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each type that the project does not have."""
        known = item.spec.types if item.spec else None
        for code in item.types:
            if known is not None and code not in known:
                yield self.at(TYPES, type=code)


class TooLong(Requirement):
    """A text that is longer than files allow."""

    id: ClassVar = "too_long"
    name: ClassVar = _("Text too long")
    says: ClassVar = _("Too long: at most %(limit)d characters.")
    looks_at: ClassVar = _("Stems above 4000 characters, options above 2000 and explanations above 10000.")
    why: ClassVar = _("Item files have these limits; longer texts cannot be imported again.")
    fix: ClassVar = _("Shorten the text.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the items whose texts are together longer than the least of the limits."""
        return batch.where(
            lambda item: len(item.stem) + len(item.explanation) + sum(map(len, item.texts)) > MAX_OPTION_CHARS
        )

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each text over its limit."""
        if max(map(len, (item.stem, item.explanation, *item.texts))) <= MAX_OPTION_CHARS:
            return  # the least of the limits
        texts = [(STEM, item.stem, MAX_STEM_CHARS), (EXPLANATION, item.explanation, MAX_EXPLANATION_CHARS)]
        texts += [(option(n), one.text, MAX_OPTION_CHARS) for n, one in item.filled]
        for place, text, limit in texts:
            if len(text.strip()) > limit:
                yield self.at(place, limit=limit)


class ExplanationMissing(Requirement):
    """An item whose key is not explained."""

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
        """Return the items whose explanations do not begin with a letter."""
        return batch.where(lambda item: not item.explanation[:1].isalnum())

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding if the explanation is blank."""
        if words.is_blank(item.explanation):
            yield self.at(EXPLANATION)


class WrongLanguage(Check):
    """A text that is not in the language of the item."""

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
        """Return the items with texts that have letters of another script, or with explanations."""
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
    """Return whether most of a text is in another script than that of its language, Chinese or English.

    Of other languages it is not known which scripts they use: no text is foreign to them.
    """
    known = words.language_named(language)
    if known not in {"", words.CHINESE, words.ENGLISH}:
        return False
    folded = words.fold(text)
    if not _OTHER_LETTER.search(folded) if known == words.CHINESE else folded.isascii():
        return False  # most texts end here
    han, latin, other = _scripts(text)
    if known != words.CHINESE:
        return han + 2 * other > 2 * latin
    return latin + other > han and (latin + other > 1 or other > 0 or _is_plain_word(text))


def _scripts(text: str) -> tuple[int, int, int]:
    """Return the numbers of Chinese characters, words in Latin letters, and words of other scripts."""
    letters = [unit for unit in words.units(text) if unit[0].isalpha()]
    han = sum(map(words.is_han, letters))
    latin = sum(1 for unit in letters if unit[0] < "\u0250")
    return han, latin, len(letters) - han - latin


def _is_plain_word(text: str) -> bool:
    """Return whether a text is one ordinary word, not "NBA", "WiFi" or "5 kg"."""
    word = text.strip(" .。!?！？")
    return word.isalpha() and len(word) >= LEAST_LETTERS and (word.islower() or word.istitle())
