"""The answer form of a released item, for people outside the project.

Only tasks with their own form have it. It is the form in which reviewers answer blind, so it never reveals
the answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from annotation.kinds import item_kind
from parable.kinds.question import Given
from release.assembly.records import FrozenItem


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """The templates of an item's answer form, of its text and of its scripts, with their context."""

    form: str
    text: str
    scripts: str
    context: Mapping[str, Any]


def answer_form(record: Mapping[str, Any], language: str) -> AnswerForm:
    """Return the empty answer form of a released item."""
    kind = item_kind(record["task"])
    content = kind.content_of(FrozenItem(0, "", "", record).item())
    view = kind.blind(content, ())
    blind = {"title": record["title"], "text": record["story"], "language": language, "shown": view}
    context = kind.answer_form(content, {}, story=record["story"], language=language)
    paths = kind.paths
    return AnswerForm(
        form=kind.template("blind"),
        text=paths.get("text", ""),
        scripts=paths.get("blind_scripts", ""),
        context={**context, "blind": blind},
    )


def own_answer(data: QueryDict, record: Mapping[str, Any]) -> Given:
    """Return the posted answer as JSON. Raise `core.errors.Unusable` if the answer is not valid."""
    kind = item_kind(record["task"])
    given = kind.read_answer(data)
    kind.refuse_answer(given, 0)
    return dict(given.own or {})
