"""Which options an answer names where several are right, and in which order it puts them where all are asked.

Read as `answers.py` reads one option: thinking is dropped, a final-answer marker decides, nothing is guessed.
An order counts only where it names every option once.
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
"""Of more options, letters without a sign between them may be a word."""


@dataclass(frozen=True, slots=True)
class SeveralReading:
    """What was read: an outcome, and the 0-based options where they could be told, else ()."""

    outcome: str
    choices: tuple[int, ...] = ()


def read_several(text: str, options: Sequence[str]) -> SeveralReading:
    """Read leniently which options an answer takes for right: one or several, in their order."""
    strictly = read_several_strictly(text, len(options))
    if strictly.outcome == CHOSEN:
        return strictly
    read = read_answer(text, options, is_one=False)
    if read.outcome in (CONTRADICTING, REFUSED, UNPARSED) or not read.named:
        return SeveralReading(UNPARSED if read.outcome == AMBIGUOUS else read.outcome)
    return SeveralReading(CHOSEN, read.named)


def read_several_strictly(text: str, count: int) -> SeveralReading:
    """Read an answer that is letters and what separates them, and nothing else, each letter once."""
    found = _letters_alone(plain_answer(text, strict=True), count)
    if not found or len(set(found)) < len(found):
        return SeveralReading(UNPARSED)
    return SeveralReading(CHOSEN, tuple(sorted(found)))


def read_order(text: str, options: Sequence[str]) -> SeveralReading:
    """Read leniently in which order an answer puts the options; two different orders are *ambiguous*."""
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
    """Read an answer that is an order by letters and nothing else."""
    found = _letters_alone(plain_answer(text, strict=True), count)
    return SeveralReading(CHOSEN, found) if sorted(found) == list(range(count)) else SeveralReading(UNPARSED)


def _letters_alone(said: str, count: int) -> tuple[int, ...]:
    """The letters of a text that has nothing else but brackets, white space and what separates letters."""
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
    """Every whole order in a part of an answer: letters in a chain, as one word, or one on each line."""
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
    """The order in which the options' own words stand, where each stands once and none within another."""
    bare = " ".join(said.split()).casefold()
    words = [" ".join(option.split()).casefold() for option in options]
    if any(bare.count(one) != 1 or sum(one in other for other in words) > 1 for one in words):
        return ()
    return tuple(sorted(range(len(words)), key=lambda place: bare.index(words[place])))


def _is_whole(letters: tuple[int, ...], count: int) -> bool:
    return sorted(letters) == list(range(count))


def _position(letter: str) -> int:
    return ord(letter.upper()) - ord("A")
