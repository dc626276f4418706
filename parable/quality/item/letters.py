"""Checks of letters in stems and explanations: they give the key away, or name another one."""

import re
from collections.abc import Iterator
from typing import ClassVar, Final

from parable.formats.options import LETTERS
from parable.quality.finding import ERROR, Finding
from parable.quality.item import words
from parable.quality.item.base import EXPLANATION, STEM, Check, ItemView
from parable.sentences import gettext_noop as _

_LETTER: Final = r"[(（\[【“\"']?([a-z])(?![a-z'’])[)）\]】”\"']?"
_GIVEN: Final = re.compile(
    rf"(?:正确|标准|参考)?(?:答案|选项)\s*(?:是|为|应|该|选|[:：])+\s*{_LETTER}(?!\s*(?:和|与|或|、|,|到|以|吗|还))"
    rf"|(?:correct |right )?(?:answer|key|option)(?: is|:| should be| =)\s*(?:option "
    rf"|choice )?{_LETTER}\s*(?=$|[.,;:)\]?!])"
)
_IN_BRACKETS: Final = re.compile(
    rf"[?？:：.。是为{words.HAN}]\s*[(（]\s*([A-ZＡ-Ｚ])\s*[)）]\s*[.。?？]?\s*$"
)
_CHOSEN: Final = re.compile(
    rf"(?:故|所以|因此|应该?|本题|正确答案|答案|正确选项)\s*(?:正确)?(?:答案|选项)?(?:是|为|应为|应选|选择?)+[:：]?\s*(?:选项)?{_LETTER}(?!\s*(?:或|不|错|项?(?:错|不)))"
    rf"|(?:正确答案|答案)[:：]\s*(?:选项)?{_LETTER}"
    rf"|(?:^|[,，。;；\s])(?:选项)?{_LETTER}(?:项|选项)?(?:是|为)?(?:正确|对)的?(?:$|[,，。;；])"
    rf"|\b(?:correct |right |best )?(?:answer|key|choice) (?:is|should be|must be|:)\s*(?:option "
    rf"|choice )?{_LETTER}\s*(?=$|[.,;:)\]]| because| since| as )"
    rf"|\b(?:answer|key): ?(?:option |choice )?{_LETTER}\s*(?=$|[.,;:)\]]| because)"
    rf"|\b(?:option|choice|answer) {_LETTER} is (?:the )?(?:correct|right|best|true|key)"
    rf"|(?:^|[,，。;；])\s*选{_LETTER}"
    rf"|(?:^|[.;,] )(?:so |thus |hence )?{_LETTER} is (?:the )?(?:correct|right)(?= answer| option| choice"
    rf"| one|$|[.,;])"
)


class StemGivesLetter(Check):
    """The stem says which letter is the key."""

    id: ClassVar = "stem_gives_letter"
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

    def find(self, item: ItemView) -> Iterator[Finding]:
        """One finding at the stem."""
        letters = LETTERS[: len(item.options)]
        given = _named(_GIVEN, item.own_stem)
        bracketed = _IN_BRACKETS.search(item.own_stem)
        ours = words.fold(bracketed[1]).upper() if bracketed else ""
        if given and given in letters:
            yield self.at(STEM, letter=given)
        elif ours and ours == key_letter(item):
            yield self.at(STEM, letter=ours)


class ExplanationNamesOther(Check):
    """The explanation calls another option the right one."""

    id: ClassVar = "explanation_names_other"
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

    def find(self, item: ItemView) -> Iterator[Finding]:
        """One finding at the explanation."""
        key, named = key_letter(item), _named(_CHOSEN, item.explanation)
        if key and named and named != key and named in LETTERS[: len(item.options)]:
            yield self.at(EXPLANATION, named=named, key=key)


def key_letter(item: ItemView) -> str:
    """The letter of the key in the order in which the options stand."""
    places = [place for place, one in enumerate(item.options) if one.is_key]
    return LETTERS[places[0]] if len(places) == 1 and places[0] < len(LETTERS) else ""


def _named(pattern: re.Pattern[str], text: str) -> str:
    """The last letter that a text gives as the answer."""
    found = [match for match in pattern.finditer(words.fold(text)) if any(match.groups())] if text else []
    return next(one for one in found[-1].groups() if one).upper() if found else ""
