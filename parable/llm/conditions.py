"""Settings of published evaluations, for repeating them exactly, and codes of option orders.

A published prompt is an experimental parameter, so it is quoted literally, including punctuation. The CRMUS
paper prints its prompt as a template, with the colon after each text, and in an example, with the colon after
each label and all options on one line. `CRMUS_PROMPT` is that of the example; its authors' program for the
shared task (baseline_track1/run.py) puts each option on a line of its own.
"""

from dataclasses import dataclass
from typing import Final

from parable.sentences import gettext_noop

RELEASED: Final = "released"
SHUFFLED: Final = "shuffled"
CIRCULAR: Final = "circular"
ORDERS: Final = (RELEASED, SHUFFLED, CIRCULAR)

CRMUS_SOURCE: Final = "CRMUS, CCL 2024, https://github.com/SXU-YaxinGuo/CRMU"
_CRMUS: Final = "根据故事回答下面的单项选择题，只给出答案即可：\n"
CRMUS_PROMPT: Final = _CRMUS + "故事:{story}\n问题:{question}\n选项:{options_in_line}\n答案:"
CRMUS_PROGRAM: Final = _CRMUS + "故事:{story}\n问题:{question}\n选项:\n{options}\n答案:"
CRMUS_TEMPLATE: Final = _CRMUS + "故事{story}:\n问题{question}:\n选项{options}:\n答案:"


@dataclass(frozen=True, slots=True)
class Condition:
    """The settings of a published evaluation: prompt, repeats, order of options; `source` is the citation."""

    id: str
    name: str
    source: str
    prompt: str
    repeats: int
    order: str = RELEASED


CONDITIONS: Final = (
    Condition("crmus", gettext_noop("CRMUS, zero-shot"), CRMUS_SOURCE, CRMUS_PROMPT, 1),
    # two repeats: inconsistency is the share of items whose two answers differ
    Condition("crmus-repeated", gettext_noop("CRMUS, answers repeated"), CRMUS_SOURCE, CRMUS_PROMPT, 2),
    Condition(
        "crmus-program", gettext_noop("CRMUS, as its authors' program"), CRMUS_SOURCE, CRMUS_PROGRAM, 1
    ),
    # what earlier versions of Parable asked
    Condition("crmus-template", gettext_noop("CRMUS, template as printed"), CRMUS_SOURCE, CRMUS_TEMPLATE, 1),
)


def find_condition(name: str) -> Condition | None:
    """Return the condition with this id; None if there is none."""
    return next((one for one in CONDITIONS if one.id == name), None)


def condition_of(*, prompt: str, repeats: int, order: str) -> Condition | None:
    """Return the published condition with exactly these settings; None if there is none."""
    wanted = (prompt, repeats, order)
    return next((one for one in CONDITIONS if (one.prompt, one.repeats, one.order) == wanted), None)
