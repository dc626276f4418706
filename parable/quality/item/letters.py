"""Checks of letters in stems and explanations that reveal the key or name another option."""

import re
from collections.abc import Collection, Iterator
from typing import ClassVar, Final

from parable.formats.option_marks import LETTERS
from parable.quality.finding import ERROR, Finding
from parable.quality.item import words
from parable.quality.item.base import EXPLANATION, STEM, Check, ItemView
from parable.quality.item.batch import Batch, by_lines
from parable.sentences import gettext_noop as _

_LETTER: Final = r"[(（\[【“\"']?([a-z])(?![a-z'’])[)）\]】”\"']?"
_ANSWER: Final = "答案|选项"
_ANSWER_ENGLISH: Final = "answer|key|option"
_SPEAKS_OF_ANSWER: Final = re.compile(f"{_ANSWER}|{_ANSWER_ENGLISH}")
_GIVEN: Final = re.compile(
    rf"(?:正确|标准|参考)?(?:{_ANSWER})\s*(?:是|为|应|该|选|[:：])+\s*{_LETTER}(?!\s*(?:和|与|或|、|,|到|以|吗|还))"
    rf"|(?:correct |right )?(?:{_ANSWER_ENGLISH})(?: is|:| should be| =)\s*(?:option "
    rf"|choice )?{_LETTER}\s*(?=$|[.,;:)\]?!])"
)
_IN_BRACKETS: Final = re.compile(
    rf"[?？:：.。是为{words.HAN}]\s*[(（]\s*([A-ZＡ-Ｚ])\s*[)）]\s*[.。?？]?\s*$"
)
_IN_BRACKETS_OF_LINES: Final = by_lines(_IN_BRACKETS)
_ALONE: Final = rf"{_LETTER}(?!\s*(?:和|与|还是|或|、|/|&|,? ?and |,? ?or )\s*[(（]?[a-z](?![a-z]))"
"""A letter that is not part of a list of letters such as "A and B" or "B、C"."""
_ENDS: Final = r"\s*(?=$|[.,;:!)\]\-–—]|\(| because| since| as | for | due | which | when | given )"
_THEN: Final = r"(?:so|thus|hence|therefore|consequently|accordingly|then|that is why|which is why)"
_RIGHTLY: Final = r"(?:correct|right|best|true|proper|appropriate)"
_ENGLISH: Final = (
    # As in: The best choice would be (B). The correct answer is B. Ans. B.
    (
        rf"\b(?:answer|key|choice|option|solution|ans)\.?(?: here| to (?:this|the) (?:question|item))?"
        rf"(?:\s*[:=]|\s+[-–—]|\s*->| (?:is|was|must be|has to be|should be|would be|will be|can only be))"
        rf" ?(?:therefore |thus |clearly |only )?(?:option |choice |letter |answer )?{_ALONE}{_ENDS}"
    ),
    rf"\b(?:ans|answer|correct|key)\.? {_ALONE}(?=$|[.,;!])",
    rf"^{_RIGHTLY}(?: answer| option| choice)?\s*[:=]\s*{_ALONE}{_ENDS}",
    # As in: B is correct. Option B is therefore the only right one. Only B fits the story.
    (
        rf"(?:^|\b{_THEN},? |\b(?:that|and|but|only|option|choice|answer|statement) |\()"
        rf"(?:only )?(?:option |choice |answer )?{_ALONE} (?:alone )?(?:is|must be|has to be|was)"
        rf" (?:therefore |thus |hence |clearly |indeed |the )*(?:only |single |most )*"
        rf"(?:{_RIGHTLY}|answer|key|one that (?:fits|is {_RIGHTLY}))\b"
    ),
    rf"\b(?:only|option|choice|answer) {_ALONE} (?:fits|matches|agrees with|explains|works|applies)\b",
    rf"^(?:{_THEN},? )?{_ALONE} (?:fits best|fits the story|matches the story|is it)\b",
    # As in: Hence B. Therefore we choose B. That leaves B.
    rf"\b{_THEN},?(?: it is| it must be| it's)? (?:option |choice |answer )?{_ALONE}(?=$|[.,;!])",
    (
        rf"(?:^|\b(?:we|i|you|must|should|{_THEN}),? )(?:choose|chose|pick|select|go for|go with)"
        rf" (?:option |choice |answer )?{_ALONE}{_ENDS}"
    ),
    (
        rf"\b(?:leaves|leaving|leaves us with|leaving us with|left with)(?: only)?"
        rf" (?:option |choice |answer )?{_ALONE}{_ENDS}"
    ),
    rf"^{_ALONE},? (?:because|since|as the|as it)\b",
)
_CHINESE: Final = (
    # 正确答案是B、答案：B、答案B
    rf"(?:答案|选项)[】\]]?(?:应该?|就|只能|自然|显然)*(?:是|为|选|在|[:：=])*(?<=[是为选在:：=】\]])\s*(?:选项)?{_ALONE}",
    rf"答案{_ALONE}(?=$|[,，.。;；])",
    # 故选B、所以本题应选B、综上，B
    (
        rf"(?:故|所以|因此|因而|综上(?:所述)?|可知|可见|本题|此题|应该?|只能|只有|当|须|需|则|正确的?)"
        rf"[,，]?(?:本题|此题)?(?:应该?|可|只能|当)?(?:选择?|是|为)(?:选项)?{_ALONE}"
    ),
    rf"(?:^|[,，.。;；:：\s])(?:我们?)?选(?:择|项)?{_ALONE}(?=$|[,，.。;；!]|项|选项|因为)",
    rf"(?:故|所以|因此|综上(?:所述)?)[,，]?{_ALONE}(?=$|[.。;；])",
    # B正确、B项是对的、只有B符合原文、B才是答案
    (
        rf"(?:^|[,，.。;；:：\s]|故|所以|因此|只有|可知|可见|而|选项|综上)(?:选项)?{_ALONE}(?:项|选项)?"
        rf"(?:才|就|最|便)?(?:是|为)?(?:正确|对的?(?=$|[,，.。;；])|符合|合适|恰当|合理|正解|(?:本题)?(?:的)?(?:正确)?答案)"
    ),
)
_IF: Final = re.compile(
    r"\b(?:if|unless|suppose|why|whether|not|n't|wrong|incorrect|seems?|looks?|might|may|could|some|many)\b|n't\b"
    r"|若|如果|假如|假设|即使|是否|为何|为什么|看似|似乎|误选|错选|易选|容易|不能选|不选|不应|不是|不正确|不对|错误"
)
_ASSERTS: Final = tuple(re.compile(pattern) for pattern in (*_ENGLISH, *_CHINESE))
_SENTENCE: Final = re.compile(r"[。;；!！?？\n]|(?<!\bans)\.(?=\s|$)")


