"""Reads which options an answer names if several are right, or the order in which it puts all options.

The rules are those of `answers.py`: thinking is dropped, a final-answer marker decides, nothing is guessed.
An order counts only if it names every option once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from .answers import AMBIGUOUS, CHOSEN, CONTRADICTING, REFUSED, UNPARSED, plain_answer, read_answer
from .letters import lettered

_MARKER = re.compile(
    r"(?:final (?:answer|order)|(?:correct|right) order|answers?|order|sequence"
    r"|(?:最终|正确)?(?:答案|顺序|排序))\s*(?:should be|must be|is|are|是|为|应为|[:=]|->|→)\s*",
    re.IGNORECASE,
)
_SEPARATOR: Final = r"(?:[-=]?>|[→⇒<,;、/|–—.-]|\b(?:and )?then\b|\band\b|然后|再|接着|最后)"
_BETWEEN: Final = rf"\s{{0,8}}(?:{_SEPARATOR}\s{{0,8}}){{1,4}}"
_LETTER: Final = r"[(\[\"']?(?<![A-Za-z0-9])([A-Ha-h])(?![A-Za-z0-9])[)\]\"']?"
_CHAIN = lettered(rf"{_LETTER}(?:(?:{_BETWEEN}|[ \t]{{1,8}}){_LETTER}){{1,25}}", 0)
_RUN = lettered(r"(?<![A-Za-z0-9])([A-Ha-h]{2,26})(?![A-Za-z0-9])", 0)
_NUMBERED = lettered(
    r"^[ \t]{0,20}(?:\d{1,2}[.):、]|[-•*])[ \t]{0,20}[(\[]?([A-Ha-h])(?![A-Za-z0-9])", re.MULTILINE
)
_SINGLE = lettered(_LETTER, 0)
_APART: Final = re.compile(r"[\s()\[\].,;、，。；/|>→\-]+")
_FEW: Final = 8
"""If an item has more options than this, letters without separators may be a word."""


@dataclass(frozen=True, slots=True)
class SeveralReading:
    """The result of reading an answer: its outcome and the chosen options, from 0.

    `choices` is () unless the outcome is `chosen`.
    """

    outcome: str
    choices: tuple[int, ...] = ()


def read_several(text: str, options: Sequence[str]) -> SeveralReading:
    """Read leniently which options an answer chooses: one or several, in ascending order."""
    strictly = read_several_strictly(text, len(options))
    if strictly.outcome == CHOSEN:
        return strictly
    read = read_answer(text, options, is_one=False)
    if read.outcome in (CONTRADICTING, REFUSED, UNPARSED) or not read.named:
        return SeveralReading(UNPARSED if read.outcome == AMBIGUOUS else read.outcome)
    return SeveralReading(CHOSEN, read.named)


def read_several_strictly(text: str, count: int) -> SeveralReading:
    """Read an answer that consists of different letters and separators only."""
    found = _letters_alone(plain_answer(text, strict=True), count)
    if not found or len(set(found)) < len(found):
        return SeveralReading(UNPARSED)
    return SeveralReading(CHOSEN, tuple(sorted(found)))


def read_order(text: str, options: Sequence[str]) -> SeveralReading:
    """Read leniently the order in which an answer puts the options; different orders are *ambiguous*."""
    said, count = plain_answer(text), len(options)
    marked = [said[match.end() :].split("\n\n", 1)[0] for match in _MARKER.finditer(said)]
    for part in [*reversed(marked), said]:
        found = list(dict.fromkeys(_orders(part, count)))
        if len(found) == 1:
            return SeveralReading(CHOSEN, found[0])
        if found:
            return SeveralReading(AMBIGUOUS)
    if texts := _order_of_texts(said, options):
        return SeveralReading(CHOSEN, texts)
    declined = read_answer(text, options).outcome == REFUSED
    return SeveralReading(REFUSED if declined else UNPARSED)


def read_order_strictly(text: str, count: int) -> SeveralReading:
    """Read an answer that consists of an order of letters only."""
    found = _letters_alone(plain_answer(text, strict=True), count)
    return SeveralReading(CHOSEN, found) if sorted(found) == list(range(count)) else SeveralReading(UNPARSED)


def _letters_alone(said: str, count: int) -> tuple[int, ...]:
    """Return the positions of the options if an answer consists only of their letters and separators.

    Return () otherwise.
    """
    bare = _APART.sub("", said)
    if not re.fullmatch(r"[A-Za-z]{1,26}", bare):
        return ()
    found = tuple(map(_position, bare))
    is_run = max(map(len, _APART.split(said))) > 1
    is_word = count > _FEW and is_run and not (bare.isupper() and list(found) == sorted(found))
    if is_word and not _is_whole(found, count):
        return ()
    return found if max(found) < count else ()


def _orders(part: str, count: int) -> Iterator[tuple[int, ...]]:
    """Yield every complete order in a part of an answer: a chain of letters, a word, or numbered lines."""
    for match in _CHAIN(count).finditer(part):
        letters = tuple(_position(one) for one in _SINGLE(count).findall(match[0]))
        if _is_whole(letters, count):
            yield letters
    for match in _RUN(count).finditer(part):
        letters = tuple(map(_position, match[1]))
        if _is_whole(letters, count):
            yield letters
    lines = tuple(_position(one) for one in _NUMBERED(count).findall(part))
    if _is_whole(lines, count):
        yield lines


def _order_of_texts(said: str, options: Sequence[str]) -> tuple[int, ...]:
    """Return the order in which the options' words occur in a text.

    Return () unless each occurs once, and none is inside another.
    """
    bare = " ".join(said.split()).casefold()
    words = [" ".join(option.split()).casefold() for option in options]
    if any(bare.count(one) != 1 or sum(one in other for other in words) > 1 for one in words):
        return ()
    return tuple(sorted(range(len(words)), key=lambda place: bare.index(words[place])))


def _is_whole(letters: tuple[int, ...], count: int) -> bool:
    return sorted(letters) == list(range(count))


def _position(letter: str) -> int:
    return ord(letter.upper()) - ord("A")
