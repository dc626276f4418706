"""Checks that compare options: empty, equal, nearly equal, copied, out of order, or with letters.

At the end, `shapes` guesses the kind of phrase of an option.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import ClassVar, Final, NamedTuple

from parable.formats.limits import MAX_OPTIONS, MIN_OPTIONS
from parable.formats.option_marks import MAY_BE_MARK, typed_marks
from parable.kinds import KINDS, kind_of
from parable.quality.finding import ERROR, WARNING, Finding
from parable.quality.item import words
from parable.quality.item.base import OPTIONS, Check, ItemView, Requirement, RuleCheck, option
from parable.quality.item.batch import Batch, at_line_start
from parable.quality.item.cues import meaning, speaking
from parable.quality.item.lexicon import (
    ADJECTIVES,
    ALSO_NOUNS,
    DETERMINERS,
    FINITE,
    INTENSIFIERS,
    PARTICLES,
    PAST,
    PREPOSITIONS,
    PRONOUNS,
    VERBS,
)
from parable.sentences import gettext_noop as _

LONG: Final = 18
"""In texts of this weight (18 Chinese characters or 9 words), one changed word is easily overlooked."""
LEAST_COPIED: Final = 6
"""The lowest weight of a quotation; shorter names and phrases repeat the story by chance."""

_STOPS: Final = " .。\u3000"
_PARTICLES: Final = "".join(sorted(words.PARTICLES))
_MARKED: Final = at_line_start(MAY_BE_MARK)


class NumberOfOptions(Requirement):
    """Find items with more or fewer options than required."""

    id: ClassVar = "number_of_options"
    trait: ClassVar = "has_options"
    name: ClassVar = _("Number of options")
    says: ClassVar = _("%(found)d options filled in; this project requires %(required)s.")
    looks_at: ClassVar = _("A form has as many options as the project requires, a file 2 to 26.")
    why: ClassVar = _("With fewer options the key is easier to guess.")
    fix: ClassVar = _("Add the missing options, or remove the extra ones.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items that come from a form, which has requirements."""
        return batch.where(lambda item: item.spec)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about all options, if their number is wrong."""
        if item.spec is None:
            return
        shared = max(map(len, kind_of(item.task).options.values()), default=0)
        found, required = len(item.filled), shared or item.spec.options
        if not (found == required if required else MIN_OPTIONS <= found <= MAX_OPTIONS):
            yield self.at(OPTIONS, found=found, required=str(required or f"{MIN_OPTIONS} – {MAX_OPTIONS}"))


class SharedOptions(Requirement):
    """Find options other than the fixed options of the task."""

    id: ClassVar = "shared_options"
    name: ClassVar = _("Fixed options")
    says: ClassVar = _("The options are fixed: %(options)s.")
    looks_at: ClassVar = _("Items of a task with fixed options, such as true or false, have these options.")
    why: ClassVar = _("Other wordings of the same options would tell items apart by form.")
    fix: ClassVar = _("Restore the options.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items of tasks with fixed options."""
        fixed = {task for task, kind in KINDS.items() if kind.options}
        return batch.where(lambda item: item.task in fixed)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding unless the options are the fixed options, in any order."""
        allowed = kind_of(item.task).options
        filled = sorted(one.text.strip() for _number, one in item.filled)
        if allowed and filled not in [sorted(options) for options in allowed.values()]:
            language = "zh" if item.is_chinese else "en"
            yield self.at(OPTIONS, options=" / ".join(allowed[language]))


class EmptyOption(Requirement):
    """Find options that are blank."""

    id: ClassVar = "empty_option"
    fails_sets: ClassVar = True
    name: ClassVar = _("Empty option")
    says: ClassVar = _("Option %(number)d is empty.")
    looks_at: ClassVar = _("Options without visible characters; empty lines of a form do not count.")
    why: ClassVar = _("No one chooses an empty option, so the key is easier to guess.")
    fix: ClassVar = _("Write the option, or remove it.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items with blank options."""
        return batch.where(lambda item: len(item.filled) < len(item.options))

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each empty option; in a form, options may be empty."""
        if len(item.filled) == len(item.options):
            return
        for number, one in enumerate(item.options, start=1):
            if item.spec is None and words.is_blank(one.text):
                yield self.at(option(number), number=number)


class EqualOptions(Requirement):
    """Find two options with the same text."""

    id: ClassVar = "equal_options"
    fails_sets: ClassVar = True
    name: ClassVar = _("Equal options")
    says: ClassVar = _("Options %(first)d and %(second)d are equal.")
    looks_at: ClassVar = _(
        "Options that differ only in width, case, white space, invisible characters or a final full stop."
    )
    why: ClassVar = _("If one is the key, the other is correct too; if not, one is wasted.")
    fix: ClassVar = _("Replace one of them.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items with a repeated option, or with an unusual character in an option."""
        repeated = [index for index, texts in enumerate(batch.bare) if len(frozenset(texts)) < len(texts)]
        return batch.typed_options.having(_UNUSUAL).union(repeated)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each option that repeats an earlier option."""
        first: dict[str, int] = {}
        for (number, _one), form in zip(item.filled, _forms(item.texts), strict=True):
            earlier = first.setdefault(form, number)
            if earlier != number:
                yield self.at(option(number), first=earlier, second=number)

    def is_sure(self, item: ItemView, finding: Finding) -> bool:
        """Return whether the options are also equal in case: "RR" and "Rr" may differ on purpose."""
        first, second = (item.options[int(finding.params[name]) - 1].text for name in ("first", "second"))
        return first.strip(_STOPS) == second.strip(_STOPS)


_UNUSUAL: Final = re.compile(f"[^\\s -~{words.HAN}，。、；：？！“”‘’（）《》…—]")
"""A character that `words.bare` and `words.same_form` may fold differently."""


@lru_cache(64)
def _forms(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return normalised texts of options: equal options have equal texts.

    Texts of only punctuation keep their punctuation.
    """
    plain = map(words.same_form, texts)
    return tuple(words.bare(form) or form for form in plain)


