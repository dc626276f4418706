"""Checks of the wording of options: those that refer to other options, and those with absolute words."""

from collections.abc import Collection, Iterator
from typing import ClassVar, Final

from parable.quality.finding import ERROR, WARNING, Finding
from parable.quality.item import words
from parable.quality.item.base import OPTIONS, Check, ItemView, option
from parable.quality.item.batch import Batch
from parable.quality.item.meanings import refers, speaking, sums_up
from parable.sentences import gettext_noop as _

_ABSOLUTE_CHINESE: Final = (
    "(?:一定|必须|必然|必定|必将|绝对|永远|永不|所有|任何|全部|从不|从来|只有|只能|唯一|总是|始终|毫无|毫不"
    "|完全|绝不|决不|无论|不可能|一切|每个|每一个|凡是|彻底|肯定)"
)
_ABSOLUTE: Final = (
    f"(?<!不)(?<!未)(?<!并非)(?<!不是){_ABSOLUTE_CHINESE}"
    r"|(?<!not )(?<!almost )(?<!nearly )(?<!after )(?<!at )"
    r"\b(?:always|never|all|every|everyone|everybody|everything|none|nobody|nothing|only|must|completely"
    r"|absolutely|entirely|totally|certainly|definitely|forever|impossible|no one)\b"
)
_TERMS: Final = words.Terms.of(
    _ABSOLUTE,
    _ABSOLUTE_CHINESE,
    "always never all every everyone everybody everything none nobody nothing only must"
    " completely absolutely entirely totally certainly definitely forever impossible no",
)
_MOST_NAMED: Final = 4


class AllOfTheAbove(Check):
    """An option that refers to other options by position or letter."""

    id: ClassVar = "all_of_the_above"
    reads_words: ClassVar = True
    name: ClassVar = _("“All of the above”")
    severity: ClassVar = ERROR
    says: ClassVar = _("Option %(number)d refers to other options by position or letter.")
    looks_at: ClassVar = _(
        "Options that say only “all of the above”, “none of the above”, “both A and B” or the like."
    )
    why: ClassVar = _(
        "A release reorders the options, so “above” or A may be wrong. Two correct"
        " options also give the answer away."
    )
    fix: ClassVar = _("Write an independent option.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the items with an option that refers to others."""
        return speaking(batch)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each option that refers to others by position or letter."""
        for number, one in item.filled:
            if refers(one.text):
                yield self.at(option(number), number=number)


class AllOrNone(Check):
    """An option that sums up the others without naming them."""

    id: ClassVar = "all_or_none"
    reads_words: ClassVar = True
    name: ClassVar = _("“All” or “none” as an option")
    severity: ClassVar = WARNING
    says: ClassVar = _("Option %(number)d only sums up the others.")
    looks_at: ClassVar = _("Options that say only “all of them”, “none of them”, “both”, “neither”.")
    why: ClassVar = _(
        "Such an option tests how many others are correct, not the story; it is seldom"
        " the key, and models know that."
    )
    fix: ClassVar = _("Write an option like the others, unless “all” or “none” is the point.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the items with an option that refers to others."""
        return speaking(batch)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each option that sums up the others without referring to their positions."""
        for number, one in item.filled:
            if sums_up(one.text) and not refers(one.text):
                yield self.at(option(number), number=number)


class AbsolutesInDistractors(Check):
    """Distractors with absolute words such as “always”, where the key has none."""

    id: ClassVar = "absolutes_in_distractors"
    reads_words: ClassVar = True
    reveals_key: ClassVar = True
    name: ClassVar = _("Absolute words in distractors only")
    severity: ClassVar = WARNING
    says: ClassVar = _("Distractors use absolute words (%(words)s); the key uses none.")
    looks_at: ClassVar = _(
        "At least half of the distractors, but not the key, say “always”, “never”,"
        " “must”, “all” and the like."
    )
    why: ClassVar = _(
        "Careful statements are more often true: readers who rule out every “always”"
        " find the key without the story."
    )
    fix: ClassVar = _("Word the distractors as carefully as the key.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the items whose options have an absolute word."""
        return _TERMS.candidates(batch)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about all options together, with the absolute words."""
        if item.key is None or not _TERMS.may_be_in(item.texts):
            return
        if _absolutes(item.key.text):
            return
        found = [own for one in item.distractors if (own := _absolutes(one.text))]
        if found and 2 * len(found) >= len(item.distractors):
            named = list(dict.fromkeys(word for own in found for word in own))
            yield self.at(OPTIONS, words=", ".join(named[:_MOST_NAMED]))


def _absolutes(text: str) -> list[str]:
    return _TERMS.pattern.findall(words.fold(text))
