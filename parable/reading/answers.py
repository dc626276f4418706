"""Which option a model's answer to a multiple-choice item picks, and by what that was seen.

In this order: thinking is dropped; a final-answer marker decides; else the one letter; else the one option
text (the longest where one stands within another). What is ruled out or only explained does not count.
Several are *ambiguous*, none is *unparsed*, a model that declines has *refused*. Nothing is guessed: a
number, a letter past the last option, or a text that is nearly an option is unparsed.
"""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from .chatter import drop_thinking, is_refusal, tidy
from .mentions import MASK, Mention, read_mentions
from .option_texts import mask_options, read_option_texts

CHOSEN: Final = "chosen"
AMBIGUOUS: Final = "ambiguous"
UNPARSED: Final = "unparsed"
REFUSED: Final = "refused"
OUTCOMES: Final = (CHOSEN, AMBIGUOUS, UNPARSED, REFUSED)

BY_MARKER: Final = "marker"
BY_LETTER: Final = "letter"
BY_TEXT: Final = "text"

FEWEST: Final = 2
MOST: Final = 8
LONGEST: Final = 6_000
LONGEST_SENTENCE: Final = 600
MOST_MARKERS: Final = 40
"""Of one kind; an answer that has more is read from its end."""

# Repetitions are bounded, so that no answer, however long or odd, takes long to read.
_TAG = re.compile(r"<(/?)(?:final_answer|answer|final)>", re.IGNORECASE)
_WRAPPED = re.compile(r"⟦⟧([^⟦]{0,2000})⟦/⟧")
_BOXED = re.compile(r"\\(?:boxed|fbox)\s{0,3}\{((?:[^{}]|\{[^{}]{0,400}\}){0,400})\}")
_TEX = re.compile(r"\\+(?:text|textbf|mathrm|mathbf|rm)\s*\{([^{}]*)\}|\\+[()\[\]]|\$+")
_HEADED = re.compile(r"[\[【](答案|正确答案|最终答案|answer)[\]】]:?|\"(answer)\"\s*:", re.IGNORECASE)
_EMPHASIS = re.compile(r"\*\*|__|[`*]|^[ \t]{0,40}(?:#{1,6}|>)[ \t]*", re.MULTILINE)

