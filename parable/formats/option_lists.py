"""Reads options that one field holds: as a list, an object by letter, texts with a flag, or one text."""

import ast
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from parable.formats import limits
from parable.formats.errors import ErrorCode, InputError
from parable.formats.fields import json_excerpt
from parable.formats.layout_names import FLAGS, LABELS, TEXTS, best_named
from parable.formats.option_marks import LETTERS

_SEPARATORS: Final = ("\n", "|", ";", "；")
_HEADING: Final = re.compile(r"\s*(?:options|choices|选项)\s*[:：]\s*$", re.IGNORECASE)
_MARK: Final = (
    r"(?:[(（\[【]\s*LETTER\s*[)）\]】][.．:：]?|(?:^|(?<=[\s。？！?!.;；,，]))LETTER\s*[.．、:：)）])\s*"
)
_MOST_LITERAL: Final = 100_000
_MOST_BRACKETS: Final = 200


@dataclass(frozen=True, slots=True)
class OptionList:
    """The options of an item in order; `right` has the positions of options flagged as right.

    `labels`: the names that the file gives to the options, () if it gives none.
    """

    options: tuple[object, ...]
    right: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()


def read_option_list(value: object) -> OptionList | None:
    """Return the options that a field holds; None if it holds none."""
    if isinstance(value, str):
        return _of_text(value)
    if isinstance(value, list):
        return (
            _of_objects(value)
            if value and all(isinstance(one, dict) for one in value)
            else (OptionList(tuple(map(scalar, value))) if value else None)
        )
    return _of_object(value) if isinstance(value, dict) else None


def _of_objects(value: Sequence[Mapping[str, object]]) -> OptionList | None:
    names = list(dict.fromkeys(name for one in value for name in one))
    texts = best_named(names, TEXTS)
    if not texts:
        if all(len(one) == 1 for one in value):  # [{"A": "..."}, {"B": "..."}]
            return _of_object({name: text for one in value for name, text in one.items()})
        return None
    text = texts[0]
    flags = [name for name in best_named(names, FLAGS) if name != text]
    labels = [name for name in best_named(names, LABELS) if name != text]
    right = [index for index, one in enumerate(value) if flags and _is_true(one.get(flags[0]))]
    labelled = tuple(str(one.get(labels[0], "")) for one in value) if labels else ()
    return OptionList(tuple(scalar(one.get(text)) for one in value), tuple(right), labelled)


def _of_object(value: Mapping[str, object]) -> OptionList | None:
    lists = {name: one for name, one in value.items() if isinstance(one, list)}
    if lists and len(lists) == len(value):  # {"label": [...], "text": [...]}
        return _of_lists(lists)
    if value and all(isinstance(one, int | float) for one in value.values()):  # {"a text": 1, "another": 0}
        most = max(float(one) for one in value.values() if isinstance(one, int | float))
        right = [index for index, one in enumerate(value.values()) if one == most and most > 0]
        return OptionList(tuple(value), tuple(right))
    if not value or any(isinstance(one, dict | list) for one in value.values()):
        return None
    names = [*value]
    if all(len(name) == 1 for name in names):
        names.sort(key=str.casefold)  # {"B": ..., "A": ...}
    return OptionList(tuple(scalar(value[name]) for name in names), (), tuple(names))


def _of_lists(lists: Mapping[str, list[object]]) -> OptionList | None:
    texts = best_named(lists, TEXTS) or [name for name in ("choices", "options") if name in lists]
    if not texts or len({len(one) for one in lists.values()}) > 1:
        return None
    rest = [name for name in lists if name != texts[0]]
    labelled = lists[rest[0]] if rest else []
    if (
        labelled
        and all(type(one) in {int, bool} and one in {0, 1} for one in labelled)
        and sum(map(bool, labelled)) == 1
    ):
        right = [index for index, one in enumerate(labelled) if one]
        return OptionList(tuple(map(scalar, lists[texts[0]])), tuple(right))
    return OptionList(tuple(map(scalar, lists[texts[0]])), (), tuple(map(str, labelled)))


def _is_true(value: object) -> bool:
    return (
        value is True
        or value == 1
        or str(value).strip().casefold() in {"true", "yes", "1", "1.0", "是", "正确"}
    )


def _of_text(text: str) -> OptionList | None:
    """Return the options in a text: a printed list, lettered options, or options between separators.

    Return None if there are none.
    """
    bare = text.strip()
    if bare[:1] in {"[", "{"} and (written := _literal(bare)) is not None:
        return read_option_list(written)
    if (parted := options_in_text(bare)) is not None and not parted[0]:
        return OptionList(parted[1])
    for separator in _SEPARATORS:
        parts = [part.strip() for part in bare.split(separator)]
        if len(parts) > 1 and all(parts):
            return OptionList(tuple(parts))
    return None


def _literal(text: str) -> object:
    if len(text) > _MOST_LITERAL or text.count("[") + text.count("{") > _MOST_BRACKETS:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        found: object = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return found


def options_in_text(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Split a text at its lettered options: return the text before them, and the options.

    Return None if there are none. At least two letters are required, in order from A: `A. ... B. ...`, `(A)
    ... (B) ...`, `a ) ...`.
    """
    for letters in (LETTERS, LETTERS.lower()):
        found: list[re.Match[str]] = []
        for letter in letters:
            mark = re.compile(_MARK.replace("LETTER", letter))
            match = mark.search(text, found[-1].end() if found else 0)
            if match is None:
                break
            found.append(match)
        if len(found) >= limits.MIN_OPTIONS:
            ends = [match.start() for match in found[1:]] + [len(text)]
            options = tuple(
                text[match.end() : end].strip().rstrip(",;，；").rstrip()
                for match, end in zip(found, ends, strict=True)
            )
            if all(options):
                return _HEADING.sub("", text[: found[0].start()]).strip(), options
    return None


def scalar(value: object) -> object:
    """Convert a number or boolean to text; return text and None unchanged.

    Return an InputError for other values.
    """
    if value is None or isinstance(value, str | InputError):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    return InputError(ErrorCode.NOT_TEXT, found=json_excerpt(value))
