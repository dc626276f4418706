"""A tolerant parser of a model's judgement of an item, which raises no exceptions.

Nothing is guessed: a rule counts as broken only if a list of broken rules contains its code. A reply without
readable rules and rating is unreadable.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from parable.llm.lenient_json import find_json
from parable.quality.item.rules import CODES
from parable.reading.chatter import drop_thinking, is_refusal, tidy

REFUSED: Final = "refused"
UNREADABLE: Final = "unreadable"
LONGEST: Final = 20_000

_QUOTES = r"[\"'“”*_]{0,3}"
_SPACE = r"\s{0,5}"
_RATING = re.compile(
    rf"{_QUOTES}(?:rating|score|评分|分数|得分){_QUOTES}{_SPACE}(?:[:：=]|is|为|是)?{_SPACE}{_QUOTES}{_SPACE}"
    r"(-?\d{1,4}(?:\.\d{1,4})?)(?:\s{0,2}[/／]\s{0,2}(\d{1,4}))?",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"(?:broken|violat(?:ed|ions?)|违反)[^:：\n]{0,40}[:：]"
    r"((?:(?!rating|score|评分)[^\n])*(?:\n[ \t]*[-*•](?:(?!rating|score|评分)[^\n])*)*)",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"[\s\[\](（）)\"'*]*(?:none|nothing|no rules?|无|没有|0)?[\s\[\]。.,，;；)）\"'*]*", re.IGNORECASE
)
_LEAD = r"[\s\"'“*{]{0,8}(?:(?:the )?answer(?: is)?[\s\"'“”*:：]{0,6}|答案(?:是|为)?[\s\"'“”*:：]{1,6})?"
_YES = re.compile(_LEAD + r"(?:yes\b|true\b|是(?!否)|对|有|违反)", re.IGNORECASE)
_NO = re.compile(_LEAD + r"(?:no\b|not\b|false\b|否|不|没有|未)", re.IGNORECASE)
_LISTS: Final = (
    "broken",
    "broken_rules",
    "violated",
    "violations",
    "rules",
    "codes",
    "违反",
    "违反的规则",
    "代码",
)
_CODE_NAMES: Final = ("code", "rule", "id", "代码", "规则")
_MEANS_SOUND: Final = frozenset(
    {"false", "no", "0", "none", "null", "sound", "ok", "", "否", "不", "没有", "无"}
)
_DECODER: Final = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Verdict:
    """The content of a reply: codes of `broken` rules and a `rating`; each is None if missing.

    `outcome` is "" if the reply has at least one of the two, else `REFUSED` or `UNREADABLE`.
    """

    broken: frozenset[str] | None = None
    rating: int | None = None
    outcome: str = ""


def read_verdict(text: str, *, highest: int) -> Verdict:
    """Parse the verdict in a reply about all rules; a rating outside the scale is ignored."""
    reply = drop_thinking(tidy(text[:LONGEST]))
    broken, rating = _broken(reply), _rating(reply, highest)
    if broken is None and rating is None:
        return Verdict(outcome=REFUSED if is_refusal(reply) else UNREADABLE)
    return Verdict(broken, rating)


def read_yes(text: str) -> bool | None:
    """Return whether a reply about one rule means that the rule is broken; None if neither yes nor no."""
    reply = drop_thinking(tidy(text[:LONGEST])).strip()
    if _NO.match(reply):
        return False
    return True if _YES.match(reply) else None


def _rating(reply: str, highest: int) -> int | None:
    """Return the last rating in a reply if it is an integer from 0 to `highest`, else None."""
    for match in reversed(list(_RATING.finditer(reply))):
        value = float(match[1])
        is_own_scale = match[2] is not None and int(match[2]) != highest
        if not is_own_scale and value.is_integer() and 0 <= value <= highest:
            return int(value)
        return None
    return None


def _broken(reply: str) -> frozenset[str] | None:
    """Return the rules in the last list of broken rules, in JSON or after a heading.

    Return None if there is no list.
    """
    for value in (*reversed(list(_sound_json(reply))), *(one.value for one in reversed(find_json(reply)))):
        found = _of_json(value)
        if found is not None:
            return found
    for match in reversed(list(_HEADING.finditer(reply))):
        found = _of_words(match[1])
        if found is not None:
            return found
    return None


def _sound_json(reply: str) -> Iterator[Any]:
    """Yield the objects and lists in a reply that are valid JSON; `find_json` parses malformed JSON."""
    position = 0
    for _ in range(20):
        start = re.compile(r"[\[{]").search(reply, position)
        if start is None:
            return
        try:
            value, position = _DECODER.raw_decode(reply, start.start())
        except (ValueError, RecursionError):
            position = start.end()
        else:
            yield value


def _of_json(value: Any) -> frozenset[str] | None:
    """Return the rules that a JSON value names as broken, in a list or in fields.

    Return None if it has neither.
    """
    if isinstance(value, list):
        return _of_list(value) if value else None
    if not isinstance(value, Mapping):
        return None
    fields = {str(name).strip().casefold(): field for name, field in value.items()}
    for name in _LISTS:
        if name not in fields:
            continue
        field = fields[name]
        if isinstance(field, list):
            return _of_list(field)
        return _of_marks(field) if isinstance(field, Mapping) else _of_words(str(field))
    return _of_marks(fields) if any(_codes_in(name) for name in fields) else None


def _of_list(entries: Iterable[Any]) -> frozenset[str] | None:
    """Return the rules in a list; None if it has entries but no known rule."""
    texts = [_text_of(entry) for entry in entries]
    named = frozenset(rule for text in texts for rule in _codes_in(text))
    return named if named or all(_NOTHING.fullmatch(text) for text in texts) else None


def _text_of(entry: Any) -> str:
    if isinstance(entry, Mapping):
        return next((str(entry[name]) for name in _CODE_NAMES if name in entry), str(dict(entry)))
    return str(entry)


def _of_marks(fields: Mapping[Any, Any]) -> frozenset[str]:
    """Return the rules whose field in an object has a value that does not mean "not broken"."""
    marked = (name for name, reply in fields.items() if str(reply).strip().casefold() not in _MEANS_SOUND)
    return frozenset(rule for name in marked for rule in _codes_in(str(name)))


def _of_words(text: str) -> frozenset[str] | None:
    named = _codes_in(text)
    return named if named or _NOTHING.fullmatch(text) else None


def _codes_in(text: str) -> frozenset[str]:
    """Return the rule codes in a text, ignoring case; spaces or hyphens may replace underscores."""
    plain = re.sub(r"[\s\-]+", "_", text.strip().casefold())
    return frozenset(rule for rule in CODES if re.search(rf"(?<![a-z]){rule}(?![a-z])", plain))
