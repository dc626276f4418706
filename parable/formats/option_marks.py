"""Recognises letters and numbers before options, for readers, checks and gates.

A mark is `A.`, `A、`, `A．`, `A:`, `A)`, `(A)`, `【A】`, `选项A`, `Option A`, `Ⓐ`, `①`, `1.`, `1、`, `(1)`,
or a letter and a blank. It counts only if every option of the item has the mark of its own position: "A.
Milne" is a name, "A fox" an animal, and "A、B两只" are two animals.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from parable.formats.errors import ErrorCode, InputError

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

_LABEL: Final = r"(?:[A-Za-zＡ-Ｚａ-ｚ]|(?:[1-9１-９]|[1１][0-9０-９]|[2２][0-6０-６]))"
_ENCLOSED: Final = "[Ⓐ-Ⓩⓐ-ⓩ🄰-🅉⒜-⒵🄐-🄩①-⑳㉑-㉖⑴-⒇⒈-⒛]"
_MARK: Final = re.compile(
    rf"\s*(?:选项\s*(?P<chosen>[A-Za-zＡ-Ｚａ-ｚ]|{_LABEL}(?![0-9０-９]))\s*[.．、:：)）]?"
    rf"|[Oo]ption\s+(?P<named>{_LABEL})(?![0-9A-Za-z])\s*[.．、:：)）]?"
    rf"|(?P<open>[(（\[［【〔])\s*(?P<bracketed>{_LABEL})\s*[)）\]］】〕][.．、:：]?"
    rf"|(?P<sign>{_ENCLOSED})[.．、:：]?"
    rf"|(?P<bare>{_LABEL})\s*(?P<stop>[.．、:：)）]))"
)
_BLANK: Final = re.compile(r"\s*(?P<bare>[A-ZＡ-Ｚ])(?P<stop>\s+)(?=\S)")
"""A letter followed only by a space: the weakest mark, as it may be an article or part of a name."""
MAY_BE_MARK: Final = re.compile(
    rf"\s*(?:选项|[Oo]ption\s|[(（\[［【〔]|{_ENCLOSED}|{_LABEL}\s*[.．、:：)）]|[A-ZＡ-Ｚ]\s)"
)
"""A quick test that every mark passes; it is applied first, since most options have no mark."""
_NEXT: Final = re.compile(
    rf"[\s、,，/&+和与及或]*(?:(?:and|or)\s+)?(?:[(（][0-9]{{1,2}}[)）]|[(（]?(?:{_ENCLOSED}|(?P<letter>[A-ZＡ-Ｚ])(?![A-Za-zＡ-Ｚａ-ｚ])))"
)
_ENDS: Final = (".", "．", ":", "：")
_DIGIT: Final = re.compile(r"[0-9０-９]")


@dataclass(frozen=True, slots=True)
class Mark:
    """A possible mark before an option: the position that it names, from 0, and where it ends in the text."""

    place: int
    end: int
    text: str
    is_number: bool
    may_be_initial: bool

    @property
    def label(self) -> str:
        """The letter or number, as shown in messages."""
        return str(self.place + 1) if self.is_number else LETTERS[self.place]


def mark_of(option: str) -> Mark | None:
    """Return the letter or number that seems to be typed before an option, or None.

    A letter followed only by a space does not count.
    """
    match = _MARK.match(option)
    if match is None:
        return None
    groups = match.groupdict()
    bare = groups["bare"]
    label = groups["chosen"] or groups["named"] or groups["bracketed"] or groups["sign"] or bare
    plain = unicodedata.normalize("NFKC", label).strip("().").upper()
    is_number = plain.isdigit()
    if is_number and bare and _DIGIT.match(option, match.end()):
        return None  # 1.5, 2:30
    place = int(plain) - 1 if is_number else LETTERS.find(plain)
    rest = option[match.end() :].lstrip()
    initial = bool(bare) and groups["stop"] == "." and not is_number and rest[:1].isupper()
    return Mark(place, match.end(), match[0].strip(), is_number, initial)


def marks_of(options: Sequence[str]) -> tuple[Mark, ...] | None:
    """Return the labels of the options, such as “A.”, if each non-empty option begins with its label.

    Each must name the option's own position. Return None otherwise, or if in at least half of the options
    another label follows ("A、B两只", "①②").
    """
    filled = [place for place, option in enumerate(options) if option.strip()]
    found = [_own_mark(options[place], place) for place in filled]
    marks = tuple(mark for mark in found if mark is not None)
    if len(marks) < max(len(filled), 2) or len({mark.is_number for mark in marks}) > 1:
        return None
    rests = [options[place][mark.end :] for place, mark in zip(filled, marks, strict=True)]
    if not any(map(str.strip, rests)):
        return None
    lists = sum(_goes_on(rest, mark, len(options)) for rest, mark in zip(rests, marks, strict=True))
    return None if lists * 2 >= len(rests) else marks


def may_be_marks(options: Sequence[str]) -> dict[int, Mark]:
    """Return the possible labels of the options, by position: letters, numbers, or a letter and a space.

    Return {} unless every option that is not empty has one.
    """
    filled = [place for place, option in enumerate(options) if option.strip()]
    found = {place: mark for place in filled if (mark := _own_mark(options[place], place)) is not None}
    return found if len(found) == len(filled) > 1 else {}


def without_marks(options: Sequence[str]) -> tuple[str, ...]:
    """Strip the options, and remove labels such as “A.” if each non-empty option begins with its label.

    The label must be that of the option's position. Numbers count like letters.
    """
    marks = iter(marks_of(options) or ())
    return tuple(
        option[mark.end :].strip() if option.strip() and (mark := next(marks, None)) else option.strip()
        for option in options
    )


def check_order(options: Sequence[str]) -> None:
    """Raise InputError if the labels before the options name each position once, but in another order.

    A letter in an answer would then be ambiguous: the typed mark or the position of the option.
    """
    found = misplaced(options)
    if found:
        raise InputError(ErrorCode.OPTION_LETTERS, found=" ".join(mark.label for mark in found))


def misplaced(options: Sequence[str]) -> tuple[Mark, ...]:
    """Return the labels before the options if they name each position, but in another order.

    Return () otherwise.
    """
    marks = [mark for option in options if (mark := mark_of(option)) is not None]
    places = [mark.place for mark in marks]
    if len(options) < 2 or sorted(places) != [*range(len(options))] or places == sorted(places):
        return ()
    if len({mark.is_number for mark in marks}) > 1:
        return ()
    rests = [option[mark.end :] for option, mark in zip(options, marks, strict=True)]
    lists = sum(_goes_on(rest, mark, len(options)) for rest, mark in zip(rests, marks, strict=True))
    return () if lists * 2 >= len(rests) or not any(map(str.strip, rests)) else tuple(marks)


def typed_marks(options: Sequence[str]) -> dict[int, Mark]:
    """Return the labels that were certainly typed before options, by position.

    A release adds its own letters. If all options have labels, in any order, these are returned. Otherwise,
    only labels that name their own position and cannot be the initial of a name ("A. Milne", "B. Potter")
    are; a single label must be a letter without a full stop.
    """
    if not any(map(MAY_BE_MARK.match, options)):
        return {}
    filled = [place for place, option in enumerate(options) if option.strip()]
    if marks := marks_of(options) or misplaced(options):
        return dict(zip(filled, marks, strict=True))
    found = {place: mark for place in filled if (mark := mark_of(options[place])) is not None}
    due = {
        place: mark
        for place, mark in found.items()
        if mark.place == place and not _goes_on(options[place][mark.end :], mark, len(options))
    }
    several = {place: mark for place, mark in due.items() if not mark.may_be_initial}
    if len(due) > 1 or not several:
        return several
    return {
        place: mark for place, mark in several.items() if not mark.is_number and not mark.text.endswith(".")
    }


def _own_mark(option: str, place: int) -> Mark | None:
    """Return the label before an option if it names the option's position, else None.

    A letter followed only by a space also counts.
    """
    found = mark_of(option)
    if found is not None:
        return found if found.place == place else None
    match = _BLANK.match(option)
    if match is None or unicodedata.normalize("NFKC", match["bare"]) != LETTERS[place : place + 1]:
        return None
    return Mark(place, match.end(), match[0].strip() + " ", is_number=False, may_be_initial=False)


def _goes_on(rest: str, mark: Mark, count: int) -> bool:
    """Return whether another label follows a mark, as in a list of labels.

    Return False after a full stop or colon.
    """
    if mark.text.endswith(_ENDS):
        return False
    match = _NEXT.match(rest)
    if match is None:
        return mark.text.endswith("、") and bool(_DIGIT.match(rest))
    letter = match["letter"]
    place = LETTERS.find(unicodedata.normalize("NFKC", letter)) if letter else -1
    return letter is None or (place != mark.place and place < count)
