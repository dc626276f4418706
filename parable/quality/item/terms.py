"""Rules on words in options that claim too much, or are too vague."""

from collections.abc import Collection, Iterator
from typing import ClassVar, Final

from parable.kinds import kind_of
from parable.quality.finding import Finding
from parable.quality.item import words
from parable.quality.item.base import ItemView, RuleCheck, option
from parable.quality.item.batch import Batch
from parable.quality.item.meanings import meaning
from parable.quality.item.sums import labels, names_one
from parable.quality.item.words import Terms
from parable.sentences import gettext_noop as _

LONGEST_CLAIM: Final = 16
"""Most words (or half the Chinese characters) of an option in which such a word matters."""

_ABSOLUTE_CHINESE: Final = (
    "(?:一定|必须|必然|必定|必将|绝对|永远|永不|从不|从来都?|总是|绝不|决不|凡是|一切|百分之百"
    "|任何(?:人|时候|情况|地方|东西|事)|所有(?:的?人|动物|时候|地方|情况))"
)
_ABSOLUTE: Final = (
    f"(?<![不未非自]){_ABSOLUTE_CHINESE}(?!不是|程度|意义)"
    r"|(?<!not )(?<!almost )(?<!nearly )(?<!after )(?<!at )(?<!above )(?<!over )(?<!in )(?<!of )"
    r"\b(?:always|never|all(?! (?:night|day|but|over|right)\b)|every(?! (?:few|other|\d+|second|third)\b)"
    r"|everyone"
    r"|everybody|everything|nobody|nothing|only|must|completely|absolutely|entirely|entire|totally|certainly"
    r"|definitely|forever|impossible|no one|any|undoubtedly|invariably|wholly|solely|without exception)\b"
)
_VAGUE_CHINESE: Final = (
    "(?:常常|往往|通常|有时候?|大概|大约|也许|或许|一般来说|一般会|大多数?|多数|少数|某些|某种|若干"
    "|几乎|差不多|偶尔|较多|较少)"
)
_VAGUE: Final = (
    f"(?<!不){_VAGUE_CHINESE}"
    r"|(?<!the )(?<!at )(?<!as )(?<!how )(?<!too )(?<!so )"
    r"\b(?:often|usually|sometimes|generally|many|mostly|few|frequently|several|rarely|seldom|typically"
    r"|commonly|normally|probably|perhaps|various|occasionally|may(?! \d)|might|possibly|almost"
    r"|some(?! of the)"
    r"|most(?! (?:likely|recent|\w+(?:ed|ful|ing|ant|ive|mon|ous|ent|al)\b)))\b"
)

_ABSOLUTE_TERMS: Final = Terms.of(
    _ABSOLUTE,
    _ABSOLUTE_CHINESE,
    "always never all every everyone everybody everything nobody nothing only must completely"
    " absolutely entirely entire totally certainly definitely forever impossible no any"
    " undoubtedly invariably wholly solely without",
)
_VAGUE_TERMS: Final = Terms.of(
    _VAGUE,
    _VAGUE_CHINESE,
    "often usually sometimes generally many mostly few frequently several rarely seldom"
    " typically commonly normally probably perhaps various occasionally may might possibly"
    " almost some most",
)


class AbsoluteTerms(RuleCheck):
    """An option with an absolute claim, about all times or all cases."""

    id: ClassVar = "absolute_terms"
    rule: ClassVar = "no_absolute_terms"
    name: ClassVar = _("Absolute words in an option")
    says: ClassVar = _("Option %(number)d makes an absolute claim: “%(word)s”.")
    looks_at: ClassVar = _(
        "Options, including the key, with “always”, “never”, “only”, “all” and similar words."
    )
    why: ClassVar = _(
        "One exception makes an absolute claim false, so readers rule it out without the story."
    )
    fix: ClassVar = _("Limit the claim to the case in the story.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the items whose options have an absolute word."""
        return _ABSOLUTE_TERMS.candidates(batch)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each option with an absolute claim; moral items have a check of their own."""
        yield from _said(self, item, _ABSOLUTE_TERMS)


class VagueTerms(RuleCheck):
    """An option that does not say how often or how many."""

    id: ClassVar = "vague_terms"
    rule: ClassVar = "no_vague_terms"
    name: ClassVar = _("Vague words in an option")
    says: ClassVar = _("Option %(number)d is vague: “%(word)s”.")
    looks_at: ClassVar = _("Options with “often”, “some”, “many”, “may” and similar words.")
    why: ClassVar = _("Readers understand such words differently, and cautious options are more often keys.")
    fix: ClassVar = _("Say how many or how often, or remove the word.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the items whose options have a vague word."""
        return _VAGUE_TERMS.candidates(batch)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each option with a vague word."""
        yield from _said(self, item, _VAGUE_TERMS)


def _said(check: RuleCheck, item: ItemView, terms: Terms) -> Iterator[Finding]:
    """Yield one finding for each short option with one of these terms, unless all options have one."""
    if kind_of(item.task).key_from_moral:
        return  # a moral is a claim about all cases, or hedged as one
    if not terms.may_be_in(item.texts):
        return
    compared = [(number, one.text) for number, one in item.filled if not _is_about_options(one.text)]
    found = {
        number: match
        for number, text in compared
        if (match := _short(text) and terms.pattern.search(words.fold(text)))
    }
    if len(found) < max(2, len(compared)):
        for number, match in found.items():
            yield check.at(option(number), number=number, word=match[0])


def _short(text: str) -> bool:
    return words.weight(words.units(text)) <= 2 * LONGEST_CLAIM


def _is_about_options(text: str) -> bool:
    return bool(meaning(text) or labels(text) or names_one(text))
