"""Rules for the prompts of a run, of the project or of a team: what they must and may contain. Pure."""

from collections.abc import Mapping
from typing import Final

from parable.kinds import kind_of
from parable.kinds.question import OneOption
from parable.reading.question import OPTIONS_IN_LINE, missing_variables

LONGEST_PROMPT: Final = 20_000
PROMPT: Final = "prompt"
"""The field of the prompt for questions with one right option; those of other tasks have the task's code."""


def field_of(task: str) -> str:
    """Return the name of the field that has a task's prompt."""
    return PROMPT if kind_of(task).question.is_one_option else f"{PROMPT}-{task}"


def faulty_prompts(prompt: str | None, prompts: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return the variables that a prompt must contain, by the field of each that lacks one or is too long.

    `prompt`: the one for questions with one right option, or None for the usual one. `prompts`: those of
    other tasks.
    """
    asked = {} if prompt is None else {PROMPT: (prompt, OneOption.wanted)}
    asked |= {field_of(task): (text, kind_of(task).question.wanted) for task, text in prompts.items()}
    return {
        name: wanted
        for name, (text, wanted) in asked.items()
        if missing_variables(text, wanted) or len(text) > LONGEST_PROMPT
    }


def variables_of(task: str) -> tuple[str, ...]:
    """Return the variables that a prompt of this task may contain; none of them has a key."""
    kind = kind_of(task)
    options = ("{options}", OPTIONS_IN_LINE) if kind.has_options else ()
    names = ("{story}", "{question}") if kind.has_stem else ("{story}",)
    found = (*names, *options, *kind.question.wanted)
    return tuple(dict.fromkeys(found))
