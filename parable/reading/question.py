"""The zero-shot prompt: a story, a question, options with letters, and a request for the answer only."""

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
"""Templates by language. Variables are filled in one pass; anything else in braces is text."""

SEVERAL_ANSWERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "zh": "请读下面的故事，回答后面的多项选择题。正确选项有一个或几个。只写出所有正确选项的字母，"
        "例如“AC”，不要解释。\n\n"
        "故事：\n{story}\n\n问题：{question}\n\n选项：\n{options}\n\n答案：",
        "en": "Read the story and answer the question about it. One or more of the options are correct. Give "
        'only the letters of all correct options, such as "AC", with no explanation.\n\n'
        "Story:\n{story}\n\nQuestion: {question}\n\nOptions:\n{options}\n\nAnswer:",
    }
)
"""Templates by language for questions with one or more right options."""

RIGHT_ORDER: Final[Mapping[str, str]] = MappingProxyType(
    {
        "zh": "请读下面的故事，按要求排列后面各项的顺序。只按正确顺序写出全部字母，例如“BDAC”，不要解释。\n\n"
        "故事：\n{story}\n\n要求：{question}\n\n各项：\n{options}\n\n顺序：",
        "en": "Read the story and put the entries below it into the right order. Give only the letters "
        'in the right order, such as "BDAC", with no explanation.\n\n'
        "Story:\n{story}\n\nTask: {question}\n\nEntries:\n{options}\n\nOrder:",
    }
)
"""Templates by language for questions whose options are to be put in order."""

OPTIONS: Final = "{options}"
OPTIONS_IN_LINE: Final = "{options_in_line}"
_VARIABLE = re.compile(r"\{(story|question|options|options_in_line)\}")
NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


def zero_shot(language: str, templates: Mapping[str, str] = ZERO_SHOT) -> str:
    """Return the template for stories in this language, or the English one."""
    return templates.get(language.partition("-")[0].lower(), templates["en"])


def fill_question(
    template: str, *, story: str, question: str, options: Sequence[str], more: Mapping[str, str] = NOTHING
) -> str:
    """Return the exact prompt, with each option after its letter, in the given order.

    Each option is on a line of its own, or for {options_in_line} all of them are on one line. `more`: values
    of a task's own variables, by name.
    """
    lines = tuple(
        f"{chr(ord('A') + place)}. {' '.join(option.split())}" for place, option in enumerate(options)
    )
    values = {"story": story.strip(), "question": question.strip()}
    values |= {"options": "\n".join(lines), "options_in_line": " ".join(lines)}
    if not more:
        return _VARIABLE.sub(lambda match: values[match[1]], template)
    values |= more
    return re.sub(r"\{(" + "|".join(values) + r")\}", lambda match: values[match[1]], template)


def missing_variables(template: str, wanted: Sequence[str]) -> list[str]:
    """Return which of the wanted variables a template lacks; {options} may be {options_in_line}."""
    has_line = OPTIONS_IN_LINE in template
    return [name for name in wanted if name not in template and not (name == OPTIONS and has_line)]
