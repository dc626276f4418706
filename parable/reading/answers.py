"""Reads which option of a multiple-choice item a model's answer chooses, and on what evidence.

Steps: drop thinking, and what follows the answer (`continuation`); then take the option of a final-answer
marker; else the only letter; else the only option text (if one contains another, the longer one). Options
that are ruled out or only explained do not count.

Outcomes: several options are *ambiguous*; a letter with the exact words of another option is *contradicting*;
no option is *unparsed*; a model that declines has *refused*, unless declining is an option. Nothing is
guessed: a number, a letter past the last option, or a text that resembles an option is unparsed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from .chatter import drop_thinking, is_refusal, tidy
from .continuation import new_questions, own_turn
from .letters import LETTERS, lettered
from .markers import (
    ANSWER,
    CHOICE,
    CONCEDED,
    FINAL,
    HEADING,
    INSTEAD,
    LEANING,
    after_taking_back,
    decisions,
    whole_answer,
)
from .mentions import MASK, Mention, read_mentions
from .option_texts import (
    equal_options,
    fold,
    is_short,
    mask_options,
    option_at,
    option_before,
    read_option_texts,
)
from .ordinals import ordinals_as_letters

CHOSEN: Final = "chosen"
AMBIGUOUS: Final = "ambiguous"
CONTRADICTING: Final = "contradicting"
UNPARSED: Final = "unparsed"
REFUSED: Final = "refused"
OUTCOMES: Final = (CHOSEN, AMBIGUOUS, CONTRADICTING, UNPARSED, REFUSED)

BY_MARKER: Final = "marker"
BY_LETTER: Final = "letter"
BY_TEXT: Final = "text"

FEWEST: Final = 2
MOST: Final = 26
MOST_LINES: Final = 200
LONGEST: Final = 6_000
LONGEST_BEGINNING: Final = 2_000
"""Number of characters read from the beginning of an overlong answer; `LONGEST` are read from its end."""

# Repetitions are bounded, so that no answer, however long or odd, takes long to read.
_TAG = re.compile(r"<(/?)(?:final_answer|answer|final)>", re.IGNORECASE)
_WRAPPED = re.compile(r"⟦⟧([^⟦]{0,2000})⟦/⟧")
_BOXED = re.compile(r"\\(?:boxed|fbox)\s{0,3}\{((?:[^{}]|\{[^{}]{0,400}\}){0,400})\}")
_TEX = re.compile(r"\\+(?:text|textbf|mathrm|mathbf|rm)\s*\{([^{}]*)\}|\\+[()\[\]]|\\+(?=[&%#_])|\$+")
_HEADED = re.compile(r"[\[【](答案|正确答案|最终答案|answer)[\]】]:?|\"(answer)\"\s*:", re.IGNORECASE)
_EMPHASIS = re.compile(r"\*\*|__|[`*]|^[ \t]{0,40}(?:#{1,6}|>)[ \t]*", re.MULTILINE)

_QUESTION_AND_ANSWER = re.compile(r"^[ \t]*q\d*[:.]", re.IGNORECASE | re.MULTILINE)
_A_FOR_ANSWER = lettered(r"^[ \t]*a:(?=[ \t]*[(\[]?[B-Z][)\]]?[.]?[ \t]*$)", re.IGNORECASE | re.MULTILINE)
_A_OF_Q = re.compile(r"^[ \t]*a\d*:(?=\s*\S)", re.IGNORECASE | re.MULTILINE)

_LABEL = lettered(
    r"^[ \t]*(?:[-•·*]\s*)?(?:选项|option )?[(\[]?([A-H])[)\]]?\s*(?:[.):、,](?=\s*\S)|[-–—=](?=\s))",
    re.MULTILINE | re.IGNORECASE,
)
_BARE_LINE = lettered(
    r"[(\[\"'“]{0,3}(?:option |选项?)?[(\[\"'“]{0,3}([A-H])[)\]\"'”.。!]{0,3}", re.IGNORECASE
)
_BEGINNING = lettered(
    r"[(\[\"'“]{0,3}(?:option |选项?)?[(\[\"'“]{0,3}([A-H])[)\]\"'”.。!:、,]{0,3}(?:[\s-]\s*(.*))?",
    re.IGNORECASE,
)
CUT_OFF: Final = frozenset({"length", "max_tokens", "max_output_tokens", "max_length", "token_limit"})
"""Finish reasons by which servers report an answer cut off at its token limit, in lower case."""
_FIRST_SENTENCE = re.compile(r"[。!?;,\n]|\.(?=\s)|\b(?:because|since)\b|因为|由于")
_LAST_SENTENCE = lettered(
    r"(?:^|[.。!?;\n])\s*(?:(?i:so|thus|therefore),? |所以|那就|应该?)?(?:(?i:it(?:'s| is)) |是|选)?\s*"
    r"[(\[\"“]?(?:option |选项)?([A-H])[)\]\"”]?[.。!]?\s*$",
    0,
)
_SMALL_MARKED = re.compile(
    r"(?:(?<=answer: )|(?<=answer is )|(?<=答案:)|(?<=答案是))"
    r"(?:[a-z](?=[.):])|(?P<quote>[\"'])[a-z](?P=quote))",
    re.IGNORECASE,
)
_HAS_NUMBER = re.compile(
    r"\d|[一二三四五六七八]|\b(?:one|two|three|four|five|six|seven|eight)\b", re.IGNORECASE
)
_MARKED = re.compile(r"(?:answers?(?: is| are)?|choice|答案(?:是|为)?|选择?\s*:)\s*[:=]?\s*$", re.IGNORECASE)
_NEW_ANSWER = re.compile(
    r"^[^\w\n]{0,8}(?:(?:the )?(?:correct |right |next )?answer(?: is)?|(?:正确|参考)?答案是?|答)"
    r"\s{0,3}[:：]",
    re.IGNORECASE | re.MULTILINE,
)
_LEADING_END = re.compile(
    r"\s*(?:选?项)?\s*(?:$|[.):,;。、\-—–\n◇=]|(?=[\u4e00-\u9fff])|because\b|since\b|as\b)", re.IGNORECASE
)
_INLINE_LABEL = re.compile(r"(?<![A-Za-z0-9'’])[A-Z][)\]]?(?: ?[=→]|:)")
_OPENING = re.compile(r"[\s\"'“(\[]*(?:option|choice|选项?|项)?[\s:]*[(\[\"'“]*", re.IGNORECASE)
# An option that means declining; an answer that only resembles it is unparsed, not a refusal.
_MEANS_REFUSAL = re.compile(
    r"\bnot? (?:enough|sufficient)\b|\binsufficient\b|\bunknown\b|\bundetermined\b|\bunclear\b"
    r"|\bcan(?:not|'t) be\b"
    r"|\b(?:cannot|can't|can not|unable to) (?:be |know|determine|decide|tell|answer|say|choose)"
    r"|不知道|不确定|(?:无法|不能|难以)(?:判断|确定|回答|得知|作答|选择)|信息不足|拒绝回答",
    re.IGNORECASE,
)
_DECLINES = re.compile(
    r"(?:cannot|can't|can not|unable to|not able to|won't|decline to|refuse to)"
    r" (?:determine|decide|choose|tell|answer|say|pick|select|engage|discuss|help|assist|provide)\b"
    r"(?! for (?:sure|certain)| with certainty)"
    r"|无法(?:判断|确定|回答|作答|选择|提供|给出|给到)"
    r"|(?:不能|拒绝|不便)(?:回答|作答|选择|讨论|提供)|内容(?:违规|敏感)|换个话题|as an ai\b|language model",
    re.IGNORECASE,
)
# What a service returns instead of an answer that its filter stops.
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
    """The result of reading an answer: outcome, chosen option (from 0, or None), named options, evidence."""

    outcome: str
    choice: int | None = None
    named: tuple[int, ...] = ()
    by: str = ""


def read_answer(text: str, options: Sequence[str], *, is_one: bool = True) -> Reading:
    """Read leniently which of 2 to 26 options an answer chooses; the rules are in the module's docstring.

    Unless `is_one`, several options may be right: a letter at the beginning then decides nothing, as others
    may follow.
    """
    if not FEWEST <= len(options) <= MOST:
        raise ValueError(f"an item has {FEWEST} to {MOST} options, not {len(options)}")
    said = _own_words(text)
    for place, answers_first in new_questions(said):
        reading = _read(said[:place], options, is_one=is_one)
        if reading.outcome != UNPARSED and (answers_first or reading.by == BY_MARKER):
            return reading
    return _read(said, options, is_one=is_one)


def is_cut_off(finish_reason: str) -> bool:
    """Return whether a finish reason says that an answer ended at its token limit."""
    return finish_reason.lower() in CUT_OFF


def read_cut_off(text: str, options: Sequence[str]) -> Reading:
    """Read an answer that ended at its token limit: a choice counts only if the answer states it first.

    That is: the first sentence is a letter or an option's words, or there is a final-answer marker. Other
    choices are unparsed, as the answer may have gone on to another option.
    """
    read = read_answer(text, options)
    if read.outcome != CHOSEN:
        return read
    said = _plain(_own_words(text))
    first = _FIRST_SENTENCE.split(said, maxsplit=1)[0]
    masked = mask_options(said, options)
    final = _union(decisions(FINAL, said, masked, options))
    stands = read.choice in (_line_answer(first, options) | _headed(first, options) | final)
    return read if stands else Reading(UNPARSED)


def read_strictly(text: str, count: int) -> Reading:
    """Read an answer that is one letter only; brackets around it and a full stop are allowed."""
    said = plain_answer(text, strict=True)
    found = re.fullmatch(r"[(\[]?([A-Za-z])[)\]]?[.。]?", said)
    if found is None or (choice := LETTERS.index(found[1].upper())) >= count:
        return Reading(UNPARSED)
    return Reading(CHOSEN, choice, (choice,), BY_LETTER)


def plain_answer(text: str, *, strict: bool = False) -> str:
    """Return the answer without thinking and typesetting; if `strict`, only without thinking."""
    return _folded(drop_thinking(tidy(text))).strip() if strict else _plain(_own_words(text))


def _own_words(text: str) -> str:
    """Return the first turn of an answer, without <think> blocks; answer tags become ⟦⟧ and ⟦/⟧."""
    # Answer tags are markers, so they are kept when other tags are dropped.
    return own_turn(drop_thinking(_TAG.sub(r"⟦\1⟧", tidy(text)))).strip()


def _folded(text: str) -> str:
    """Return a text in NFKC form; of an overlong text, only the beginning and the end."""
    if len(text) > LONGEST_BEGINNING + LONGEST:
        text = f"{text[:LONGEST_BEGINNING]}\n{text[-LONGEST:]}"
    # One character may become eighteen, so it is cut once more.
    return unicodedata.normalize("NFKC", text)[-LONGEST_BEGINNING - LONGEST :]


def _plain(text: str) -> str:
    """Return a text in NFKC form without typesetting, with boxed answers and headings turned into markers."""
    said = _folded(text)
    said = _BOXED.sub(r"\nFinal answer: \1\n", _WRAPPED.sub(r"\nFinal answer: \1\n", said))
    said = _untypeset(said)
    if _QUESTION_AND_ANSWER.search(said):
        said = _A_OF_Q.sub("Answer:", said)
    said = _A_FOR_ANSWER(MOST).sub("Answer:", said)
    return _HEADED.sub(lambda match: f"\n{match[1] or match[2]}: ", said).strip()


def _untypeset(text: str) -> str:
    return _EMPHASIS.sub("", _TEX.sub(r"\1", text))


def _read(text: str, released: Sequence[str], *, is_one: bool) -> Reading:
    options = [_untypeset(option).strip() or option for option in released]
    said = _without_new_answers(_plain(text), options)
    if not any(_NO_ANSWER.search(option) for option in options):
        said = _NO_ANSWER.sub("", said).strip()
    if not said:
        return Reading(UNPARSED)
    said = _SMALL_MARKED.sub(lambda match: match[0].upper(), said)
    masked = mask_options(said, options)
    numbers = not any(_HAS_NUMBER.search(option) for option in options)
    named = ordinals_as_letters(said, masked, len(options), numbers=numbers)
    if named != said:
        said, masked = named, mask_options(named, options)
    if without := _without_restated(said, masked, options):
        said, masked = without, mask_options(without, options)
    return _against_words(_weigh(said, masked, options, is_one=is_one), said, masked, options)


def _weigh(said: str, masked: str, options: Sequence[str], *, is_one: bool) -> Reading:
    """Return the choice by answer markers, else by letters that are meant, else by the options' own words."""
    if decided := _decided_by(said, masked, options, is_one=is_one):
        return _leaning(decided, said, masked, options) if is_one else decided
    texts = read_option_texts(said, options)
    if _declines(masked, options):
        meant = frozenset(place for place in texts if _means_refusal(options[place]))
        return _one(meant, BY_TEXT) if meant else Reading(REFUSED)
    letters = _letters(masked, len(options))
    if letters:
        read = _one(letters, BY_LETTER)
        return _leaning(read, said, masked, options) if is_one else read
    return _one(texts, BY_TEXT) if texts else Reading(UNPARSED)