def answer_named(explanation: str) -> str:
    """Return the last letter that an explanation states as the answer; "" if it states none.

    Clauses that suppose, doubt or deny an answer are skipped.
    """
    named = ""
    for sentence in _SENTENCE.split(words.fold(explanation)):
        plain = " ".join(sentence.split())
        found = [match for pattern in _ASSERTS for match in pattern.finditer(plain) if any(match.groups())]
        for match in sorted(found, key=lambda one: one.end()):
            begins = max(plain.rfind(sign, 0, match.start() + 1) for sign in ",，:：") + 1
            if not _IF.search(plain[begins : match.end()]):
                named = next(letter for letter in match.groups() if letter).upper()
    return named


class StemGivesLetter(Check):
    """Find stems that state a letter as the answer."""

    id: ClassVar = "stem_gives_letter"
    reads_words: ClassVar = True
    reveals_key: ClassVar = True
    fails_sets: ClassVar = True
    name: ClassVar = _("Stem gives the letter")
    severity: ClassVar = ERROR
    says: ClassVar = _("The stem gives the answer as a letter: %(letter)s.")
    looks_at: ClassVar = _(
        "“Answer: B” or “the answer is B” in the stem, or the letter of the key in brackets at its end."
    )
    why: ClassVar = _(
        "The stem gives the answer away; once a release has reordered the options, it gives a wrong one."
    )
    fix: ClassVar = _("Remove the letter.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items whose stems mention an answer, or end with a letter in brackets."""
        return batch.stems.having(_SPEAKS_OF_ANSWER) | batch.typed_stems.having(_IN_BRACKETS_OF_LINES)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about the stem, if it states a letter or ends with the key's letter."""
        letters = LETTERS[: len(item.options)]
        named = [match for match in _GIVEN.finditer(words.fold(item.own_stem)) if any(match.groups())]
        given = next(letter for letter in named[-1].groups() if letter).upper() if named else ""
        bracketed = _IN_BRACKETS.search(item.own_stem)
        ours = words.fold(bracketed[1]).upper() if bracketed else ""
        if given and given in letters:
            yield self.at(STEM, letter=given)
        elif ours and ours == key_letter(item):
            yield self.at(STEM, letter=ours)


class ExplanationNamesOther(Check):
    """Find explanations that state another option than the key as the answer."""

    id: ClassVar = "explanation_names_other"
    reads_words: ClassVar = True
    reveals_key: ClassVar = True
    fails_sets: ClassVar = True
    name: ClassVar = _("Explanation names another option")
    severity: ClassVar = ERROR
    says: ClassVar = _("The explanation gives %(named)s as the answer; the key is %(key)s.")
    looks_at: ClassVar = _(
        "“The answer is B”, “B is correct” in the explanation, where the key is another option."
    )
    why: ClassVar = _("Either the key or the explanation is wrong.")
    fix: ClassVar = _("Correct the key or the explanation. Refer to options by their text, not by letter.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items with an explanation."""
        return batch.where(lambda item: item.explanation)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about the explanation, if it states another letter than the key's."""
        if not item.explanation:
            return
        key, named = key_letter(item), answer_named(item.explanation)
        if key and named and named != key and named in LETTERS[: len(item.options)]:
            yield self.at(EXPLANATION, named=named, key=key)


def key_letter(item: ItemView) -> str:
    """Return the letter of the key in the current order of options; "" unless there is exactly one key."""
    places = [index for index, one in enumerate(item.options) if one.is_key]
    return LETTERS[places[0]] if len(places) == 1 and places[0] < len(LETTERS) else ""
