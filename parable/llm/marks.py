"""List marks: Arabic and Chinese numbers, letters, labels, bullets."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_HAN_NUMBER = "[一二三四五六七八九十]{1,3}"
_HAN_DIGITS = {digit: value for value, digit in enumerate("一二三四五六七八九十", start=1)}
_ROMAN = {
    roman: value
    for value, roman in enumerate(("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"), start=1)
}
_LABELS = (
    r"(?:错误|干扰|候选|备选)?(?:寓意|道理|选项|候选|答案|干扰项|启示|版本|方案)"
    r"|(?:(?:wrong|false|incorrect|alternative|possible) )?"
    r"(?:moral|option|lesson|candidate|distractor|answer|proposal|version|choice|no\.)"
)
_CIRCLED = "[①-⑳㉑-㉟⑴-⒇⒈-⒛❶-❿➀-➉➊-➓⓵-⓾㈠-㈩]"
_KEYCAP_TEN, _KEYCAP_TEN_IS = "\U0001f51f", 10
_STOP = r"\\?[.．、)）:：。]"

# Signs that may precede a mark: of quotation, heading or bold, a bullet, an opening quotation mark.
_BEFORE = re.compile(r"[ \t>]*(?P<heading>\#{1,6}[ \t]*)?(?:[-*•·+][ \t]+)?(?:\*\*|__)?[\"“]?")
_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("circled", re.compile(rf"({_CIRCLED})[ \t]*(?:[.．、:：])?")),
    ("keycap", re.compile("([0-9]|\U0001f51f)\u20e3?(?<=[\u20e3\U0001f51f])[.．、:：]?")),
    (
        "paren",
        re.compile(rf"[(（\[【［][ \t]*(\d{{1,2}}|{_HAN_NUMBER})[ \t]*[)）\]】］][ \t]*(?:[.．、:：])?"),
    ),
    ("arabic", re.compile(rf"#?(\d{{1,2}})[ \t]*(?:\*\*)?{_STOP}(?!\d)|#?(\d{{1,2}})[ \t]+[-–—][ \t]+")),
    (
        "ordinal",
        re.compile(rf"第[ \t]*(\d{{1,2}}|{_HAN_NUMBER})[条个则种项句点]?(?:{_LABELS})?[ \t]*[、.．:：,，]"),
    ),
    ("other_first", re.compile(rf"其({_HAN_NUMBER})[、:：,，]")),
    ("han", re.compile(rf"({_HAN_NUMBER})[ \t]*[、.．:：)）]")),
    (
        "label",
        re.compile(
            rf"(?:{_LABELS})[ \t]*\#?(\d{{1,2}}|{_HAN_NUMBER}|[A-H])[ \t]*(?:\*\*)?[ \t]*"
            r"(?:[.．、:：)）]|[-–—][ \t]|$)",
            re.IGNORECASE,
        ),
    ),
    ("letter", re.compile(r"[(（]?([A-Ha-h])[ \t]*(?:[.．、)）:：])(?![A-Za-z]\.)")),
    ("sum", re.compile(rf"({_HAN_NUMBER})是")),
    ("bare", re.compile(r"(\d{1,2})[ \t]+(?=[“\"A-Z\u4e00-\u9fff])")),
    ("roman", re.compile(r"[(（]?([ivxIVX]{1,4})[.．)）]")),
)
_BULLET = re.compile(
    r"(?P<indent>[ \t>]*)"
    r"(?:[*•·●○▪▫◦‣■□◆◇★☆✓✔✗✘➤→▶+▸–—-][ \t]+|[•·●○▪▫◦‣■□◆◇★➤▶▸]|-(?=[\u4e00-\u9fff“「]))"
    r"(?P<rest>\S.*)"
)
# Inside a line a mark counts only after white space or the end of a phrase.
_INLINE_BOUNDARY = re.compile(r"[\s:：。；;，,、!！?？.）)”\"]")
_INLINE_KINDS = frozenset({"circled", "keycap", "paren", "arabic", "han", "ordinal", "other_first", "sum"})
# These count only if another one follows: alone they are more likely the beginning of a sentence.
NEVER_ALONE = frozenset({"letter", "roman", "sum", "bare"})
_SURE_KINDS = _INLINE_KINDS - NEVER_ALONE | {"label"}
_LONGEST_INLINE = 5_000


@dataclass(frozen=True, slots=True)
class Mark:
    """A number or letter at the start of a line, and the text after it."""

    kind: str
    number: int
    heading: bool
    rest: str


@dataclass(frozen=True, slots=True)
class Bullet:
    """A bullet at the start of a line, and the text after it."""

    indent: int
    rest: str


def read_marks(line: str) -> tuple[Mark, ...]:
    """Return all readings of the start of a line as a numbered mark.

    Most lines have none or one.
    """
    before = _BEFORE.match(line)
    start = before.end() if before else 0
    heading = bool(before and before["heading"])
    marks: list[Mark] = []
    for kind, pattern in _KINDS:
        match = pattern.match(line, start)
        number = _number_of(next((group for group in match.groups() if group), "")) if match else None
        if match and number is not None:
            marks.append(Mark(kind, number, heading, line[match.end() :]))
    return tuple(marks)


def read_bullet(line: str) -> Bullet | None:
    """Return the bullet at the start of a line; None if there is none."""
    match = _BULLET.match(line)
    return Bullet(len(match["indent"].expandtabs(4)), match["rest"]) if match else None


def drop_mark(text: str) -> str:
    """Return a text without its number or bullet; the text must be one list item."""
    bullet = _BULLET.match(text)
    if bullet:
        return bullet["rest"]
    for mark in read_marks(text):
        if mark.kind in _SURE_KINDS and mark.rest.strip():
            return mark.rest
    return text


def split_inline(line: str) -> list[str]:
    """Return the lines of a list that is written on one line ("1. one 2. two 3. three"), one per item."""
    if len(line) > _LONGEST_INLINE:
        return [line]
    for kind, pattern in _KINDS:
        if kind in _INLINE_KINDS:
            starts = _find_sequence(line, pattern)
            if len(starts) > 1:
                parts = [
                    line[: starts[0]],
                    *(line[a:b] for a, b in zip(starts, [*starts[1:], None], strict=True)),
                ]
                return [part.strip() for part in parts if part.strip(" \t*_>#-")]
    return [line]


def _find_sequence(line: str, pattern: re.Pattern[str]) -> list[int]:
    starts: list[int] = []
    for match in pattern.finditer(line):
        before = line[: match.start()].rstrip("*_ \t")
        opens = not before
        after_phrase = _INLINE_BOUNDARY.match(line[match.start() - 1 : match.start()]) is not None
        circled = unicodedata.category(match[0][0]) == "No"
        number = _number_of(next((group for group in match.groups() if group), ""))
        if number == len(starts) + 1 and (opens or after_phrase or circled):
            starts.append(match.start())
    return starts


def _number_of(text: str) -> int | None:
    if text.isascii() and text.isdigit():
        return int(text)
    if text.lower() in _ROMAN:
        return _ROMAN[text.lower()]
    if text.isascii():
        return ord(text.lower()) - ord("a") + 1 if len(text) == 1 else None
    if text[0] in _HAN_DIGITS:
        tens, ten, ones = text.rpartition("十")
        if not ten:
            return _HAN_DIGITS[text] if len(text) == 1 else None
        return _HAN_DIGITS.get(tens, 1) * 10 + _HAN_DIGITS.get(ones, 0)
    return _KEYCAP_TEN_IS if text == _KEYCAP_TEN else int(unicodedata.numeric(text, 0.0))
