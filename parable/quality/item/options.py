"""Checks that compare the options: empty, equal, nearly equal, copied, or with typed letters."""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import ClassVar, Final

from parable.formats.limits import MAX_OPTIONS, MIN_OPTIONS
from parable.formats.option_marks import MAY_BE_MARK, typed_marks
from parable.kinds import KINDS, kind_of
from parable.quality.finding import ERROR, WARNING, Finding
from parable.quality.item import words
from parable.quality.item.base import OPTIONS, Check, ItemView, Requirement, option
from parable.quality.item.batch import Batch, at_line_start
from parable.sentences import gettext_noop as _

LONG: Final = 18
"""Weight (eighteen Chinese characters or nine words) from which one changed word is easily overlooked."""
LEAST_COPIED: Final = 6
"""Least weight of a quotation; shorter names and phrases occur in the story anyway."""

_STOPS: Final = " .。\u3000"
_PARTICLES: Final = "".join(sorted(words.PARTICLES))
_MARKED: Final = at_line_start(MAY_BE_MARK)


class NumberOfOptions(Requirement):
    """More or fewer options than required."""

    id: ClassVar = "number_of_options"
    trait: ClassVar = "has_options"
    name: ClassVar = _("Number of options")
    says: ClassVar = _("%(found)d options filled in; this project requires %(required)s.")
    looks_at: ClassVar = _("A form has as many options as the project requires, a file 2 to 26.")
    why: ClassVar = _("With fewer options the key is easier to guess.")
    fix: ClassVar = _("Add the missing options, or remove the extra ones.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the items of a form."""
        return batch.where(lambda item: item.spec)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about all options together."""
        if item.spec is None:
            return
        shared = max(map(len, kind_of(item.task).options.values()), default=0)
        found, required = len(item.filled), shared or item.spec.options
        if not (found == required if required else MIN_OPTIONS <= found <= MAX_OPTIONS):
            yield self.at(OPTIONS, found=found, required=str(required or f"{MIN_OPTIONS} – {MAX_OPTIONS}"))


class SharedOptions(Requirement):
    """Other options than the fixed ones of the task."""

    id: ClassVar = "shared_options"
    name: ClassVar = _("Fixed options")
    says: ClassVar = _("The options are fixed: %(options)s.")
    looks_at: ClassVar = _("Items of a task with fixed options, such as true or false, have these options.")
    why: ClassVar = _("Other wordings of the same options would tell items apart by form.")
    fix: ClassVar = _("Restore the options.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the items of tasks with fixed options."""
        fixed = {task for task, kind in KINDS.items() if kind.options}
        return batch.where(lambda item: item.task in fixed)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about all options together, ignoring order and language."""
        allowed = kind_of(item.task).options
        filled = sorted(one.text.strip() for _number, one in item.filled)
        if allowed and filled not in [sorted(options) for options in allowed.values()]:
            language = "zh" if item.is_chinese else "en"
            yield self.at(OPTIONS, options=" / ".join(allowed[language]))


class EmptyOption(Requirement):
    """An option that is blank."""

    id: ClassVar = "empty_option"
    fails_sets: ClassVar = True
    name: ClassVar = _("Empty option")
    says: ClassVar = _("Option %(number)d is empty.")
    looks_at: ClassVar = _("Options without visible characters; empty lines of a form do not count.")
    why: ClassVar = _("No one chooses an empty option, so the key is easier to guess.")
    fix: ClassVar = _("Write the option, or remove it.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the items with blank options."""
        return batch.where(lambda item: len(item.filled) < len(item.options))

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each empty option."""
        if len(item.filled) == len(item.options):
            return
        for number, one in enumerate(item.options, start=1):
            if item.spec is None and words.is_blank(one.text):
                yield self.at(option(number), number=number)


class EqualOptions(Requirement):
    """Two options that read the same."""

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
        """Return the items with a repeated or an unusual option."""
        repeated = [index for index, texts in enumerate(batch.bare) if len(frozenset(texts)) < len(texts)]
        return batch.typed_options.having(_UNUSUAL).union(repeated)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each option that repeats an earlier one."""
        first: dict[str, int] = {}
        for (number, _one), form in zip(item.filled, _forms(item.texts), strict=True):
            earlier = first.setdefault(form, number)
            if earlier != number:
                yield self.at(option(number), first=earlier, second=number)

    def is_sure(self, item: ItemView, finding: Finding) -> bool:
        """Return whether the options agree in case too, as foreign files may contain both "RR" and "Rr"."""
        first, second = (item.options[int(finding.params[name]) - 1].text for name in ("first", "second"))
        return first.strip(_STOPS) == second.strip(_STOPS)


_UNUSUAL: Final = re.compile(f"[^\\s -~{words.HAN}，。、；：？！“”‘’（）《》…—]")
"""A character that `words.bare` may not fold as `words.same_form` does."""


@lru_cache(64)
def _forms(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return normalised texts, equal for equal options; options that are only punctuation keep it."""
    plain = map(words.same_form, texts)
    return tuple(words.bare(form) or form for form in plain)


class NearOptions(Check):
    """Two options that are nearly equal."""

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
        """Return the items with options that begin or end alike, or that are not Chinese."""
        worded = batch.options.having(words.OTHER_UNIT)
        return [
            index for index, texts in enumerate(batch.bare) if index in worded or _have_common_ends(texts)
        ]

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each pair, about the later option; equal options have their own check."""
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

    Nearly equal texts do: they are equal, or long and differ in one place.
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
    """Return the units in which two texts differ, after removing their common beginning and end."""
    start = 0
    shorter = min(len(one), len(other))
    while start < shorter and one[start] == other[start]:
        start += 1
    end = 0
    while end < shorter - start and one[-1 - end] == other[-1 - end]:
        end += 1
    return one[start : len(one) - end] + other[start : len(other) - end]


class CopiedOption(Check):
    """A quotation from the story in only one option."""

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
        """Return the items with an option whose characters the story has in sequence, or with other words."""
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
    """A letter typed before an option."""

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
        """Return the items in which something that may be a mark begins a line."""
        return batch.typed_options.having(_MARKED)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each option with a letter, unless it may be the initial of a name."""
        places = [number for number, _one in item.filled]
        texts = ["" for _place in range(max(places, default=0))]
        for number, one in item.filled:
            texts[number - 1] = one.text
        for place, mark in typed_marks(texts).items():
            yield self.at(option(place + 1), number=place + 1, letter=mark.label)
