"""Finds options named by their own words, and masks these words, so that no letter is read from them.

An option of one or two characters ("3", "on", “狼”) or a function word ("because", “不是”) occurs in many
sentences; it counts only as a clause of its own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from .letters import LETTERS
from .mentions import MASK, clause_behind, is_denied

SHORTEST: Final = 3
"""Latin options with fewer letters, and Chinese ones of a single character, count as whole clauses only."""
_ENGLISH_GRAMMAR: Final = """
    the and but for nor yet not yes who why how can has had was are its his her our you she him they them
    this that these those with from into onto upon over under than then when where while because since
    although though however therefore also only even very some any none all both each either neither more
    most less least never always often
"""
_CHINESE_GRAMMAR: Final = """
    是的 不是 不对 没有 有时 正确 错误 因为 所以 但是 可是 而且 并且 如果 虽然 或者 还是
    可以 不能 不会 应该 不该 不要 什么 这样 那么 已经 现在 他们 我们 自己 一个 对的 错的 可能
"""
_GRAMMAR: Final = frozenset([*_ENGLISH_GRAMMAR.split(), *_CHINESE_GRAMMAR.split()])
_EDGES: Final = " \t\n.。,;:!?\"'“”‘’()[]…"
_NEW_LINE: Final = "¶"
"""Stands for the end of a line after white space is folded."""
_RULED_OUT = re.compile(
    r"(?:不(?:应该?|能|会)?(?:选择?|是)?|并?非|而不是|排除|\bnot|n't|\bcannot be|\brather than|\binstead of)"
    r"[\s\"'“”(]*$",
    re.IGNORECASE,
)
_BEGINS_CLAUSE = re.compile(
    r"(?:^|[¶.。,;:!?\"'“”‘’()\[\]…=◇—-])\s*"
    r"(?:(?:it(?:'s| is| was)|that(?:'s| is)|(?:i )?(?:choose|pick|say)|is|was)\s+"
    r"|[我应该就]{0,4}[是为选填]择?[“\"'‘]?)?$"
)
_ENDS_CLAUSE = re.compile(r"的?\s*(?:[¶.。,;:!?\"'“”‘’()\[\]…=—-]|because\b|since\b|as\b|因为|由于|$)")
_CLOSED = re.compile(r"[.。!?]?[\"”’']{0,2}")
_OWN_LETTER = re.compile(r"(?<![A-Za-z0-9])([A-Za-z])(?:[)\].:、-]{1,2}\s?|\s)[\"“(]?$")
# An option's own full stop ends no clause if the clause continues after it: "It rained. is wrong".
_CONTINUES = re.compile(r"[\"'”’)\]]|\s?[a-z\u4e00-\u9fff✓√✔✅✗×❌,;:—–-]")
_ARTICLE = re.compile(r"^(?:an?|the) (?=\S)")
# What may be between a letter and the words of its option, and after these words.
_GAP = re.compile(
    r"(?:选项|选?项)?[)\]\"'”]?[ \t]{0,3}(?:[.:、,=→>(\[—–-]|[。](?=\S)){0,2}[ \t\n]{0,3}"
    r"(?:(?:即是?|也就是|就是|i\.e\.,?|that is,?|namely)\s?)?[(\[\"'“‘]?",
    re.IGNORECASE,
)
_WORDS_END = re.compile(r"[.。!?]?[\"'”’)\]]*\s*(?:$|[\n.。,;!?)\]]|because\b|since\b|因为|由于)")
_SENTENCE_ENDS = re.compile(r"[.。!?]?[\"'”’)\]]*\s*(?:$|[\n.。])")
_IS_ANSWER = re.compile(r"(?:^|[.。\n]|\banswer(?: is|:)|答案(?:是|为|:)|选择?)\s*[\"“]?$", re.IGNORECASE)
_BEHIND_WORDS = re.compile(
    r"\s*[(\[,.:。—–-]{1,3}\s*"
    r"(?:(?:so )?(?:the )?(?:answer|option|choice)(?: is|:)?|i\.e\.,?|that is,?|即|也就是|所以|故|应该)?"
    r"[ ]?(?:我?选择?|选项|答案(?:是|为|:)?)?\s*[(\[]?\s*$",
    re.IGNORECASE,
)
_VERDICTS: Final = frozenset(["正确", "错误", "对", "错", "是", "否", "不对", "不是", "对的", "错的", "是的"])
_BARE_ARTICLE = re.compile(r"(?<![a-z])(?:an?|the) $")
# A clause that gives a reason, or compares, may name other options.
_REASON = re.compile(
    r"\b(?:because|since|unlike|whereas|although|though|given that)\b|, (?:as|while)\b"
    r"|因为|由于|毕竟|虽然|尽管|不像"
)
_REASON_ENDS = re.compile(r"[¶.。;!?]")
_LONGEST_LINE: Final = 600
_NEAR: Final = 40
"""Number of characters before an option that show whether it begins a clause."""


def fold(text: str) -> str:
    """Return a text for comparison: NFKC, lower case, plain quotes, single spaces, no outer marks."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").replace("‘", "'")
    return " ".join(plain.lower().split()).strip(_EDGES)


