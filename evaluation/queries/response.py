"""Queries for the responses of a run and for imported files of responses."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from core.errors import Hidden
from evaluation.models import (
    ReadingKind,
    Response,
    ResponseFile,
    Run,
)
from evaluation.permissions import may_see_results
from jobs.models import Call, CallState
from parable.kinds import kind_of
from parable.kinds.question import Answered
from projects.models import Project
from release.models import ReleaseItem


def responses(run: Run, *, reading: str = "", right: str = "", search: str = "") -> QuerySet[Response]:
    """Return the responses of a run in release order, filtered by reading, correctness and search text.

    The text is matched as a whole id or, if no item has this id, as a part of ids.
    """
    found = Response.objects.filter(run=run).select_related("item")
    if reading in ReadingKind.values:
        found = found.filter(reading=reading)
    if right in {"yes", "no"}:
        found = found.filter(correct=right == "yes")
    if search:
        released = ReleaseItem.objects.filter(release=run.release_id, public_id=search)
        item = released.order_by("pk").values_list("pk", flat=True).first()
        found = found.filter(item=item) if item else found.filter(item__public_id__icontains=search)
    return found.order_by("item__number", "repeat", "rotation")


def responses_in(run: Run, **asked: Any) -> QuerySet[Response, dict[str, object]]:
    """Return the columns of a run's responses, newest first, filtered by columns or by `item_id`.

    `item_id` is the id of the item in its release.
    """
    public_id = asked.pop("item_id", None)
    found = Response.objects.filter(run=run, **asked)
    if public_id is not None:
        found = found.filter(item__public_id=public_id)
    rows: QuerySet[Response, dict[str, object]] = found.order_by("-pk").values(
        *("id", "item", "item__public_id", "repeat", "rotation", "order", "text", "served", "reading"),
        *("choice", "strict_choice", "given", "strict_given", "correct", "score", "at"),
    )
    return rows


def answer_columns(record: Mapping[str, Any], read: Answered) -> dict[str, object]:
    """Return the values of the `Response` columns for a parsed answer to this item."""
    kind = kind_of(record["task"])
    right = kind.question.right(record)
    kept = {"reading": read.outcome, "correct": kind.is_right(read.given, right)}
    if kind.question.is_one_option:
        return kept | {"choice": read.given, "strict_choice": read.strict}
    score = kind.scorer(read.given, right)
    return kept | {"given": read.given, "strict_given": read.strict, "score": score}


def response_lines(run: Run) -> Iterator[dict[str, object]]:
    """Yield a run's responses in the format that `parable score` reads.

    Calls refused by a content filter are included; other missing responses are omitted.
    """
    name, rows = run.examinee.name, Response.objects.filter(run=run)
    fields = (
        "item__public_id",
        "repeat",
        "rotation",
        "order",
        "text",
        "reading",
        "choice",
        "given",
        "served",
    )
    rows = rows.order_by("item__number", "repeat", "rotation")
    found = rows.values_list(*fields).iterator()
    for item, repeat, rotation, order, text, reading, choice, given, served in found:
        line = {
            "model": name,
            "item_id": item,
            "repeat": repeat,
            "rotation": rotation,
            "order": order,
        } | served
        if reading == ReadingKind.REFUSED and not text:
            yield line | {"text": "", "outcome": str(ReadingKind.REFUSED)}
        elif text or (choice is None and given is None):
            yield line | {"text": text}
        else:
            yield line | {"choice": given if choice is None else choice}
    lost = Call.objects.filter(job=run.job_id, state=CallState.REFUSED) if run.job_id else Call.objects.none()
    named = dict(ReleaseItem.objects.filter(release=run.release_id).values_list("pk", "public_id"))
    for about in lost.order_by("pk").values_list("subject", flat=True):
        yield {
            "model": name,
            "item_id": named[about["item"]],
            "repeat": about["repeat"],
            "rotation": about["rotation"],
            "text": "",
            "outcome": str(ReadingKind.REFUSED),
        }


def response_files(project: Project) -> QuerySet[ResponseFile]:
    """Return the imported response files of a project, newest first."""
    found = ResponseFile.objects.filter(release__project=project).defer("problems")
    return found.select_related("release__project", "created_by").order_by("-pk")


def get_response_file(*, user: User, project: Project, pk: int) -> ResponseFile:
    """Return a response file. Raise `Hidden` if the user may not see it."""
    found = response_files(project).defer(None).filter(pk=pk).first()
    if found is None or not may_see_results(user, project):
        raise Hidden(_("File not found."))
    return found
