"""The form in which a released item is answered by people outside, for kinds that have a form of their own.

It is the form of a blind answer: the kind shows nothing on it that is to be found out.
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
    """The templates of the form, and of the text where it is not shown as others are; what they need."""

    form: str
    text: str
    scripts: str
    context: Mapping[str, Any]


def answer_form(record: Mapping[str, Any], language: str) -> AnswerForm:
    """The empty form for an item as a release holds it."""
    kind = item_kind(record["task"])
    content = kind.content_of(FrozenItem(0, "", "", record).item())
    shown = kind.blind(content, ())
    blind = {"title": record["title"], "text": record["story"], "language": language, "shown": shown}
    context = kind.answer_form(content, {}, story=record["story"], language=language)
    paths = kind.paths
    return AnswerForm(
        form=kind.template("blind"),
        text=paths.get("text", ""),
        scripts=paths.get("blind_scripts", ""),
        context={**context, "blind": blind},
    )


def own_answer(data: QueryDict, record: Mapping[str, Any]) -> Given:
    """What the form sent, as JSON holds it. Raises `core.errors.Unusable` where it is no answer."""
    kind = item_kind(record["task"])
    given = kind.read_answer(data)
    kind.refuse_answer(given, 0)
    return dict(given.own or {})