def read_option_texts(said: str, options: Sequence[str], *, whole: bool = False) -> frozenset[int]:
    """Return the options whose words the text contains.

    Words within longer options, and words ruled out, do not count. If `whole`, only options with which the
    text begins.
    """
    if equal := equal_options(said, options):
        return equal
    bare = fold(said.strip().replace("\n", f" {_NEW_LINE} "))
    found = _outermost([span for place in range(len(options)) for span in _spans(bare, options, place)])
    if whole:
        found = [one for one in found if one[0] == 0]
    meant = [span for span in found if not _is_ruled_out(bare, span[0], span[1])]
    # If only reasons name options, these options count.
    return frozenset(place for *_span, place in _outside_reasons(bare, meant) or meant)


def _outside_reasons(bare: str, found: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Return the spans outside clauses that give a reason; a reason at the start ends at its comma."""
    reasons = list[tuple[int, int]]()
    for match in _REASON.finditer(bare) if len(found) > 1 else ():
        before = bare[: match.start()].rstrip()
        is_first = not before or before[-1] in "¶.。;!?"
        inside = [span for span in found if span[0] >= match.end()]
        end = _REASON_ENDS.search(bare, match.end())
        stop = end.start() if end else len(bare)
        if is_first and inside and (comma := bare.find(",", inside[0][1], stop)) >= 0:
            stop = comma
        reasons.append((match.start(), stop))
    return [span for span in found if not any(start <= span[0] < stop for start, stop in reasons)]


def _is_ruled_out(bare: str, start: int, end: int) -> bool:
    if _RULED_OUT.search(bare[max(0, start - 24) : start]):
        return True
    behind = _CLOSED.match(bare, end)
    return is_denied(clause_behind(bare, behind.end() if behind else end))


def equal_options(said: str, options: Sequence[str]) -> frozenset[int]:
    """Return the options that are equal to the whole text, ignoring a leading article."""
    bare = fold(said)
    equal = frozenset(place for place, option in enumerate(options) if bare and fold(option) == bare)
    if equal or not bare:
        return equal
    bare = _without_article(bare)
    return frozenset(place for place, option in enumerate(options) if _without_article(fold(option)) == bare)


def _without_article(folded: str) -> str:
    return _ARTICLE.sub("", folded)


def option_at(said: str, start: int, options: Sequence[str]) -> int | None:
    """Return the option whose exact words follow a letter, as a whole clause, or None."""
    gap = _GAP.match(said, start)
    begin = gap.end() if gap else start
    for place in sorted(range(len(options)), key=lambda one: -len(options[one])):
        folded = fold(options[place])
        # Directly after a letter these words are a verdict: “B正确”.
        if not folded or (begin == start and folded in _VERDICTS):
            continue
        for words in (folded, _without_article(folded)):
            if said[begin : begin + 1].lower() != words[0] and words[0] != "'":
                continue  # saves making a pattern for words that do not begin here
            match = _pattern(tuple(words.split())).match(said, begin)
            ends = _SENTENCE_ENDS if gap and re.search(r"[。\n]", gap[0]) else _WORDS_END
            if match and ends.match(said, match.end()):
                return place
    return None


def option_before(said: str, end: int, options: Sequence[str], *, in_brackets: bool) -> int | None:
    """Return the option whose exact words directly precede a letter, or None.

    The letter must be `in_brackets`, or the words must be all that precedes it.
    """
    line = max(said.rfind("\n", 0, end) + 1, end - _LONGEST_LINE)
    before = _BEHIND_WORDS.sub("", said[line:end])
    equal = equal_options(before, options)
    if equal or (before == said[line:end] and not in_brackets):
        return next(iter(equal)) if len(equal) == 1 else None
    folded = fold(before)
    ends = [
        place
        for place, option in enumerate(options)
        if not is_short(fold(option))
        and folded.endswith(fold(option))
        and (in_brackets or _IS_ANSWER.search(folded.removesuffix(fold(option))))
    ]
    return max(ends, key=lambda place: len(options[place]), default=None)


def mask_options(said: str, options: Sequence[str]) -> str:
    """Return the text, in the same length, with the words of options masked.

    A short option is masked only after its own letter: elsewhere its words belong to the answer.
    """
    masked = said
    places = sorted(range(len(options)), key=lambda place: len(fold(options[place])), reverse=True)
    for place in places:
        parts, done = list[str](), 0
        for start, end in _masks(masked, options[place], LETTERS[place]):
            parts += [masked[done:start], MASK * (end - start)]
            done = end
        masked = "".join([*parts, masked[done:]])
    return masked


def _masks(said: str, option: str, letter: str) -> Iterator[tuple[int, int]]:
    plain = unicodedata.normalize("NFKC", option).rstrip()
    own_end = plain[len(plain.rstrip(_EDGES)) :]
    for start, end in _occurrences(said, option):
        if is_short(fold(option)):
            own = _OWN_LETTER.search(said[max(0, start - 6) : start])
            if own is None or own[1].upper() != letter:
                continue
        whole = end + len(own_end)
        goes_on = said.startswith(own_end, end) and _CONTINUES.match(said, whole)
        yield start, whole if goes_on else end


def _spans(bare: str, options: Sequence[str], place: int) -> Iterator[tuple[int, int, int]]:
    folded = fold(options[place])
    for start, end in _occurrences(bare, folded):
        if not is_short(folded) or _is_clause(bare, start, end):
            yield start, end, place
    core = _without_article(folded)
    if core != folded:
        # With another article, or with none, it must be a clause of its own: "The glass marble, since ...".
        for start, end in _occurrences(bare, core):
            article = _BARE_ARTICLE.search(bare, max(0, start - 4), start)
            begin = article.start() if article else start
            if _is_clause(bare, begin, end):
                yield begin, end, place


def _is_clause(bare: str, start: int, end: int) -> bool:
    before = bare[max(0, start - _NEAR) : start]
    before = before if start <= _NEAR else f"x{before}"
    return _BEGINS_CLAUSE.search(before) is not None and _ENDS_CLAUSE.match(bare, end) is not None


def _occurrences(text: str, option: str) -> Iterator[tuple[int, int]]:
    """Yield the positions of an option's words; a fast test first, as most options do not occur."""
    words = fold(option).split()
    lowered = text.lower()
    if words and words[0].strip("'") in lowered and words[-1].strip("'") in lowered:
        yield from (match.span() for match in _pattern(tuple(words)).finditer(text))


def _outermost(spans: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Remove spans that are inside a longer one.

    This takes one pass, as there may be thousands.
    """
    kept: list[tuple[int, int, int]] = []
    for one in sorted(spans, key=lambda span: (span[0], -span[1])):
        # Spans are sorted by start, so this one is inside an earlier one unless it ends last.
        if not kept or one[1] > kept[-1][1] or one[:2] == kept[-1][:2]:
            kept.append(one)
    return kept


def is_short(folded: str) -> bool:
    """Return whether a folded option is so short, or so common, that it counts as a whole clause only."""
    letters = folded.replace(" ", "")
    return letters in _GRAMMAR or len(letters) < (SHORTEST if letters.isascii() else SHORTEST - 1)


@lru_cache(maxsize=64)
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    first, last = words[0][0], words[-1][-1]
    before = r"(?<![A-Za-z0-9])" if first.isascii() else ""
    after = r"(?![A-Za-z0-9])" if last.isascii() else ""
    before += r"(?<![0-9][.,])(?<![-−])" if first.isdigit() else ""
    after += r"(?![.,]?[0-9])" if last.isdigit() else ""
    body = rf"[\s{_NEW_LINE}]+".join(map(re.escape, words)).replace("'", "['’‘]")
    return re.compile(f"{before}{body}{after}", re.IGNORECASE)
