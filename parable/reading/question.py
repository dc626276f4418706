"""The zero-shot prompt: a story, a question, its options under letters, and the wish for the answer only."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

ZERO_SHOT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "zh": "请读下面的故事，回答后面的单项选择题。只写出答案的字母，不要解释。\n\n"
        "故事：\n{story}\n\n问题：{question}\n\n选项：\n{options}\n\n答案：",
        "en": "Read the story and answer the multiple-choice question about it. Give only the letter of the "
        "answer, with no explanation.\n\n"
        "Story:\n{story}\n\nQuestion: {question}\n\nOptions:\n{options}\n\nAnswer:",
    }
)
"""By language. The variables are filled in one pass; anything else in braces is text."""

_VARIABLE = re.compile(r"\{(story|question|options)\}")


def zero_shot(language: str) -> str:
    """The template for stories in this language; English where there is none of its own."""
    return ZERO_SHOT.get(language.partition("-")[0].lower(), ZERO_SHOT["en"])


def fill_question(template: str, *, story: str, question: str, options: Sequence[str]) -> str:
    """The exact prompt: each option on a line of its own after its letter, in the order given."""
    lines = (f"{chr(ord('A') + place)}. {' '.join(option.split())}" for place, option in enumerate(options))
    values = {"story": story.strip(), "question": question.strip(), "options": "\n".join(lines)}
    return _VARIABLE.sub(lambda match: values[match[1]], template)
