"""Letters that an answer mentions, and whether it means them: named, ruled out, or only talked about."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

LETTERS = "ABCDEFGH"
MASK = "◇"
MOST_MENTIONS = 200
"""In one text; one that has more is read from its end."""

_AND = r"\s*(?:,?\s*(?:\band\b|\bor\b|以及|及|和|与|或者|或|还是)|[、/&+])\s*"
_LETTER = r"[(\[]?(?<![A-Za-z0-9_'’-])[A-H](?!['’-]?[A-Za-z0-9_])[)\]]?"
# A comma joins letters only where the list says so: "A, C and D", "A, C are wrong", "A, C" and no more.
_LIST_ENDS = r"(?=\s*(?:[.。!?;]|$|都|均|两|三|这|are\b|were\b))"
_LISTED = rf"{_LETTER}(?:\s*,\s*{_LETTER}){{1,7}}(?:{_AND}{_LETTER}|{_LIST_ENDS})"
_SPACED = rf"{_LETTER}(?:[ \t]+{_LETTER}){{1,7}}(?=[ \t]*(?:[.。!?;\n]|$))"
_RUN = r"(?<![A-Za-z0-9_'’-])[A-H]{2,8}(?![A-Za-z0-9_'’-])"
_GROUP = re.compile(rf"{_LISTED}|{_SPACED}|{_LETTER}(?:{_AND}{_LETTER}){{0,7}}|{_RUN}")
_SMALL = re.compile(r"\(([a-h])\)|^[\s\"'“]*\(?([a-h])\)?(?=\s*(?:[.):,;。、]|$))", re.MULTILINE)

# "A" before a word is an article, unless the word is one that follows the name of an option.
_AFTER_A_NAME = (
    "is|was|isn't|wasn't|because|since|as|and|or|but|for|seems?|looks?|fits?|best|would|does|doesn't|can"
    "|cannot|can't|only|matches|says|captures|explains|mentions|describes|contradicts|misses|goes|reflects"
)
_ARTICLE = re.compile(rf"\s+(?!(?:{_AFTER_A_NAME})\b)[a-z]")
_NAMED_BEFORE = re.compile(
    r"(?:option|choice|answer|letter|select|choose|pick|选项?|项)\s*[:\"'“]?\s*$", re.IGNORECASE
)

_STOP = re.compile(r"[,;.!?。\n:]|\bbecause\b|\bsince\b|因为|由于", re.IGNORECASE)
# A verdict right behind a letter, whatever stands between: "A: wrong", "(B) correct", "C ✓".
_VERDICT = re.compile(
    r"\s*[.:=-]?\s*(?=(?:in)?correct\b|[✓√✔✅✗×❌]"
    r"|(?:right|wrong|false|true|错误|不?正确|不对|排除)的?\s*(?:[,.;:!()。\n-]|$|because\b|since\b|因为))",
    re.IGNORECASE,
)
_OPENING = re.compile(r"[,;.!?。\n]")  # what stands before a colon belongs to what follows it: "Wrong: A"
_CALLED = r"(?:the\s+)?(?:options?|choices?|answers?|选项|答案|项)?\s*[(\[\"'“]*$"
_RULED_OUT_BEFORE = re.compile(
    r"(?:(?<!是)不(?!仅|但|只|光)(?:应该?|该|能|会|可以?|要|太?可能)?(?:选择?|是|算|属于|如)?"
    r"|并?非(?:是)?|而不是|除了?|排除(?:了|掉)?|除去|舍弃|剔除|放弃|没有?选|不同于|相比(?:于|之下)?|对比"
    r"|\bnot\b|n't|\bnever|\bnor|\bneither|\bthan|\binstead of|\bunlike|\bexcept(?: for)?|\bexclud\w+"
    r"|\beliminat\w+|\brul\w+ out|\breject\w*|\bdiscard\w*|\bcompared (?:to|with)|\bwrong\w*|\bincorrect\w*)"
    rf"(?:\s+(?:choose|choosing|pick|select|be|to))*\s*{_CALLED}",
    re.IGNORECASE,
)
_BECAUSE_BEFORE = re.compile(
    r"(?:因为|由于|虽然|尽管|即使|如果|假如|要是|若|就算|有人(?:会|可能|认为)?|\bbecause|\bsince|\balthough"
    r"|\bthough|\bwhile|\bwhereas|\beven if|\bif|\bwhy)[^,;.!?。\n:]{0,24}$",
    re.IGNORECASE,
)
_FILLER = (
    r"(?:选项|项|答案|这个|这些|的?说法|的?表述|的?意思|都|均|也|皆|全|就|则|显然|明显|太|[(\[)\]\"'”]|\s"
    r"|is|are|was|were|seems?|looks?|clearly|obviously|also|both|all)*"
)
_NEAR_NO = re.compile(
    rf"{_FILLER}(?:不(?!仅|但|只|光|难|过)|没有?|无关|无法|错|有误|片面|并非|相反|过于|\bnot\b|n't\b|\bfalse\b"
    r"|\bfails?\b|\bmisses\b|\btempting|\bplausible|\bpartly|\btoo |\bcannot\b|✗|×|❌|x\b)",
    re.IGNORECASE,
)
_CLEAR_NO = re.compile(
    r"错误|不正确|不对|不符|不合|不恰当|不准确|不贴切|不是|不能|无关|排除|偏离|干扰项|说反|"
    r"\bwrong|incorrect|does not|doesn't|do not|don't|is not|isn't|are not|aren't|irrelevant|unrelated"
    r"|off the point|ruled out|eliminated|contradict|✗|❌",
    re.IGNORECASE,
)
_YES = re.compile(
    r"正确|最?符合|最合适|最恰当|最贴切|最准确|最好|更好|更合适|更贴切|才对|才是|对的|"
    r"\bcorrect|\bright\b|\bbest\b|\bbetter\b|\bthe answer|\bfits\b|\bmatches\b|✓|√|✔|✅",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Mention:
    """One or more letters named together: where, which (positions), and how they are spoken of."""

    start: int
    end: int
    choices: frozenset[int]
    is_ruled_out: bool
    is_aside: bool
    is_praised: bool

    @property
    def counts(self) -> bool:
        """Whether it may be what the answer means."""
        return not self.is_ruled_out and not self.is_aside


def read_mentions(text: str, count: int, *, labels: frozenset[int] = frozenset()) -> Iterator[Mention]:
    """Every mention of the first `count` letters, in order.

    `labels` are places where a line begins with a letter in a list of the options: what the whole line
    says of it counts.
    """
    for start, end, choices in _named(text, count):
        before, after = _around(text, start, end, whole_line=start in labels)
        ruled_out = bool(
            _RULED_OUT_BEFORE.search(before) or _NEAR_NO.match(after) or _CLEAR_NO.search(after[:60])
        )
        aside = start not in labels and bool(_BECAUSE_BEFORE.search(before))
        praised = not ruled_out and bool(_YES.search(after[:60]))
        yield Mention(start, end, choices, ruled_out, aside, praised)


def _named(text: str, count: int) -> Iterator[tuple[int, int, frozenset[int]]]:
    groups = deque(_GROUP.finditer(text), MOST_MENTIONS)
    spans = [(match.start(), match.end(), match[0]) for match in groups]
    taken = [(start, end) for start, end, _said in spans]
    for match in deque(_SMALL.finditer(text), MOST_MENTIONS):
        letter = 1 if match[1] else 2
        if not any(start <= match.start(letter) < end for start, end in taken):
            spans.append((match.start(letter), match.end(), match[letter].upper()))
    for start, end, said in sorted(spans):
        if said == "A" and _is_article(text, start, end):
            continue
        named = _letters(said)
        if named and max(named) < count:
            yield start, end, named


def _letters(said: str) -> frozenset[int]:
    """The positions of the letters; letters written as one word count where they stand in order: "AC"."""
    bare = [LETTERS.index(char) for char in re.findall(r"(?<![a-z])[A-H](?![a-z])", said)]
    if re.fullmatch(r"[A-H]{2,}", said) and sorted(set(bare)) != bare:
        return frozenset()
    return frozenset(bare)


def _is_article(text: str, start: int, end: int) -> bool:
    if _NAMED_BEFORE.search(text[max(0, start - 12) : start]):
        return False
    return _ARTICLE.match(text, end) is not None


def _around(text: str, start: int, end: int, *, whole_line: bool) -> tuple[str, str]:
    """What stands before and after in the same clause; for the label of a line, the whole line after it."""
    before = _OPENING.split(text[max(0, start - 60) : start])[-1]
    ahead = text[end : end + 200]
    if whole_line:
        return "", ahead.split("\n", 1)[0].lstrip(" .):、,")
    if verdict := _VERDICT.match(ahead):
        ahead = ahead[verdict.end() :]
    stop_ahead = _STOP.search(ahead)
    return before, ahead[: stop_ahead.start()] if stop_ahead else ahead
