"""Converts a draft to the input of the checks, and findings to the writer's view of them. Pure."""

import dataclasses
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Final

from annotation.content import ItemContent
from parable.quality.item import ERROR, Finding, ItemView, OptionView
from parable.quality.item.key import margin_of_key

_NUMBERS: Final = ("first", "second", "number")  # parameters that are numbers of options
_PLACE_OF_OPTION: Final = re.compile(r"option-(\d+)")
_PLACE_OF_GROUP: Final = re.compile(r"[a-z_]+-(\d+)(?:-.*)?")


@dataclass(frozen=True, slots=True)
class AnsweredFinding:
    """A finding of a check and, if it is a warning, the writer's reason for keeping the text.

    A draft stores the `reason` by the warning's `key`. The key changes with the text that the warning is
    about, so that the reason then no longer applies.
    """

    check: str
    severity: str
    place: str
    params: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    key: str = ""
    reason: str = ""

    @property
    def is_error(self) -> bool:
        """Return whether the finding must be fixed before the item is submitted."""
        return self.severity == ERROR

    @property
    def is_open(self) -> bool:
        """Return whether the finding prevents submission: an error, or a warning without a reason."""
        return self.is_error or not self.reason.strip()


def view_content(content: ItemContent, **about: Any) -> ItemView:
    """Return the content as an `ItemView` for the checks; `about` has the other fields of the view."""
    return ItemView(
        stem=content.stem,
        options=tuple(OptionView(option.text, option.is_key, option.rank) for option in content.options),
        types=content.types,
        explanation=content.explanation,
        **about,
    )


def gives_key_away(content: ItemContent) -> bool:
    """Return whether the key is longer than every other option."""
    return margin_of_key(view_content(content, task="", language="")) > 0


def remarks(content: ItemContent, findings: Iterable[Finding]) -> list[AnsweredFinding]:
    """Return these findings with the writer's reasons, errors before warnings."""
    found = []
    for finding in findings:
        remark = AnsweredFinding(finding.check, finding.severity, finding.place, finding.params)
        if not remark.is_error:
            key = f"{finding.check}@{_mark(content, finding)}"
            remark = replace(remark, key=key, reason=content.answered_warnings.get(key, ""))
        found.append(remark)
    return sorted(found, key=lambda remark: not remark.is_error)


def _mark(content: ItemContent, finding: Finding) -> str:
    """Return a short hash of the text that a finding is about.

    The hash is a part of the warning's key.
    """
    texts = [_text_at(content, finding.place)]
    texts += [f"{name}={value}" for name, value in sorted(finding.params.items()) if name not in _NUMBERS]
    numbers = [finding.params[name] for name in _NUMBERS if name in finding.params]
    texts += [_text_at(content, f"option-{number}") for number in numbers]
    return sha256("\x1f".join(texts).encode()).hexdigest()[:12]


def _text_at(content: ItemContent, place: str) -> str:
    if option := _PLACE_OF_OPTION.fullmatch(place):
        number = int(option[1])
        return content.options[number - 1].text.strip() if number <= len(content.options) else ""
    if content.own:
        return _own_text_at(content, place)
    if place in {"stem", "explanation"}:
        return str(getattr(content, place)).strip()
    marks = ("*" * option.is_key + str(option.rank or "") for option in content.options)
    return "\x1e".join(
        f"{option.text.strip()}{mark}" for option, mark in zip(content.options, marks, strict=True)
    )


def _own_text_at(content: ItemContent, place: str) -> str:
    """Return as JSON the group of `own` that a finding is about.

    If the finding names no group, return all of `own`.
    """
    found = _PLACE_OF_GROUP.fullmatch(place)
    number = int(found[1]) if found else 0
    own = {
        name: value[number - 1 : number] if number and isinstance(value, list) else value
        for name, value in content.own.items()
    }
    return json.dumps(own, sort_keys=True, ensure_ascii=False)


def standing_answers(found: Iterable[AnsweredFinding]) -> dict[str, str]:
    """Return the writer's reasons for the warnings in `found`, by check id."""
    answers: dict[str, list[str]] = {}
    for remark in found:
        if remark.reason.strip():
            answers.setdefault(remark.check, []).append(remark.reason.strip())
    return {check: "; ".join(dict.fromkeys(reasons)) for check, reasons in answers.items()}


def take_answers_along(content: ItemContent, found: Iterable[AnsweredFinding]) -> ItemContent:
    """Return a submitted wording as the content of a draft.

    A revision stores the reasons for warnings by check id; a draft stores them by the warning's key.
    """
    given = content.answered_warnings
    answers = {remark.key: given[remark.check] for remark in found if remark.key and remark.check in given}
    return replace(content, answered_warnings=answers)