def _leaning(read: Reading, said: str, masked: str, options: Sequence[str]) -> Reading:
    """Return the reading, or the one option that an ambiguous answer says it leans to.

    A letter at the beginning is also replaced if the answer only concedes it: "B is close, but C is better".
    """
    if read.outcome != AMBIGUOUS and not _is_conceded(read, masked, len(options)):
        return read
    towards = [found for found in decisions(LEANING, said, masked, options) if found]
    if read.outcome == CHOSEN:
        towards += [found for found in decisions(CHOICE, said, masked, options) if found]
        praised = (
            one.choices for one in read_mentions(masked, len(options)) if one.counts and one.is_praised
        )
        towards = [found for found in towards or praised if read.choice not in found]
    if len(set(towards)) != 1 or len(towards[0]) != 1:
        return read
    is_open = read.outcome == CHOSEN or towards[0] <= set(read.named)
    is_meant = any(one.counts and one.choices == towards[0] for one in read_mentions(masked, len(options)))
    return _one(towards[0], BY_MARKER) if is_meant and is_open else read


def _is_conceded(read: Reading, masked: str, count: int) -> bool:
    """Return whether a letter was chosen only because it comes first, and the text after it concedes it."""
    if read.choice is None or read.by != BY_LETTER:
        return False
    first = CONCEDED(count).match(masked.lstrip(" \t\n\"'“(["))
    return first is not None and LETTERS.index(first[1].upper()) == read.choice


