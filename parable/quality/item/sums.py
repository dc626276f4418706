"""Rules on options that refer to others: to all, to none, to some of them, or to numbered statements."""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import ClassVar, Final

from parable.quality.finding import Finding
from parable.quality.item import words
from parable.quality.item.base import OPTIONS, ItemView, RuleCheck, option
from parable.quality.item.batch import Batch, on_a_line
from parable.quality.item.meanings import ALL, NONE, SOME, meaning, speaking
from parable.sentences import gettext_noop as _

FEWEST_IN_ALL: Final = 3
"""Fewest letters or numbers in one option that may name all the others."""
LONGEST_PART: Final = 4
"""Most words of a part: "true", "not wrong", "glucose"; longer texts have content of their own."""
MOST_DISTINCT: Final = 0.6
"""Largest share of distinct parts for options to be combinations of parts."""

_ROMAN: Final = "viii|vii|vi|iv|v|iii|ii|i"
_LABEL: Final = rf"\(?(?:{_ROMAN}|[a-h]|[1-9])\)?"
_AND: Final = r"(?:\s*(?:[,、;&+和与及]|\band\b|\bor\b|\bnor\b)\s*)+"
_LABELS: Final = re.compile(
    rf"(?:both |neither |only |statements? |options? |选项|只有|仅)?(?P<labels>{_LABEL}(?:{_AND}{_LABEL})+)"
    r"(?:\s*(?:only|alone|both|all|are|is|都|均|皆|全部|correct|true|right|false|wrong|apply|正确|错误|对|是|的))*"
)
_LABELS_ON_A_LINE: Final = on_a_line(_LABELS)
_MAY_BE_LABEL: Final = re.compile(r"[\W\da-z和与及都均皆全部只有仅正确错误对是的选]")
"""A quick test for the beginning of labels, and of text around circled numbers."""
_ONE_ONLY: Final = re.compile(rf"(?:only |只有|仅)?(?:{_LABEL})(?: only| alone|都|对|是)?")
_SAYS_AND: Final = re.compile(r"\b(?:and|or|only|both)\b|[和与及]", re.IGNORECASE)
"""Words that distinguish "1 and 3" from the coordinates 1, 3."""
_ONE_LABEL: Final = re.compile(rf"(?<![a-z]){_LABEL}(?![a-z])")
_CIRCLED: Final = re.compile("[①-⑳]")
_AROUND_CIRCLED: Final = re.compile(r"[\s,，、;；和与及都均皆全部只有仅正确错误对是的。.]*")
_SPLIT: Final = re.compile(r"\s*[,;、;|]\s*|\s*(?<!\w)\(?(?:[a-h]|[1-9])[).]\s+")
_MAY_SPLIT: Final = re.compile("[,;、|).]")
_JOINT: Final = re.compile(r"[,、;/&+和与及]|\band\b|\bor\b")
_JOINED: Final = re.compile(rf"\s*(?:{_JOINT.pattern})\s*")


