"""Checks of the wording of options and stems: references to other options, absolute and vague words.

More checks here are about combined options and negative stems.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import ClassVar, Final

from parable.kinds import kind_of
from parable.quality.finding import ERROR, WARNING, Finding
from parable.quality.item import words
from parable.quality.item.asked import BEFORE, asked
from parable.quality.item.base import OPTIONS, STEM, Check, ItemView, RuleCheck, option
from parable.quality.item.batch import Batch, on_a_line
from parable.quality.item.cues import ALL, NONE, SOME, meaning, refers, speaking, sums_up
from parable.quality.item.words import Terms
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
    """Find options that refer to other options by position or letter."""

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
        """Return the indexes of items with an option that refers to other options."""
        return speaking(batch)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each option that refers to other options by position or letter."""
        for number, one in item.filled:
            if refers(one.text):
                yield self.at(option(number), number=number)


class AllOrNone(Check):
    """Find options that only tell how many of the other options are right, without naming any."""

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
        """Return the indexes of items with an option that refers to other options."""
        return speaking(batch)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each option that sums up the others without a position or letter."""
        for number, one in item.filled:
            if sums_up(one.text) and not refers(one.text):
                yield self.at(option(number), number=number)


class AbsolutesInDistractors(Check):
    """Find distractors with absolute words such as “always” in items whose key has none."""

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
        """Return the indexes of items whose options have an absolute word."""
        return _TERMS.candidates(batch)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about all options, with the absolute words of the distractors."""
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


# --- Checks of words in options that claim too much, or are too vague ---

LONGEST_CLAIM: Final = 16
"""The most words (or half the Chinese characters) of an option in which an absolute or vague word matters."""

