"""The content of an item as plain values, and as the JSON of a draft. Pure."""

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from parable.formats.fields import one_line_end
from parable.formats.limits import MAX_OPTIONS
from parable.formats.options import is_blank

MOST_TYPES: Final = 50
LONGEST_CODE: Final = 30
"""The maximum number of types of an item, and of characters of a type's code."""
MOST_WARNINGS: Final = 200
"""The maximum number of reasons in a draft: far more than its checks can require."""
MOST_PARTS: Final = 100
"""The maximum number of top-level names in the field `own` of a draft or answer."""

_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class OptionContent:
    """An option as it was entered.

    `candidate`: the id of the candidate from which it came, or None. `rank`: its position in the correct
    order, from 1, for kinds with an order.
    """

    text: str
    is_key: bool = False
    candidate: int | None = None
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class ItemContent:
    """The content of an item: stem, options, types, explanation, and reasons for warnings.

    Options are in the writer's order, types are codes. `own` has the fields that only items of this kind
    have, as JSON that the kind in `annotation.kinds` has cleaned.
    """

    stem: str = ""
    options: tuple[OptionContent, ...] = ()
    types: tuple[str, ...] = ()
    explanation: str = ""
    answered_warnings: Mapping[str, str] = dataclasses.field(default_factory=dict)
    own: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def key(self) -> OptionContent | None:
        """The key; None if there is no key or more than one."""
        keys = [option for option in self.options if option.is_key]
        return keys[0] if len(keys) == 1 else None


def _text(value: object) -> str:
    """Return the text without NUL and lone surrogates, which the database cannot store."""
    return _UNSTORABLE.sub("", value) if isinstance(value, str) else ""


def _words(value: object) -> str:
    """Return the text cleaned by `_text`, with line feeds as line ends."""
    return one_line_end(_text(value))


def _storable(value: Any) -> Any:
    """Return a JSON value with all texts in it cleaned by `_text`."""
    if isinstance(value, Mapping):
        return {_text(name): _storable(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_storable(one) for one in value]
    return _text(value) if isinstance(value, str) else value


def _option(value: object) -> OptionContent:
    if not isinstance(value, Mapping):
        return OptionContent("")
    known, rank = _number(value.get("candidate")), _number(value.get("rank"))
    return OptionContent(_words(value.get("text")), value.get("is_key") is True, known, rank)


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def from_json(value: object) -> ItemContent:
    """Return the content of a draft's JSON. Malformed parts are left out."""
    if not isinstance(value, Mapping):
        return ItemContent()
    options, types, warnings = value.get("options"), value.get("types"), value.get("answered_warnings")
    return ItemContent(
        stem=_words(value.get("stem")),
        options=tuple(_option(option) for option in options[:MAX_OPTIONS])
        if isinstance(options, list)
        else (),
        types=tuple(
            code for code in types[:MOST_TYPES] if isinstance(code, str) and len(code) <= LONGEST_CODE
        )
        if isinstance(types, list)
        else (),
        explanation=_words(value.get("explanation")),
        answered_warnings={
            str(check): reason for check, reason in warnings.items() if isinstance(reason, str)
        }
        if isinstance(warnings, Mapping)
        else {},
        own=_storable(own) if isinstance(own := value.get("own"), Mapping) else {},
    )


def to_json(content: ItemContent) -> dict[str, object]:
    """Return the content as a draft's JSON."""
    return {
        "stem": content.stem,
        "options": [
            {"text": option.text, "is_key": option.is_key}
            | ({"candidate": option.candidate} if option.candidate is not None else {})
            | ({"rank": option.rank} if option.rank is not None else {})
            for option in content.options
        ],
        "types": list(content.types),
        "explanation": content.explanation,
        "answered_warnings": dict(content.answered_warnings),
    } | ({"own": dict(content.own)} if content.own else {})


def trim(content: ItemContent) -> ItemContent:
    """Return the content without surrounding white space and repeated types. Options keep their positions."""
    return replace(
        content,
        stem=content.stem.strip(),
        options=tuple(
            replace(option, text="" if is_blank(option.text) else option.text.strip())
            for option in content.options
        ),
        types=tuple(dict.fromkeys(content.types)),
        explanation=content.explanation.strip(),
    )


def tidy(content: ItemContent) -> ItemContent:
    """Return the content as it is submitted: trimmed, and without empty options except the key."""
    trimmed = trim(content)
    return replace(trimmed, options=tuple(o for o in trimmed.options if o.text or o.is_key))


def says_the_same(one: ItemContent, other: ItemContent) -> bool:
    """Return whether two contents would have the same wording after submission.

    Their reasons for warnings may differ.
    """
    return _said(one) == _said(other)


def _said(content: ItemContent) -> tuple[object, ...]:
    tidied = tidy(content)
    options = [(option.text, option.is_key, option.rank) for option in tidied.options]
    return tidied.stem, options, sorted(tidied.types), tidied.explanation, tidied.own