def _without_restated(said: str, masked: str, options: Sequence[str]) -> str:
    """Remove lists of all options after a marker, since they choose nothing.

    Return "" if there are no such lists.
    """
    parts = list[str]()
    done = 0
    for match in _all_options(len(options)).finditer(masked):
        if _MARKED.search(masked[max(0, match.start() - 60) : match.start()].rstrip(" \t\n-•*")):
            parts.append(said[done : match.start()])
            done = match.end()
    return "".join([*parts, "\n", said[done:]]) if parts else ""


@cache
def _all_options(count: int) -> re.Pattern[str]:
    """Return a pattern for all letters in order, each with the masked words of an option."""
    return re.compile(
        r"[ \t\n;,、.。/|•*-]{0,20}".join(
            rf"[(\[]?(?<![A-Za-z]){letter}[)\]]?[ \t]{{0,9}}[.):、,-]?[ \t]{{0,9}}\"?{MASK}+[.。!?]?\"?"
            for letter in LETTERS[:count]
        )
    )


def _against_words(read: Reading, said: str, masked: str, options: Sequence[str]) -> Reading:
    """Return the reading, or *contradicting* if the letter is next to the exact words of another option.

    The last letter with words next to it decides; the words must be all that is said of this letter.
    """
    if read.choice is None:
        return read
    other = None
    for mention in read_mentions(masked, len(options)):
        own = mention.choices == {read.choice}
        if len(mention.choices) > 1:
            continue
        beside = option_at(said, mention.end, options) if own or read.by == BY_TEXT else None
        if mention.is_ruled_out and not (beside is not None and is_short(fold(options[beside]))):
            continue  # "A. No" is no verdict if "No" is an option
        if beside is None:
            in_brackets = said[mention.start] in "([" or said[max(0, mention.start - 1)] in "(["
            beside = option_before(said, mention.start, options, in_brackets=in_brackets)
        if beside is None:
            continue
        letter = next(iter(mention.choices))
        agrees = fold(options[beside]) == fold(options[letter])
        if own:
            other = None if agrees else beside
        elif beside == read.choice and not agrees:
            other = letter
    if other is None:
        return read
    return Reading(CONTRADICTING, None, tuple(sorted({read.choice, other})), read.by)


