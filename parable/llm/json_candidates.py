"""Picks out the proposals among the strings in an answer's JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from parable.llm.lenient_json import Found, Value, find_json, starts_like_json

_LIST_NAMES = (
    "candidates", "morals", "options", "distractors", "answers", "choices", "items", "results", "proposals",
    "lessons", "寓意", "选项", "候选", "干扰项", "错误寓意", "错误选项", "道理", "答案", "结果",
)  # fmt: skip
_TEXT_NAMES = (
    "candidate", "moral", "wrong_moral", "option", "distractor", "text", "content", "statement", "lesson",
    "answer", "value", "寓意", "错误寓意", "道理", "选项", "干扰项", "候选", "内容", "文本", "答案",
)  # fmt: skip
# Names of members that accompany a proposal but are not proposals.
_BESIDE = re.compile(
    r"id|index|no|number|title|name|label|key|type|language|lang|source|is_correct|correct|score|"
    r".*(?:reason|explanation|rationale|analysis|thought|comment|note|step|why|strategy).*|"
    r"编号|序号|标题|题目|类型|语言|来源|.*(?:理由|原因|解释|说明|分析|思路|备注|思考).*",
    re.IGNORECASE,
)
_STEM_OR_KEY = re.compile(r"question|stem|(?:correct_)?answer|key|问题|题干|(?:正确)?答案", re.IGNORECASE)
_NUMBERED_NAME = re.compile(r"\D{0,20}\d{1,2}|[A-Ha-h]|\D{0,8}[一二三四五六七八九十]{1,2}")

JsonShape = Literal["json", "json_cut"]


def read_json(text: str) -> tuple[list[str], JsonShape | None]:
    """Return the proposals in the JSON of a text, and "json", or "json_cut" if the JSON is cut off.

    The second value is None if there is no JSON.
    """
    read = [(pick_strings(value.value), value) for value in find_json(text)]
    useful = [(strings, value) for strings, value in read if strings]
    if not useful:
        return [], "json_cut" if starts_like_json(text) else None
    longest = max(len(strings) for strings, _ in useful)
    if longest == 1:
        # One object per line, or one per item of a list.
        return [strings[0] for strings, _ in useful], _shape_of([value for _, value in useful])
    # If an answer repeats a draft in a final form, the last of the longest values is meant.
    strings, value = next(pair for pair in reversed(useful) if len(pair[0]) == longest)
    return strings, _shape_of([value])


def pick_strings(value: Value) -> list[str]:
    """Return the proposals inside a JSON value, in order."""
    if isinstance(value, str):
        return [value] if value.strip() else []
    if isinstance(value, list):
        return [text for entry in value for text in _pick_entry(entry)]
    return _pick_from_object(value) if value else []


def _pick_entry(entry: Value) -> list[str]:
    if isinstance(entry, dict):
        return _pick_from_object(entry)
    return pick_strings(entry)


def _pick_from_object(fields: dict[str, Value]) -> list[str]:
    filtered = {name: value for name, value in fields.items() if not _BESIDE.fullmatch(name.strip())}
    # A complete item has a stem and a key beside the options.
    options = {name: value for name, value in filtered.items() if not _STEM_OR_KEY.fullmatch(name.strip())}
    return next(filter(None, _readings(options or filtered)), [])


def _readings(fields: dict[str, Value]) -> Iterator[list[str]]:
    """Yield the proposals found by each way of reading an object, the most likely way first."""
    lists = {name: pick_strings(value) for name, value in fields.items() if isinstance(value, list)}
    yield from (lists[name] for name in _LIST_NAMES if name in lists)
    yield max(lists.values(), key=len, default=[])
    yield from (pick_strings(fields[name]) for name in _LIST_NAMES if isinstance(fields.get(name), dict))
    if len(fields) > 1 and all(_NUMBERED_NAME.fullmatch(name.strip()) for name in fields):
        yield [text for value in fields.values() for text in _pick_entry(value)]
    texts = {
        name.strip().lower(): value
        for name, value in fields.items()
        if isinstance(value, str) and value.strip()
    }
    yield from ([texts[name]] for name in _TEXT_NAMES if name in texts)
    if texts:
        yield [max(texts.values(), key=len)]
    nested = (value for value in fields.values() if isinstance(value, dict))
    yield [text for value in nested for text in _pick_from_object(value)]


def _shape_of(found: list[Found]) -> JsonShape:
    return "json" if all(value.complete for value in found) else "json_cut"
