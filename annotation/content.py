"""What an item says, as plain values, and what it still lacks before it can be submitted. Pure."""

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from parable.formats.options import is_blank, normalise_option

COMMONSENSE: Final = "commonsense"
MOST_OPTIONS: Final = 8
FEWEST_OPTIONS: Final = 2
LONGEST_STEM: Final = 4_000
LONGEST_OPTION: Final = 2_000
LONGEST_EXPLANATION: Final = 8_000

_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class OptionContent:
    """One option as typed; `candidate` is the id of the machine proposal it grew from, if any."""

    text: str
    is_key: bool = False
    candidate: int | None = None


@dataclass(frozen=True, slots=True)
class ItemContent:
    """Stem, options in the writer's order, commonsense types by code, explanation, answered warnings."""

    stem: str = ""
    options: tuple[OptionContent, ...] = ()
    types: tuple[str, ...] = ()
    explanation: str = ""
    answered_warnings: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def key(self) -> OptionContent | None:
        """The one key, or none while there is none or more than one."""
        keys = [option for option in self.options if option.is_key]
        return keys[0] if len(keys) == 1 else None


@dataclass(frozen=True, slots=True)
class Problem:
    """Something an item lacks: a code, the field it concerns, and parameters of its sentence."""

    code: str
    field: str
    params: Mapping[str, Any] = dataclasses.field(default_factory=dict)


def _text(value: object) -> str:
    """The text without NUL and halves of characters, which no browser types and no database keeps."""
    return _UNSTORABLE.sub("", value) if isinstance(value, str) else ""


def _option(value: object) -> OptionContent:
    if not isinstance(value, Mapping):
        return OptionContent("")
    candidate = value.get("candidate")
    known = candidate if isinstance(candidate, int) and not isinstance(candidate, bool) else None
    return OptionContent(_text(value.get("text")), value.get("is_key") is True, known)


def from_json(value: object) -> ItemContent:
    """Read a draft's JSON leniently: what is not of its shape counts as not there."""
    if not isinstance(value, Mapping):
        return ItemContent()
    options, types, warnings = value.get("options"), value.get("types"), value.get("answered_warnings")
    return ItemContent(
        stem=_text(value.get("stem")),
        options=tuple(_option(option) for option in options[:MOST_OPTIONS])
        if isinstance(options, list)
        else (),
        types=tuple(code for code in types if isinstance(code, str)) if isinstance(types, list) else (),
        explanation=_text(value.get("explanation")),
        answered_warnings={
            str(check): reason for check, reason in warnings.items() if isinstance(reason, str)
        }
        if isinstance(warnings, Mapping)
        else {},
    )


def to_json(content: ItemContent) -> dict[str, Any]:
    """The draft's JSON of this content."""
    return {
        "stem": content.stem,
        "options": [
            {"text": option.text, "is_key": option.is_key}
            | ({"candidate": option.candidate} if option.candidate is not None else {})
            for option in content.options
        ],
        "types": list(content.types),
        "explanation": content.explanation,
        "answered_warnings": dict(content.answered_warnings),
    }


def _shown(text: str) -> str:
    return "" if is_blank(text) else text.strip()


def trim(content: ItemContent) -> ItemContent:
    """The content less outer white space, types once each; every option keeps its place."""
    return replace(
        content,
        stem=content.stem.strip(),
        options=tuple(replace(option, text=_shown(option.text)) for option in content.options),
        types=tuple(dict.fromkeys(content.types)),
        explanation=content.explanation.strip(),
    )


def tidy(content: ItemContent) -> ItemContent:
    """The content as it is submitted: trimmed, and without its empty options."""
    trimmed = trim(content)
    return replace(trimmed, options=tuple(o for o in trimmed.options if o.text or o.is_key))


def says_the_same(one: ItemContent, other: ItemContent) -> bool:
    """Whether two contents would be handed in as one wording; answers to warnings aside."""
    return _said(one) == _said(other)


def _said(content: ItemContent) -> tuple[object, ...]:
    tidied = tidy(content)
    options = [(option.text, option.is_key) for option in tidied.options]
    return tidied.stem, options, sorted(tidied.types), tidied.explanation


def problems(
    content: ItemContent,
    *,
    task: str,
    known_types: Iterable[str],
    options_wanted: int | None = None,
    explanation_wanted: bool = False,
) -> list[Problem]:
    """What keeps this trimmed content from being submitted, in the order of the form.

    Options left empty are no options, but count where others are named by their number.
    `options_wanted`: the number the project asks for at the desk; None where 2 to 8 may come (imports).
    """
    found = [*_type_problems(content.types, task, set(known_types)), *_text_problems(content)]
    found += _option_problems([option.text for option in content.options], options_wanted)
    found += _key_problems(content.options)
    if explanation_wanted and not content.explanation:
        found.append(Problem("no_explanation", "explanation"))
    return found


def _type_problems(types: Sequence[str], task: str, known: set[str]) -> list[Problem]:
    if task == COMMONSENSE and not types:
        return [Problem("no_type", "types")]
    return [Problem("unknown_type", "types", {"type": code}) for code in types if code not in known]


def _text_problems(content: ItemContent) -> list[Problem]:
    if not content.stem:
        return [Problem("no_stem", "stem")]
    found = []
    if len(content.stem) > LONGEST_STEM:
        found.append(Problem("too_long", "stem", {"limit": LONGEST_STEM}))
    if len(content.explanation) > LONGEST_EXPLANATION:
        found.append(Problem("too_long", "explanation", {"limit": LONGEST_EXPLANATION}))
    if any(
        "\x00" in text for text in (content.stem, content.explanation, *(o.text for o in content.options))
    ):
        found.append(Problem("control_character", "stem"))
    return found


def _option_problems(texts: Sequence[str], wanted: int | None) -> list[Problem]:
    filled = [text for text in texts if text]
    found = []
    if wanted is not None and len(filled) != wanted:
        found.append(Problem("wrong_number_of_options", "options", {"wanted": wanted, "found": len(filled)}))
    elif not FEWEST_OPTIONS <= len(filled) <= MOST_OPTIONS:
        found.append(Problem("options_out_of_range", "options", {"found": len(filled)}))
    first: dict[str, int] = {}
    for number, text in enumerate(texts, start=1):
        if len(text) > LONGEST_OPTION:
            found.append(Problem("too_long", f"option-{number}", {"limit": LONGEST_OPTION}))
        earlier = first.setdefault(normalise_option(text), number) if text else number
        if earlier != number:
            found.append(Problem("equal_options", f"option-{number}", {"first": earlier, "second": number}))
    return found


def _key_problems(options: Sequence[OptionContent]) -> list[Problem]:
    keys = [option for option in options if option.is_key]
    if not keys:
        return [Problem("no_key", "key")]
    if len(keys) > 1:
        return [Problem("two_keys", "key")]
    return [] if keys[0].text else [Problem("empty_key", "key")]