class AllOption(RuleCheck):
    """An option that means all the others."""

    id: ClassVar = "all_option"
    rule: ClassVar = "no_all_of_the_above"
    name: ClassVar = _("“All of the above” by meaning")
    says: ClassVar = _("Option %(number)d means that all the others are correct.")
    looks_at: ClassVar = _(
        "Options such as “all of the above”, “all of these”, “A, B and C are correct”, or all"
        " the numbered sentences of the stem."
    )
    why: ClassVar = _(
        "Readers who see that two options are correct know the key; one incorrect option rules it out."
    )
    fix: ClassVar = _("Write an independent option.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the items with an option that refers to others."""
        return speaking(batch) | labelled(batch)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each option that means all the others."""
        others = len(item.filled) - 1
        for number, one in item.filled:
            if meaning(one.text) == ALL or _names_all(one.text, others, item.stem):
                yield self.at(option(number), number=number)


def _names_all(text: str, others: int, stem: str) -> bool:
    """Return whether an option lists all others by letter, or all numbered statements of the stem."""
    named = labels(text)
    if len(named) < FEWEST_IN_ALL:
        return False
    return len(named) == others if named[0] in "abcdefgh" else _last_of(stem) == named[-1]


@lru_cache(1)  # several checks ask for the same batch
def labelled(batch: Batch) -> frozenset[int]:
    """Return the items of a batch with an option that may consist of `labels`."""
    return frozenset(batch.options.having(_LABELS_ON_A_LINE) | batch.typed_options.having(_CIRCLED))


@lru_cache(2048)
def labels(text: str) -> tuple[str, ...]:
    """Return the letters or numbers of which an option consists, if there are at least two, else ()."""
    if not _MAY_BE_LABEL.match(words.bare(text)):
        return ()
    circled = [] if text.isascii() else _CIRCLED.findall(text)
    if len(circled) > 1 and _AROUND_CIRCLED.fullmatch(_CIRCLED.sub("", text)):
        return tuple(circled)
    match = _LABELS.fullmatch(words.bare(text))
    found = tuple(one.strip("()") for one in _ONE_LABEL.findall(match["labels"])) if match else ()
    return () if found and found[0].isdigit() and not _SAYS_AND.search(text) else found


def names_one(text: str) -> bool:
    """Return whether an option is one letter or number, like "II only"."""
    return bool(_ONE_ONLY.fullmatch(words.bare(text)))


def _last_of(stem: str) -> str:
    """Return the last label that numbers a statement of the stem; "" if there is none."""
    circled: list[str] = _CIRCLED.findall(stem)
    found: list[str] = re.findall(rf"(?<![\w.])\(?({_ROMAN}|[1-9])[).:]", words.fold(stem))
    return (circled or found or [""])[-1]


class NoneOption(RuleCheck):
    """An option that means none of the others."""

    id: ClassVar = "none_option"
    rule: ClassVar = "no_none_of_the_above"
    name: ClassVar = _("“None of the above” by meaning")
    says: ClassVar = _(
        "Option %(number)d means that no other option is correct, or that the answer cannot be known."
    )
    looks_at: ClassVar = _(
        "Options such as “none of the above”, “none”, “neither” or “cannot be determined”."
    )
    why: ClassVar = _("Choosing it shows knowledge of what is wrong, not of what is right.")
    fix: ClassVar = _("Write an independent option.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the items with an option that refers to others."""
        return speaking(batch)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each option that means none of the others."""
        for number, one in item.filled:
            if meaning(one.text) == NONE:
                yield self.at(option(number), number=number)


class CombinedOptions(RuleCheck):
    """Options that are combinations of other options or parts."""

    id: ClassVar = "combined_options"
    rule: ClassVar = "avoid_k_type"
    name: ClassVar = _("Combined options")
    says: ClassVar = _("The options combine other options or numbered sentences.")
    looks_at: ClassVar = _(
        "Options made of letters or numbers (“A and B only”, “I and III”, “①③”), of other"
        " options, or of a few parts in different combinations (“true, false”)."
    )
    why: ClassVar = _("Readers who know one part rule out half of the options; the item then tests logic.")
    fix: ClassVar = _("Ask about one thing, and let each option give one answer.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the items with an option that refers to others, or joins several parts."""
        return speaking(batch) | labelled(batch) | batch.options.having(_JOINT, _MAY_SPLIT)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about all options together."""
        texts = [one.text for _number, one in item.filled]
        if any(_is_combined(text, texts) for text in texts) or _joins_others(texts) or _recur(texts):
            yield self.at(OPTIONS)


def _is_combined(text: str, texts: Sequence[str]) -> bool:
    """Return whether an option combines some of the others; naming all by letter is another rule."""
    is_all = _names_all(text, len(texts) - 1, "")
    return meaning(text) == SOME or (bool(labels(text)) and not is_all)


def _joins_others(texts: Sequence[str]) -> bool:
    """Return whether an option joins two or more of the others."""
    known = {words.bare(text) for text in texts}
    for text in known:
        if any(other in text for other in known if other is not text) and _JOINED.search(text):
            parts = {part for part in _JOINED.split(text) if part}
            if len(parts) > 1 and parts <= known:
                return True
    return False


def _recur(texts: Sequence[str]) -> bool:
    """Return whether options are lists of a few recurring parts."""
    lists: list[tuple[str, ...]] = []
    for text in texts:
        if not meaning(text):
            lists.append(_parts(text))
            if len(lists[-1]) < 2:
                return False
    if len(lists) < 3:
        return False
    found = [part for parts in lists for part in parts]
    short = all(len(words.units(part)) <= LONGEST_PART and words.units(part) for part in found)
    worded = 2 * sum(part[0].isalpha() for part in found) >= len(found)
    return short and worded and len(set(found)) <= MOST_DISTINCT * len(found)


def _parts(text: str) -> tuple[str, ...]:
    plain = words.bare(text)
    if not _MAY_SPLIT.search(plain):
        return (plain,) if plain else ()
    return tuple(part for part in _SPLIT.split(plain) if part)