def _letters(masked: str, count: int) -> frozenset[int]:
    """Return the letters that are meant as the answer.

    Letters in questions, hedged letters, and letters without praise are dropped in turn, each unless none
    would remain.
    """
    mentions = [one for one in read_mentions(masked, count, labels=_labels(masked, count)) if one.counts]
    said = [mention for mention in mentions if not mention.is_asked] or mentions
    said = [mention for mention in said if not mention.is_hedged] or said
    return _union([mention for mention in said if mention.is_praised] or said)


def _without_new_answers(said: str, options: Sequence[str]) -> str:
    """Return the text up to another "Answer:", if its first line is an answer and is not taken back."""
    first, _end, rest = said.partition("\n")
    new = _NEW_ANSWER.search(rest)
    if new is None or after_taking_back(rest) or not _line_answer(first, options):
        return said
    following = next((line for line in rest.split("\n") if line.strip()), "")
    is_list = _LABEL(len(options)).match(following) or _BARE_LINE(len(options)).fullmatch(following.strip())
    return said if is_list else f"{first}\n{rest[: new.start()]}".strip()


def _line_answer(line: str, options: Sequence[str]) -> frozenset[int]:
    """Return the option of a line that consists of a letter, an option's words, or both.

    Return an empty set for other lines.
    """
    found = _BEGINNING(len(options)).fullmatch(line.strip())
    if found is None or (place := LETTERS.index(found[1].upper())) >= len(options):
        return equal_options(line, options)
    is_own = not found[2] or fold(found[2]) == fold(options[place])
    return frozenset({place}) if is_own else equal_options(line, options)