_CLAIMS_CHINESE: Final = (
    "(?:一定|必须|必然|必定|必将|绝对|永远|永不|从不|从来都?|总是|绝不|决不|凡是|一切|百分之百"
    "|任何(?:人|时候|情况|地方|东西|事)|所有(?:的?人|动物|时候|地方|情况))"
)
_CLAIMS: Final = (
    f"(?<![不未非自]){_CLAIMS_CHINESE}(?!不是|程度|意义)"
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
    _CLAIMS,
    _CLAIMS_CHINESE,
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
    """Find options that make a claim about all times or all cases."""

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
        """Return the indexes of items whose options have an absolute word."""
        return _ABSOLUTE_TERMS.candidates(batch)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each option with an absolute claim, except in items about morals."""
        yield from _said(self, item, _ABSOLUTE_TERMS)


class VagueTerms(RuleCheck):
    """Find options that are vague about how often or how many."""

    id: ClassVar = "vague_terms"
    rule: ClassVar = "no_vague_terms"
    name: ClassVar = _("Vague words in an option")
    says: ClassVar = _("Option %(number)d is vague: “%(word)s”.")
    looks_at: ClassVar = _("Options with “often”, “some”, “many”, “may” and similar words.")
    why: ClassVar = _("Readers understand such words differently, and cautious options are more often keys.")
    fix: ClassVar = _("Say how many or how often, or remove the word.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items whose options have a vague word."""
        return _VAGUE_TERMS.candidates(batch)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each option with a vague word, except in items about morals."""
        yield from _said(self, item, _VAGUE_TERMS)


def _said(check: RuleCheck, item: ItemView, terms: Terms) -> Iterator[Finding]:
    """Yield one finding for each short option with one of these terms, unless all options have a term.

    There are no findings in items about morals, which are claims about all cases.
    """
    if kind_of(item.task).key_from_moral:
        return  # a moral is a claim about all cases, sometimes with a vague word
    if not terms.may_be_in(item.texts):
        return
    compared = [
        (number, one.text)
        for number, one in item.filled
        if not (meaning(one.text) or labels(one.text) or names_one(one.text))  # about other options
    ]
    found = {
        number: match
        for number, text in compared
        if words.weight(words.units(text)) <= 2 * LONGEST_CLAIM
        and (match := terms.pattern.search(words.fold(text)))
    }
    if len(found) < max(2, len(compared)):
        for number, match in found.items():
            yield check.at(option(number), number=number, word=match[0])


# --- Checks of options that refer to other options (all, none or some) or to numbered statements ---

FEWEST_IN_ALL: Final = 3
"""The fewest letters or numbers of an option that lists all other options."""
LONGEST_PART: Final = 4
"""The most words of a part of an option: "true", "not wrong", "glucose"; longer texts are not parts."""
MOST_DISTINCT: Final = 0.6
"""Options are combinations of parts if at most this proportion of their parts is distinct."""

_ROMAN: Final = "viii|vii|vi|iv|v|iii|ii|i"
_LABEL: Final = rf"\(?(?:{_ROMAN}|[a-h]|[1-9])\)?"
_AND: Final = r"(?:\s*(?:[,、;&+和与及]|\band\b|\bor\b|\bnor\b)\s*)+"
_LABELS: Final = re.compile(
    rf"(?:both |neither |only |statements? |options? |选项|只有|仅)?(?P<labels>{_LABEL}(?:{_AND}{_LABEL})+)"
    r"(?:\s*(?:only|alone|both|all|are|is|都|均|皆|全部|correct|true|right|false|wrong|apply|正确|错误|对|是|的))*"
)
_LABELS_ON_A_LINE: Final = on_a_line(_LABELS)
_MAY_BE_LABEL: Final = re.compile(r"[\W\da-z和与及都均皆全部只有仅正确错误对是的选]")
"""A fast check for the beginning of labels, and for text around circled numbers."""
_ONE_ONLY: Final = re.compile(rf"(?:only |只有|仅)?(?:{_LABEL})(?: only| alone|都|对|是)?")
_SAYS_AND: Final = re.compile(r"\b(?:and|or|only|both)\b|[和与及]", re.IGNORECASE)
"""Words that show that an option lists labels: "1 and 3", but not the coordinates 1, 3."""
_ONE_LABEL: Final = re.compile(rf"(?<![a-z]){_LABEL}(?![a-z])")
_CIRCLED: Final = re.compile("[①-⑳]")
_AROUND_CIRCLED: Final = re.compile(r"[\s,，、;；和与及都均皆全部只有仅正确错误对是的。.]*")
_SPLIT: Final = re.compile(r"\s*[,;、;|]\s*|\s*(?<!\w)\(?(?:[a-h]|[1-9])[).]\s+")
_MAY_SPLIT: Final = re.compile("[,;、|).]")
_JOINT: Final = re.compile(r"[,、;/&+和与及]|\band\b|\bor\b")
_JOINED: Final = re.compile(rf"\s*(?:{_JOINT.pattern})\s*")


class AllOption(RuleCheck):
    """Find options that mean all the other options."""

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
        """Return the indexes of items with an option that refers to other options."""
        return speaking(batch) | labelled(batch)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each option that means all the other options."""
        others = len(item.filled) - 1
        for number, one in item.filled:
            if meaning(one.text) == ALL or _names_all(one.text, others, item.stem):
                yield self.at(option(number), number=number)


def _names_all(text: str, others: int, stem: str) -> bool:
    """Return whether an option lists all other options by letter, or all numbered statements of the stem."""
    named = labels(text)
    if len(named) < FEWEST_IN_ALL:
        return False
    if named[0] in "abcdefgh":
        return len(named) == others
    circled: list[str] = _CIRCLED.findall(stem)
    numbered: list[str] = re.findall(rf"(?<![\w.])\(?({_ROMAN}|[1-9])[).:]", words.fold(stem))
    return (circled or numbered or [""])[-1] == named[-1]


@lru_cache(1)  # several checks ask for the same batch
def labelled(batch: Batch) -> frozenset[int]:
    """Return the indexes of items with an option that consists of `labels`."""
    return frozenset(batch.options.having(_LABELS_ON_A_LINE) | batch.typed_options.having(_CIRCLED))


@lru_cache(2048)
def labels(text: str) -> tuple[str, ...]:
    """Return the letters or numbers of which an option consists.

    Return () unless there are at least two.
    """
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


class NoneOption(RuleCheck):
    """Find options that mean “none of the above” or “cannot be known”."""

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
        """Return the indexes of items with an option that refers to other options."""
        return speaking(batch)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each option that means “none of the above” or “cannot be known”."""
        for number, one in item.filled:
            if meaning(one.text) == NONE:
                yield self.at(option(number), number=number)


class CombinedOptions(RuleCheck):
    """Find options that are combinations of other options or parts."""

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
        """Return the indexes of items with an option that refers to other options, or joins several parts."""
        return speaking(batch) | labelled(batch) | batch.options.having(_JOINT, _MAY_SPLIT)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about all options, if they are combinations."""
        texts = [one.text for _number, one in item.filled]
        for text in texts:
            # `AllOption` checks options that name all others
            if meaning(text) == SOME or (labels(text) and not _names_all(text, len(texts) - 1, "")):
                yield self.at(OPTIONS)
                return
        if _joins_others(texts) or _recur(texts):
            yield self.at(OPTIONS)


def _joins_others(texts: Sequence[str]) -> bool:
    """Return whether an option joins two or more of the other options."""
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


# --- Check of stems that ask in the negative ---

_TRUE_OR_FALSE: Final = re.compile(
    r"\btrue or false\b|\bfalse or true\b|\bor not\b|(?<!\w)[\"“‘'][^\"”’']*[\"”’'](?!\w)"
    "|是否|对还是错|正确还是错误|是不是|能不能|会不会"
)
_AUXILIARY: Final = "(?:is|are|was|were|do|does|did|can|could|will|would|should|may|might|must|has|have|had)"
_ASKS_WHY: Final = re.compile("为什么|为何|怎么会?不|原因导致|就不会")
_ASKED_FOR: Final = (
    rf"(?:^|[,:;] )(?:{BEFORE} )*(?:what|which|who|whom|whose|where|when)\b"
    r"(?:(?! (?:if|when|because|whose|since|that|who|why|how) ).){0,80}?"
)
_NEGATIVE: Final = re.compile(
    rf"{_ASKED_FOR}\b(?:{_AUXILIARY}(?: (?!but\b|and\b|when\b|if\b|or\b)[\w']+){{0,2}} (?:not"
    rf"|never)\b(?! only| to\b| so much)|{_AUXILIARY}n't\b(?! (?:he|she|they|you|i|we|someone|people)\b)"
    rf"|cannot\b)"
    rf"|{_ASKED_FOR}.*\b(?:that|which)(?:'s| {_AUXILIARY})(?: not| never|n't)\b"
    r"|\bexcept(?: for| in)?(?: the| an?| which| what| one)*[:.?_ ]*$|\b(?:all|each|any"
    r"|both) of (?:the following|these)\b.*\b(?:except|but not)\b|\bexcluding what\b"
    r"|\bleast (?:likely|probable|accurate|correct|true|helpful|useful|appropriate|effective|consistent"
    r"|suitable|important|able|related|relevant)\b"
    rf"|\b(?:{_AUXILIARY}|be|statements?|options?|answer|claim) (?:\w+ly )?(?:false|incorrect|untrue"
    rf"|inaccurate)\b"
    r"|\b(?:false|incorrect|untrue|inaccurate) (?:statement|answer|option|one|about|of|regarding"
    r"|concerning)\b"
    r"|\bnot\b[^.?]{0,40}\b(?:is|are)[:_ ]*$|\b(?:is|are|do|does|did|will|can) not[:_ ]*$"
    rf"|^(?!.*\b(?:if|when|that|who|which|because|since|so)\b).*\b{_AUXILIARY} not(?: \w+){{1,4}}[:_ ]*$"
    r"|(?:最不|不太|不大|不)可能(?!.*(?:最可能|最有可能))|不会(?:发生|经历|出现|做)(?:什么|哪)"
    r"|不(?:正确|准确|恰当|符合|合理|属于|包括|包含|可能|太可能|大可能|会(?!影响|改变|妨碍|发生)|是|应该|应|能|一致|适合|对)"
    r"(?:的|[^,，。]{0,14}?的)?(?:一?[项个种条点]|选项|原因|事|说法|描述)?(?:是|有|为|会是)?(?:哪|什么|谁|怎|[:：?？(（_]|$)"
    r"|(?:哪|什么(?!原因)|谁|下列|以下|下面)[^,，。]{0,24}?(?:不(?!好|仅|但|同|如|久|断|得不|会?影响)|没有|(?<![出埋淹沉])没(?![收落])|未|错误|有误|除外|并非)"
    r"|(?:错误|有误|除外)的?(?:一?[项个种条]|选项|说法|描述)?(?:是|有|为)?(?:哪|什么|[:：?？(（_]|$)"
)
_MAY_BE_NEGATIVE: Final = re.compile(
    "not|n't|never|except|excluding|least|false|incorrect|untrue|inaccurate|[不没未]|错误|有误|除外|并非"
)
"""A fast check that matches every negative stem, and few other stems."""


class NegativeStem(RuleCheck):
    """Find stems that ask for the exception: which option is not right."""

    id: ClassVar = "negative_stem"
    rule: ClassVar = "avoid_negatives"
    name: ClassVar = _("Negative stem")
    says: ClassVar = _("The stem is negative: it asks for the exception.")
    looks_at: ClassVar = _(
        "Stems that ask which option is not correct: “not”, “except”, “false”, “least likely”."
    )
    why: ClassVar = _(
        "“Not” is easily overlooked, and spotting a wrong claim does not show knowledge of the right one."
    )
    fix: ClassVar = _("Ask for the option that is correct.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items whose stems have a word that may negate the question."""
        return batch.stems.having(_MAY_BE_NEGATIVE)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about the stem, if it asks in the negative."""
        last = asked(item.own_stem)
        if (
            not last.endswith((".", "!"))
            and _MAY_BE_NEGATIVE.search(last)
            and not _ASKS_WHY.search(last)
            and _NEGATIVE.search(_TRUE_OR_FALSE.sub(" ", last))
        ):
            yield self.at(STEM)