_FINAL = re.compile(
    r"final (?:answer|choice)(?: here)?\s*(?:is|:|=|-)?|最终(?:答案|选择|选项)(?:是|为|选|:)?", re.IGNORECASE
)
_ANSWER = re.compile(
    r"\banswer(?: here| to (?:this|the) question| choice| option)?\s*"
    r"(?:(?:is|was|(?:should|would|must|will|has to|can only) be)\b(?: therefore| thus| clearly)?"
    r"|[:=]|->|→|\()"
    r"|(?<!参考)答案(?!解析|分析|部分|格式)\s*(?:应该?|就|只能|必须|显然)?"
    r"(?:是|为|选择?|[:=]|(?=[(\[\"“]?[A-H](?![A-Za-z])))"
    r"|(?:correct|right|best|most (?:fitting|suitable|likely|appropriate)|chosen)"
    r" (?:option|choice|one|moral|statement)(?: here)?\s*(?:is\b|would be\b|should be\b|:)"
    r"|(?:正确|最佳|合适|适合|符合|恰当|贴切|准确)的?(?:一?[项个]|选项|选择|说法|寓意)"
    r"\s*(?:应该?|就)?(?:是|为|:)"
    r"|(?:最|比较)(?:符合|合适|恰当|贴切|接近|准确|能)[^,.。;\n◇]{0,24}?的?(?:是|为|:)"
    r"|最(?:有|大)?可能(?:的)?(?:答案|选项)?(?:是|为|:)"
    r"|\bmost (?:likely|probably)(?: (?:answer|option|choice))?(?: is|:)?"
    r" (?=[(\[\"“]?(?:option )?[A-H](?!['’-]?\w| [a-z]))"
    r"|(?:我的|他的)?(?:选择|结论)(?:是|为|:)|因此(?:是|为)|应该?是|故为",
    re.IGNORECASE,
)
_CHOICE = re.compile(
    r"(?:故|应该?|该|因此|所以|我|本题|可以?|综上|还是|于是|则|只能|要)?(?:,)?\s*选(?:择|取|定)?"
    r"(?![手出一举自项])(?:的是|:)?\s*(?=[(\[\"“]?(?:选?项)?\s*[A-H(◇])"
    r"|\b(?:i|we)(?:'d| would| will|'ll| must| have to)?"
    r"\s*(?:choose|select|pick|go with|opt for|say|answer)\b"
    r"|\bgo(?:ing)? with\b|^(?:choose|select|pick)\b"
    r"|\b(?:therefore|thus|so|hence)[, ]+(?=(?:option |\()?[A-H]\b)",
    re.IGNORECASE | re.MULTILINE,
)
_NOT_MEANT = re.compile(
    r"(?:不(?:能|应该?|该|会|可|要)?|没有?|别|非|如果|假如|要是|若|为什么|为何|有人(?:会|可能)?|容易误"
    r"|\bnot|n't|\bnever|\bif|\bwhy|\bmight|\bmay|\bcould|\bwrong|\bincorrect"
    r"|\bsome(?: readers| people)?)\s*$",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    r"更正|修正一下|不对[,.。!]|等等|我改|\bwait\b|\bcorrection\b|\bscratch that\b|\bon second thought",
    re.IGNORECASE,
)
# What takes back an answer and names another in the same breath: "Wait, actually B."
_INSTEAD = re.compile(
    r"(?:更正|修正一下|(?<![A-H项也都])不对|等等|\bwait\b|\bcorrection\b|\bscratch that\b"
    r"|\bon second thought\b)"
    r"[\s,.:!-]{0,6}(?:no\b|不对)?[\s,.:!-]{0,3}"
    r"(?:actually|rather|i mean|make (?:it|that)|it(?:'s| is| should be)"
    r"|应该?(?:是|为|选)?|而?是|选|改(?:为|选))?"
    r"[\s,:]{0,2}(?=[(\[\"“]?(?:option |选?项)?[A-H][)\]\"”]?\s*(?:$|[.,;。!\n]|才|更|because\b|因为))",
    re.IGNORECASE,
)
_BLANK = re.compile(r"[ \t\n:-]*")
_SENTENCE_END = re.compile(r"\n|[。!?;]|(?<![A-H(])\.(?=\s|$)")
_LABEL = re.compile(
    r"^[ \t]*(?:[-•·*]\s*)?(?:选项|option )?[(\[]?([A-H])[)\]]?\s*[.):、,](?=\s*\S)",
    re.MULTILINE | re.IGNORECASE,
)
_BARE_LINE = re.compile(
    r"[(\[\"'“]{0,3}(?:option |选项?)?[(\[\"'“]{0,3}([A-H])[)\]\"'”.。!]{0,3}", re.IGNORECASE
)
_LEADING_END = re.compile(
    r"\s*(?:选?项)?\s*(?:$|[.):,;。、\-—–\n◇=]|(?=[\u4e00-\u9fff])|because\b|since\b|as\b)", re.IGNORECASE
)
_OPENING = re.compile(r"[\s\"'“(\[]*(?:option|choice|选项?|项)?[\s:]*[(\[\"'“]*", re.IGNORECASE)
_DECLINES = re.compile(
    r"(?:cannot|can't|can not|unable to|not able to|won't|decline to|refuse to)"
    r" (?:determine|decide|choose|tell|answer|say|pick|select|engage|discuss|help|assist|provide)"
    r"|无法(?:判断|确定|回答|作答|选择|提供|给出|给到)"
    r"|(?:不能|拒绝|不便)(?:回答|作答|选择|讨论|提供)|内容(?:违规|敏感)|换个话题|as an ai\b|language model",
    re.IGNORECASE,
)
# What a service says in the model's place when its filter stops an answer.
_FILTERED = re.compile(
    r"\b(?:response|request|prompt|content|output|answer) (?:was|is|has been|were) "
    r"(?:filtered|blocked|flagged|removed|stopped)|content[ _-]?(?:filter|management policy|policy violation)"
    r"|(?:包含|涉及|触发|存在|含有).{0,12}(?:敏感|违规|不安全|不合规|不当)(?:或敏感)?(?:信息|内容|词)"
    r"|(?:内容|请求|回答|输出|输入)(?:已经?)?被(?:系统)?(?:过滤|拦截|屏蔽|终止|停止)|(?:审核|安全).{0,4}(?:未通过|不通过|拦截)",
    re.IGNORECASE,
)
_NO_ANSWER = re.compile(r"(?<![A-Za-z])n/a(?![A-Za-z])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read: an outcome, the 0-based option where one was chosen, all named ones, and by what."""

    outcome: str
    choice: int | None = None
    named: tuple[int, ...] = ()
    by: str = ""


def read_answer(text: str, options: Sequence[str]) -> Reading:
    """Read leniently which of 2 to 8 options an answer picks, by the rules above."""
    if not FEWEST <= len(options) <= MOST:
        raise ValueError(f"an item has {FEWEST} to {MOST} options, not {len(options)}")
    said = _plain(text)
    if not said:
        return Reading(UNPARSED)
    masked = mask_options(said, options)
    count = len(options)
    decided = _decided_by(said, masked, options)
    if decided:
        return decided
    if _declines(said) or _FILTERED.search(masked[:300]):
        return Reading(REFUSED)
    mentions = [one for one in read_mentions(masked, count, labels=_labels(masked)) if one.counts]
    praised = [mention for mention in mentions if mention.is_praised]
    letters = _union(praised or mentions)
    if letters:
        return _one(letters, BY_LETTER)
    texts = read_option_texts(said, options)
    return _one(texts, BY_TEXT) if texts else Reading(UNPARSED)


def read_strictly(text: str, count: int) -> Reading:
    """Read an answer that is one letter and nothing else (brackets and a stop around it aside)."""
    found = re.fullmatch(r"[(\[]?([A-Ha-h])[)\]]?[.。]?", _plain(text, strict=True))
    if found is None or (choice := ord(found[1].upper()) - ord("A")) >= count:
        return Reading(UNPARSED)
    return Reading(CHOSEN, choice, (choice,), BY_LETTER)


def _plain(text: str, *, strict: bool = False) -> str:
    """What was said, without thinking, widths and typesetting; of an endless answer its end."""
    # The tags of an answer are a marker, so they must outlive the dropping of tags.
    said = drop_thinking(tidy(text) if strict else _TAG.sub(r"⟦\1⟧", tidy(text)))
    # One character may become eighteen, so it is cut once more.
    said = unicodedata.normalize("NFKC", said[-LONGEST:])[-LONGEST:]
    if strict:
        return said.strip()
    said = _BOXED.sub(r"\nFinal answer: \1\n", _WRAPPED.sub(r"\nFinal answer: \1\n", said))
    said = _NO_ANSWER.sub("", _EMPHASIS.sub("", _TEX.sub(r"\1", said)))
    return _HEADED.sub(lambda match: f"\n{match[1] or match[2]}: ", said).strip()


def _decided_by(said: str, masked: str, options: Sequence[str]) -> Reading | None:
    """What the strongest kind of marker says, all of that kind together, less what was taken back.

    A letter that is the last line, and one that the answer begins with and then explains, decide too.
    """
    count, back = len(options), _after_taking_back(said)
    for kind in (_FINAL, _ANSWER):
        for start in (back, 0):
            found = _union(_decisions(kind, said, masked, options, start))
            if not found and kind is _ANSWER and start == back:
                found = _instead(said, masked, options)
            last = _bare_lines(masked, count) if kind is _ANSWER else frozenset()
            if found or last:
                return _one(found | last, BY_MARKER if found else BY_LETTER)
    if leading := _leading(masked, count):
        return _one(leading, BY_LETTER)
    chosen = _union(_decisions(_CHOICE, said, masked, options, 0))
    return _one(chosen, BY_MARKER) if chosen else None


def _instead(said: str, masked: str, options: Sequence[str]) -> frozenset[int]:
    """What the last words that take an answer back put in its place."""
    found = list(_decisions(_INSTEAD, said, masked, options, 0))
    return found[-1] if found else frozenset()


def _after_taking_back(said: str) -> int:
    places = [match.end() for match in _TAKEN_BACK.finditer(said)]
    return places[-1] if places else 0


def _decisions(
    marker: re.Pattern[str], said: str, masked: str, options: Sequence[str], start: int
) -> Iterable[frozenset[int]]:
    for match in deque(marker.finditer(masked, start), MOST_MARKERS):
        if _NOT_MEANT.search(masked[max(0, match.start() - 16) : match.start()]):
            continue
        end = _window_end(masked, match.end())
        yield _decided(masked[match.end() : end], said[match.end() : end], options)


def _window_end(masked: str, start: int) -> int:
    """The end of the sentence after a marker; of the next line where the marker ends its own."""
    begin = _BLANK.match(masked, start)
    stop = _SENTENCE_END.search(masked, begin.end() if begin else start)
    return min(stop.start() if stop else len(masked), start + LONGEST_SENTENCE)


def _decided(masked: str, said: str, options: Sequence[str]) -> frozenset[int]:
    """The first letters after a marker that are not ruled out, else the option whose text follows it."""
    texts = read_option_texts(said, options, whole=True)
    for mention in read_mentions(masked, len(options)):
        before = masked[: mention.start]
        if mention.is_ruled_out and (
            _names_only(masked, mention) is False or "not" in before or "不" in before
        ):
            continue
        if texts and MASK in before:
            return texts  # the option's own words stand before a letter that is only talked about
        return mention.choices
    return texts or read_option_texts(said, options)


def _names_only(masked: str, mention: Mention) -> bool:
    """Whether a letter stands right after the marker, so that what follows explains it."""
    return not masked[: mention.start].strip(" \n\t:-(\"'“[") or masked[: mention.start].strip().endswith(":")


def _bare_lines(masked: str, count: int) -> frozenset[int]:
    """A letter that is the whole last line; with others that are lines of their own, since a list is none."""
    bare = [_BARE_LINE.fullmatch(line.strip()) for line in masked.strip().split("\n")]
    if bare[-1] is None:
        return frozenset()
    found = frozenset(ord(match[1].upper()) - ord("A") for match in bare if match)
    return found if max(found) < count else frozenset()


def _leading(masked: str, count: int) -> frozenset[int]:
    """The letter that an answer begins with and then explains; not where it goes through the options."""
    if len(_labels(masked)) > 1:
        return frozenset()
    opening = _OPENING.match(masked)
    first = next(read_mentions(masked, count), None)
    if first is None or opening is None or first.start > opening.end() or first.is_ruled_out:
        return frozenset()
    return first.choices if _LEADING_END.match(masked, first.end) else frozenset()


def _labels(masked: str) -> frozenset[int]:
    """Where lines begin with letters, if several different ones do: a list of the options."""
    found = {match.start(1): match[1].upper() for match in _LABEL.finditer(masked)}
    return frozenset(found) if len(set(found.values())) > 1 else frozenset()


def _declines(said: str) -> bool:
    return is_refusal(said) or _DECLINES.search(said[:200]) is not None


def _union(found: Iterable[frozenset[int] | Mention]) -> frozenset[int]:
    sets = (one.choices if isinstance(one, Mention) else one for one in found)
    return frozenset().union(*sets)


def _one(found: frozenset[int], by: str) -> Reading:
    named = tuple(sorted(found))
    if len(named) == 1:
        return Reading(CHOSEN, named[0], named, by)
    return Reading(AMBIGUOUS, None, named, by)
