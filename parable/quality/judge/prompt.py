"""Prompts for judging an item: all rules and a rating in one call, or one rule per call."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from parable.quality.item.rules import CODES
from parable.quality.judge.criteria import BROKEN_WHERE

HIGHEST: Final = 2
"""The highest rating of the default scale, for items that belong to no project."""

TOGETHER: Final[Mapping[str, str]] = MappingProxyType(
    {
        "en": "You judge a multiple-choice item for an exam. These are rules of item writing, each by a code"
        " with what breaks it:\n{rules}\n\nThis is the item:\n\n{item}\n\n"
        "Name only the rules that this item breaks; a sound item breaks none. Rate the item from 0 (poor)"
        " to {highest} (excellent). Answer with JSON alone:\n"
        '{{"broken": ["code", ...], "rating": number}}',
        "zh": "请评判一道选择题。下面是命题规则，每条规则有一个代码，后面写明什么算违反：\n{rules}\n\n"
        "这是要评判的题：\n\n{item}\n\n"
        "只列出这道题违反的规则；合格的题一条也不违反。再给这道题评分，从0（差）到{highest}（优）。只用JSON回答：\n"
        '{{"broken": ["代码", ...], "rating": 分数}}',
    }
)
"""Templates for one call per item; the rules come first, so that servers can cache them."""
ONE_RULE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "en": "{item}\n\nIs this true of the item: {rules}? Answer yes or no.",
        "zh": "{item}\n\n这道题是否这样：{rules}？只回答“是”或“否”。",
    }
)
"""Templates for one call per rule, for very small models; the item comes first."""

_LABELS: Final[Mapping[str, tuple[str, str, str, str]]] = MappingProxyType(
    {
        "en": ("Text:\n{}", "Stem: {}", "Options:\n{}", "Key: {}"),
        "zh": ("文本：\n{}", "题干：{}", "选项：\n{}", "正确答案：{}"),
    }
)
_VARIABLE: Final = re.compile(r"\{\{|\}\}|\{(item|rules|highest)\}")
_BRACES: Final = MappingProxyType({"{{": "{", "}}": "}"})


@dataclass(frozen=True, slots=True)
class Judged:
    """An item as the prompt has it; `keys` are positions in `options`, `text` is the story."""

    stem: str
    options: Sequence[str]
    keys: Sequence[int]
    text: str = ""


@dataclass(frozen=True, slots=True)
class JudgePrompt:
    """The prompts for a model: templates by language, and whether each call is about one rule only.

    `highest` is the highest rating of the scale.
    """

    templates: Mapping[str, str] = field(default_factory=lambda: TOGETHER)
    is_rule_by_rule: bool = False
    highest: int = HIGHEST

    def questions(self, item: Judged, language: str) -> list[tuple[str, str]]:
        """Return (rule code, prompt) for each call; the code is "" for a prompt about all rules."""
        spoken = "zh" if language.lower().startswith("zh") else "en"
        item_text = show(item, spoken)
        if self.is_rule_by_rule:
            return [(rule, self._fill(spoken, item_text, BROKEN_WHERE[rule][spoken])) for rule in CODES]
        rules = "\n".join(f"- {rule}: {BROKEN_WHERE[rule][spoken]}" for rule in CODES)
        return [("", self._fill(spoken, item_text, rules))]

    def schema(self) -> Mapping[str, object]:
        """Return the JSON schema of a reply."""
        return yes_schema() if self.is_rule_by_rule else answer_schema(self.highest)

    def _fill(self, language: str, item: str, rules: str) -> str:
        values = {"item": item, "rules": rules, "highest": str(self.highest)}
        template = self.templates[language]
        return _VARIABLE.sub(lambda match: _BRACES.get(match[0]) or values[match[1]], template)


WHOLE: Final = JudgePrompt()
RULE_BY_RULE: Final = JudgePrompt(ONE_RULE, is_rule_by_rule=True)


def show(item: Judged, language: str) -> str:
    """Return the item as plain text: text, stem, options on lines with letters, and letters of the keys."""
    lines = "\n".join(
        f"{_letter(index)}. {' '.join(text.split())}" for index, text in enumerate(item.options)
    )
    parts = (item.text.strip(), item.stem.strip(), lines, ", ".join(map(_letter, item.keys)))
    said = [label.format(part) for label, part in zip(_LABELS[language], parts, strict=True) if part]
    return "\n\n".join(said)


def _letter(place: int) -> str:
    return chr(ord("A") + place)


def answer_schema(highest: int) -> dict[str, object]:
    """Return the JSON schema of a reply about all rules, for servers that accept a schema."""
    broken = {"type": "array", "items": {"type": "string", "enum": list(CODES)}}
    return _object(broken=broken, rating={"type": "integer", "enum": list(range(highest + 1))})


def yes_schema() -> dict[str, object]:
    """Return the JSON schema of a reply about one rule; with it, very small models use the format."""
    return _object(answer={"type": "string", "enum": ["yes", "no"]})


def _object(**properties: object) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