class NearOptions(Check):
    """Find two options that are nearly equal."""

    id: ClassVar = "near_options"
    name: ClassVar = _("Nearly equal options")
    severity: ClassVar = WARNING
    says: ClassVar = _("Options %(first)d and %(second)d are almost the same.")
    looks_at: ClassVar = _(
        "Options that differ only in punctuation, particles or articles; long ones also"
        " in a single word that is neither a number nor a negation."
    )
    why: ClassVar = _(
        "If two options mean the same, neither can be the only correct one, and guessers rule out both."
    )
    fix: ClassVar = _("Give them different meanings, or move the shared words into the stem.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items whose options may be nearly equal; a fast check.

        Chinese options must begin or end with the same character.
        """
        worded = batch.options.having(words.OTHER_UNIT)
        return [
            index for index, texts in enumerate(batch.bare) if index in worded or _have_common_ends(texts)
        ]

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each nearly equal pair, about the later option; not for equal options."""
        said = [*map(words.content, item.texts)]
        for place, later in enumerate(said):
            for before, earlier in enumerate(said[:place]):
                if _nearly_equal(earlier, later):
                    forms = _forms(item.texts)
                    if forms[before] != forms[place]:
                        first, second = item.filled[before][0], item.filled[place][0]
                        yield self.at(option(second), first=first, second=second)


@lru_cache(64)
def _signs_of_story(story: str) -> str:
    """Return the Chinese characters of a story; cached, as items of a story are usually adjacent."""
    return words.signs(words.fold(story))


def _have_common_ends(texts: Sequence[str]) -> bool:
    """Return whether the content of two Chinese texts begins or ends with the same character.

    Nearly equal texts always do: they are equal, or long and differ at one point.
    """
    said = [words.signs(text).strip(_PARTICLES) for text in texts]
    ends = {text[:1] for text in said}, {text[-1:] for text in said}
    return min(map(len, ends)) < len(said)


def _nearly_equal(one: words.Units, other: words.Units) -> bool:
    if not one or not other:
        return False
    if one == other:
        return True
    if abs(len(one) - len(other)) > 1 or 2 * min(len(one), len(other)) < LONG:
        return False
    changed = _changed(one, other)
    if len(changed) > 2 or min(words.weight(one), words.weight(other)) < LONG:
        return False
    return not words.negations(changed) and not words.numbers(changed)


def _changed(one: words.Units, other: words.Units) -> words.Units:
    """Return the units in which two texts differ: without their common beginning and end."""
    start = 0
    shorter = min(len(one), len(other))
    while start < shorter and one[start] == other[start]:
        start += 1
    end = 0
    while end < shorter - start and one[-1 - end] == other[-1 - end]:
        end += 1
    return one[start : len(one) - end] + other[start : len(other) - end]


class CopiedOption(Check):
    """Find quotations from the story in only one option."""

    id: ClassVar = "copied_option"
    name: ClassVar = _("One option copied from the story")
    severity: ClassVar = WARNING
    trait: ClassVar = "has_keys"
    says: ClassVar = _("Option %(number)d is word for word in the story, the others are not.")
    looks_at: ClassVar = _(
        "Only one option, of at least six Chinese characters or three words, is word for word in the story."
    )
    why: ClassVar = _("Models choose, or learn to avoid, copied text without understanding it.")
    fix: ClassVar = _("Reword it, or quote the story in the other options too.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items whose options may be copied from the story; a fast check."""
        worded = batch.options.having(words.OTHER_UNIT)
        return [
            index
            for index, (item, texts) in enumerate(zip(batch.items, batch.bare, strict=True))
            if item.story
            and len(texts) > 1
            and (index in worded or any(words.signs(text) in _signs_of_story(item.story) for text in texts))
        ]

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about the only option that is copied from the story."""
        if not item.story or len(item.filled) < 2:
            return
        story = words.line(item.story)
        copied = [
            number
            for number, one in item.filled
            if (terms := words.units(one.text)) and f" {' '.join(terms)} " in story
        ]
        if len(copied) != 1:
            return
        if words.weight(words.content(item.options[copied[0] - 1].text)) >= LEAST_COPIED:
            yield self.at(option(copied[0]), number=copied[0])


class LetterPrefix(Check):
    """Find letters typed before options."""

    id: ClassVar = "letter_prefix"
    name: ClassVar = _("Letters before options")
    severity: ClassVar = ERROR
    says: ClassVar = _("Option %(number)d begins with the letter %(letter)s.")
    looks_at: ClassVar = _(
        "Letters or numbers such as “A.”, “B、”, “(C)”, “①” or “1.” before two or more options, or before"
        " one where it cannot be an initial."
    )
    why: ClassVar = _(
        "A release reorders the options and sets its own letters, so typed letters would be wrong."
    )
    fix: ClassVar = _("Remove the letter; the release adds it.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items with an option that may begin with a letter or number."""
        return batch.typed_options.having(_MARKED)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each option with a letter, unless it may be the initial of a name."""
        places = [number for number, _one in item.filled]
        texts = ["" for _place in range(max(places, default=0))]
        for number, one in item.filled:
            texts[number - 1] = one.text
        for place, mark in typed_marks(texts).items():
            yield self.at(option(place + 1), number=place + 1, letter=mark.label)


# --- Check of options that are numbers: they must be in order ---

LONGEST_BEHIND: Final = 8
"""The most characters after a number in an option; longer texts must be equal in all options."""

_LETTER: Final = re.compile(r"^\(?[a-h][).、]\s*(?=\S)")
_NUMBER: Final = re.compile(r"(?<![\w.^{])[-\u2212]?\d*\.?\d+(?:/\d+(?:\.\d+)?)?")
_HAN_NUMBER: Final = re.compile("[〇零一二两三四五六七八九十百千万半]+")
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}\b)")
_FRACTION: Final = re.compile(r"(?<=\d)\s*/\s*(?=\d)")
_ANY_NUMBER: Final = re.compile(r"[\d〇零一二两三四五六七八九十百千万半]")
_DIGITS: Final = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_TENS: Final = {"十": 10, "百": 100, "千": 1000}

_MEASURES: Final[dict[str, dict[float, str]]] = {
    "time": {
        1: "s sec secs second seconds 秒 秒钟",
        60: "min mins minute minutes 分钟 分",
        3600: "h hr hrs hour hours 小时 个小时 钟头 个钟头",
        86_400: "day days 天 日",
        604_800: "week weeks 周 星期 个星期",
        2_629_800: "month months 月 个月",
        31_557_600: "year years 年",
        3_155_760_000: "century centuries 世纪 个世纪",
    },
    "length": {
        0.001: "mm millimetre millimetres millimeter millimeters 毫米",
        0.01: "cm centimetre centimetres centimeter centimeters 厘米",
        0.0254: "in inch inches 英寸",
        0.1: "dm 分米",
        0.3048: "ft foot feet 英尺",
        0.9144: "yd yard yards 码",
        1: "m metre metres meter meters 米",
        500: "里",
        1000: "km kilometre kilometres kilometer kilometers 千米 公里",
        1609.344: "mi mile miles 英里",
    },
    "weight": {
        0.001: "mg 毫克",
        1: "g gram grams 克",
        28.35: "oz ounce ounces 盎司",
        50: "两",
        453.6: "lb lbs pound pounds 磅",
        500: "斤",
        1000: "kg kilogram kilograms kilo kilos 千克 公斤",
        1_000_000: "t ton tons tonne tonnes 吨",
    },
    "volume": {0.001: "ml 毫升", 1: "l litre litres liter liters 升"},
}
_UNITS: Final = {
    unit: (dimension, size)
    for dimension, units in _MEASURES.items()
    for size, names in units.items()
    for unit in names.split()
}
"""The dimension and the size of each unit of measurement, to compare "3 minutes" with "20 seconds"."""


class Amount(NamedTuple):
    """A number with the text before and after it."""

    value: float
    before: str
    after: str


class UnorderedOptions(RuleCheck):
    """Find options that are numbers but not in order."""

    id: ClassVar = "unordered_options"
    reads_words: ClassVar = False
    rule: ClassVar = "ordered_options"
    name: ClassVar = _("Numbers out of order")
    says: ClassVar = _("The options are numbers, but not in ascending order.")
    looks_at: ClassVar = _("Options that are numbers, quantities, or one phrase with different numbers.")
    why: ClassVar = _(
        "Readers look for the number they have in mind; disorder slows them down and tests nothing."
    )
    fix: ClassVar = _("Sort the options from smallest to largest.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items with a number in each option that does not refer to other options."""
        speaking_items = speaking(batch)
        return [
            index
            for index in batch.options.having(_ANY_NUMBER)
            if index in speaking_items or all(map(_ANY_NUMBER.search, batch.bare[index]))
        ]

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about all options, if they are not in ascending order.

        Options like “none of them” may be anywhere.
        """
        amounts: list[Amount] = []
        for text in item.texts:
            found = amount(text)
            if meaning(text):
                continue
            if found is None:
                return
            amounts.append(found)
        if len(amounts) > 1 and not all(one <= other for one, other in pairwise(_comparable(amounts))):
            yield self.at(OPTIONS)


def _comparable(amounts: Sequence[Amount]) -> list[float]:
    """Return the values of amounts, converted to one unit; [] if they cannot be compared."""
    before = {one.before for one in amounts}
    after = [one.after for one in amounts]
    if len(before) > 1 or len(set(after)) == 1:
        differ_in_numbers = len(before) == 1
    else:  # amounts also differ in short texts that are not units
        differ_in_numbers = not any(one in _UNITS for one in after) and max(map(len, after)) <= LONGEST_BEHIND
    if differ_in_numbers:
        return [one.value for one in amounts]
    measured = [_UNITS.get(one.replace(" ", "")) for one in after]
    known = [one for one in measured if one is not None]
    if len(known) < len(amounts) or len({dimension for dimension, _size in known}) > 1:
        return []
    return [one.value * size for one, (_dimension, size) in zip(amounts, known, strict=True)]


@lru_cache(2048)
def amount(text: str) -> Amount | None:
    """Return the only number of an option, with the text around it; None unless there is exactly one."""
    if not _ANY_NUMBER.search(words.bare(text)):
        return None
    if words.has_han_alone(text):
        return _amount_in(text, [*_HAN_NUMBER.finditer(text)])
    plain = _THOUSANDS.sub("", _LETTER.sub("", words.bare(text))).replace("$", "").replace(r"\%", "%")
    plain = _FRACTION.sub("/", plain)
    return _amount_in(plain, [*_NUMBER.finditer(plain)] or [*_HAN_NUMBER.finditer(plain)])


def _amount_in(plain: str, found: Sequence[re.Match[str]]) -> Amount | None:
    if len(found) != 1 or (value := _value(found[0][0])) is None:
        return None
    return Amount(value, plain[: found[0].start()].strip(), plain[found[0].end() :].strip())


def _value(text: str) -> float | None:
    if text[-1].isdigit() and text[-1].isascii():
        top, _slash, bottom = text.replace("\u2212", "-").partition("/")
        return float(top) / (float(bottom) or 1.0) if bottom else float(top)
    return _han_value(text)


def _han_value(text: str) -> float | None:
    """Return the value of a Chinese number below ten thousand; None for other texts."""
    if text == "半":
        return 0.5
    total, digit = 0, 0
    for sign in text:
        if sign in _DIGITS:
            digit = _DIGITS[sign]
        elif sign in _TENS:
            total, digit = total + (digit or 1) * _TENS[sign], 0
        else:
            return None
    return float(total + digit)


# --- The kind of phrase of an option, guessed by the form of its words: short English phrases only ---

LONGEST: Final = 8
"""The most words of a phrase whose kind is guessed; longer phrases may be of any kind."""

NOUN: Final = "noun"
VERB: Final = "verb"
THIRD: Final = "third"
PARTICIPLE: Final = "participle"
ADJECTIVE: Final = "adjective"
ADVERB: Final = "adverb"
CLAUSE: Final = "clause"
PLACE: Final = "place"
NUMBER: Final = "number"

_WORD: Final = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*|\d[\d.,:/]*")
_LETTER_AND_SPACE: Final = re.compile(r"^\(?[a-h][).]\s+")
_ADJECTIVE: Final = re.compile(r"\w{2,}(?:ous|ful|less|able|ible|ical|ish|tive|ary)$")
_MAY_BE_ADJECTIVE: Final = re.compile(r"\w{3,}ic$")
_OTHER: Final = re.compile(r"[$\\{}=^]|\w, \w")
"""Formulas, and lists with commas."""

_NO_SORT: Final = FINITE | {"yes", "no", "true", "false"} | PRONOUNS | DETERMINERS
_ONLY_VERBS: Final = VERBS - ALSO_NOUNS
_BEFORE_OBJECTS: Final = DETERMINERS | PARTICLES
_AFTER_VERBS: Final = _BEFORE_OBJECTS | PREPOSITIONS | PRONOUNS | {"to"}
_AFTER_ADJECTIVES: Final = PREPOSITIONS | {"now", "again", "enough", "to", "than"}

Shapes = frozenset[str]
ANY: Final[Shapes] = frozenset()


@lru_cache(2048)
def shapes(text: str) -> Shapes:
    """Return the kinds of phrase that a text may be; an empty set if this is undecided."""
    plain = _LETTER_AND_SPACE.sub("", words.bare(text))
    tokens = _WORD.findall(plain)
    if not tokens or len(tokens) > LONGEST or words.is_han(tokens[0]) or _OTHER.search(plain):
        return ANY
    while len(tokens) > 1 and tokens[0] in INTENSIFIERS:
        tokens = tokens[1:]
    if tokens[0][0].isdigit():
        return frozenset({NUMBER}) if len(tokens) <= 3 else ANY
    found = _of_word(tokens[0]) if len(tokens) == 1 else _of_phrase(tokens)
    if found and len(tokens) > 2 and text.rstrip().endswith("."):
        found.add(CLAUSE)  # ends like a sentence
    return frozenset(found)


def _of_word(word: str) -> set[str]:
    if word in _NO_SORT:
        return set()
    found = {VERB} if word in VERBS else set()
    if word in ALSO_NOUNS:
        found.add(NOUN)
    if _is_adjective(word) and word not in VERBS:
        found.add(ADJECTIVE)
    if _MAY_BE_ADJECTIVE.match(word):
        found |= {ADJECTIVE, NOUN}
    if word in PAST:
        found.add(PARTICIPLE)
    if word.endswith("ly") and len(word) > 5 and word not in ADJECTIVES:
        found.add(ADVERB)
    if word.endswith("ed") and len(word) > 4:
        found |= {PARTICIPLE, ADJECTIVE}
    if word.endswith("s") and _base(word) in _ONLY_VERBS:
        found |= {THIRD, NOUN}
    if word.endswith("ing") and len(word) > 5:
        found |= {PARTICIPLE, NOUN, ADJECTIVE}
    return found or {NOUN}


def _base(word: str) -> str:
    base = word.removesuffix("s")
    return base if base in VERBS else base.removesuffix("e")


def _of_phrase(tokens: list[str]) -> set[str]:
    return _by_first_word(tokens[0], tokens[1]) or _by_all_words(tokens)


def _by_first_word(first: str, second: str) -> set[str]:
    """Return the kinds of phrase that the first two words suggest."""
    takes_object = second in _BEFORE_OBJECTS
    if first in {"because", "if", "when", "that"} or first in PRONOUNS:
        return {CLAUSE}
    if first == "to":
        return {VERB}
    if first in PREPOSITIONS or (first in PARTICLES and second in PREPOSITIONS):
        return {PLACE}
    if first in {"is", "has", "does"}:
        return {THIRD}
    if first in FINITE:
        return {THIRD, PARTICIPLE} if first in {"had", "was", "were", "did"} else {THIRD, VERB}
    if first in VERBS and (takes_object or first not in ALSO_NOUNS):
        return {VERB} if first not in ADJECTIVES else {VERB, NOUN}
    return set()


def _by_all_words(tokens: list[str]) -> set[str]:
    first, rest = tokens[0], tokens[1:]
    is_clause = not FINITE.isdisjoint(rest)
    if is_clause and not first.endswith("ing"):
        return {CLAUSE, NOUN} if {"that", "which", "who"} & set(tokens) else {CLAUSE}
    if first in DETERMINERS:
        return {NOUN, CLAUSE} if any(map(_may_be_finite, tokens[2:])) else {NOUN}
    if first.endswith("ing") and len(first) > 5:
        return {PARTICIPLE, NOUN}
    return _by_ending(first, rest[0]) or _by_adjectives(tokens) or _of_noun_phrase(tokens)


def _by_ending(first: str, second: str) -> set[str]:
    """Return the kinds of phrase of a text that begins with a verb form such as "went" or "runs"."""
    opens = second in _AFTER_VERBS
    if first in PAST or (first.endswith("ed") and opens):
        return {PARTICIPLE, ADJECTIVE, THIRD}
    if first.endswith("s") and (opens or second.endswith("ing") or _base(first) in VERBS):
        return {THIRD} if second in _BEFORE_OBJECTS else {THIRD, NOUN, CLAUSE}
    return set()


def _by_adjectives(tokens: list[str]) -> set[str]:
    """Return `ADJECTIVE` for an adjective with a complement ("afraid of dogs") or a list of adjectives."""
    leads = _is_adjective(tokens[0]) and tokens[1] in _AFTER_ADJECTIVES
    is_list = _is_adjective(tokens[-1]) and all(_is_adjective(one) or one in {"and", "or"} for one in tokens)
    return {ADJECTIVE} if leads or is_list else set()


def _of_noun_phrase(tokens: list[str]) -> set[str]:
    first, rest = tokens[0], tokens[1:]
    if first in VERBS:
        return {VERB, NOUN}
    if first.endswith("ly"):
        return _of_phrase(rest) if len(rest) > 1 else _of_word(rest[0])
    return {NOUN, CLAUSE} if any(map(_may_be_finite, rest)) else {NOUN}


@lru_cache(16_384)
def _may_be_finite(word: str) -> bool:
    return (
        word in PAST or word in VERBS or (word.endswith("s") and _base(word) in VERBS) or word.endswith("ed")
    )


@lru_cache(16_384)
def _is_adjective(word: str) -> bool:
    return word in ADJECTIVES or bool(_ADJECTIVE.match(word))
