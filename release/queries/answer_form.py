"""The answer form of a released item for people outside the project, for kinds that need their own form.

It is the form of a blind answer, which never reveals the answer.
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
    """The templates of an item's answer form and, if the kind has one, of its text, with their context."""

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
    """Return the posted answer as JSON. Raise `core.errors.Unusable` if it is not valid."""
    kind = item_kind(record["task"])
    given = kind.read_answer(data)
    kind.refuse_answer(given, 0)
    return dict(given.own or {})