def _decided_by(said: str, masked: str, options: Sequence[str], *, is_one: bool) -> Reading | None:
    """Return the reading by all markers of the strongest kind; None if there are no markers.

    Options that were taken back do not count. A letter as the last line, a letter at the beginning that is
    then explained, and an option's words as the whole answer decide, too.
    """
    count, back = len(options), after_taking_back(said)
    if is_one and (headed := _headed_last(said, options)):
        return _one(headed, BY_MARKER)
    if whole := whole_answer(said, options):
        return _one(whole, BY_TEXT)
    for start in (back, 0):
        if final := _union(decisions(FINAL, said, masked, options, start)):
            return _one(final, BY_MARKER)
    for start in (back, 0):
        if marked := _marked(said, masked, options, start, is_corrected=0 < back == start):
            return marked
    leading = _leading(masked, count) if is_one else frozenset()
    if len(leading) == 1:
        return _one(leading, BY_LETTER)
    chosen = _union(decisions(CHOICE, said, masked, options, back)) or _union(
        decisions(CHOICE, said, masked, options)
    )
    if leading and not (len(chosen) == 1 and chosen < leading):
        return _one(leading, BY_LETTER)
    return _one(chosen, BY_MARKER) if chosen else None


def _marked(
    said: str, masked: str, options: Sequence[str], start: int, *, is_corrected: bool
) -> Reading | None:
    """Return the reading by markers and the last line after `start`, or None.

    If the markers name several options, the last line decides between them.
    """
    count = len(options)
    found = _union(decisions(ANSWER, said, masked, options, start))
    if not found and (is_corrected or not start):
        replacing = [*decisions(INSTEAD, said, masked, options)]
        found = replacing[-1] if replacing else found
    last = _bare_lines(masked[start:], count)
    if is_corrected and not found and not last and (match := _LAST_SENTENCE(count).search(masked[start:])):
        place = LETTERS.index(match[1].upper())
        last = frozenset({place} if place < count else ())
    if last and last < found:
        return _one(last, BY_LETTER)
    if found or last:
        return _one(found | last, BY_MARKER if found else BY_LETTER)
    return None


def _bare_lines(masked: str, count: int) -> frozenset[int]:
    """Return the letters that are whole lines.

    Return an empty set unless the last line is one.
    """
    bare = [_BARE_LINE(count).fullmatch(line.strip()) for line in masked.strip().split("\n")]
    if bare[-1] is None:
        return frozenset()
    found = frozenset(LETTERS.index(match[1].upper()) for match in bare if match)
    return found if max(found) < count else frozenset()


def _headed_last(said: str, options: Sequence[str]) -> frozenset[int]:
    """Return the option of a last line such as "Answer: B"; none if other such lines have other options."""
    lines = [line for line in said.split("\n") if line.strip()]
    if len(lines) < FEWEST or not _headed(lines[-1], options):
        return frozenset()
    found = _union(_headed(line, options) for line in lines[-MOST_LINES:])
    return found if len(found) == 1 else frozenset()


def _headed(line: str, options: Sequence[str]) -> frozenset[int]:
    """Return the option of a line such as "Answer: B", a heading and an answer; else an empty set."""
    heading = HEADING.match(line)
    return _line_answer(line[heading.end() :], options) if heading else frozenset()


def _leading(masked: str, count: int) -> frozenset[int]:
    """Return the letter that an answer begins with and then explains.

    Return an empty set if the answer discusses each option.
    """
    if len(_labels(masked, count)) > 1:
        return frozenset()
    opening = _OPENING.match(masked)
    first = next(read_mentions(masked, count), None)
    if first is None or opening is None or first.start > opening.end() or not first.counts or first.is_asked:
        return frozenset()
    if _INLINE_LABEL.match(masked, first.start) and len(_INLINE_LABEL.findall(masked)) > 1:
        return frozenset()
    return first.choices if _LEADING_END.match(masked, first.end) else frozenset()


def _labels(masked: str, count: int) -> frozenset[int]:
    """Return the positions of letters that begin lines, if the letters differ, as in a list of options."""
    found = {match.start(1): match[1].upper() for match in _LABEL(count).finditer(masked)}
    return frozenset(found) if len(set(found.values())) > 1 else frozenset()


def _declines(masked: str, options: Sequence[str]) -> bool:
    """Return whether a text declines to answer; masked words of options do not count."""
    if is_refusal(masked) or _FILTERED.search(masked[:300]):
        return True
    return _DECLINES.search(masked[:200]) is not None and not any(map(_means_refusal, options))


def _means_refusal(option: str) -> bool:
    return _MEANS_REFUSAL.search(option) is not None or is_refusal(option)


def _union(found: Iterable[frozenset[int] | Mention]) -> frozenset[int]:
    sets = (one.choices if isinstance(one, Mention) else one for one in found)
    return frozenset().union(*sets)


def _one(found: frozenset[int], by: str) -> Reading:
    named = tuple(sorted(found))
    if len(named) == 1:
        return Reading(CHOSEN, named[0], named, by)
    return Reading(AMBIGUOUS, None, named, by)
