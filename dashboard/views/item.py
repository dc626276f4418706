"""Page of an item: its content, its options with evidence, its statistics, and its timeline."""

from collections.abc import Iterable, Sequence
from typing import Final

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.views.decorators.http import require_GET

from annotation.models import Item
from annotation.places import about_choices
from annotation.queries.comment import comments_on
from annotation.queries.contest import contestable
from annotation.queries.item import get_item, revision_content, story_was_reworded
from annotation.services import record_key_exposures
from dashboard.queries.bulk import last_bulk
from dashboard.queries.evidence import options_of, statistics_of
from dashboard.queries.item import Event, kinds_in, life_of
from dashboard.queries.item_list import ITEMS
from dashboard.queries.next_step import next_step_for
from dashboard.views.item_list import ITEM_LIST
from dashboard.views.long_list import done_context
from evaluation.queries.calibration import reasons_of
from evaluation.queries.item import ItemAnswers, answers_to, calibrated, released_of
from generation.models import Adoption
from generation.queries.item import adoptions_of
from parable.kinds import kind_of
from projects.permissions import Permission, permissions_of
from projects.queries import get_project
from release.models import ReleaseItem
from release.queries.report import reports_on
from review.models import ModelJudgement
from review.queries.item import MAY_COME_BACK, blind_choices
from review.queries.model_rater import judgements_of
from review.queries.practice import closed_item
from web.requests import MemberRequest

EVENTS_A_PAGE: Final = 30


@login_required
@require_GET
def show(request: MemberRequest, slug: str, pk: int) -> HttpResponse:
    """Show an item to users who may see its key. Responses are included for users who may see results."""
    project = get_project(user=request.user, slug=slug)
    found = get_item(user=request.user, project=project, pk=pk)
    record_key_exposures(actor=request.user, items=[found.pk])
    reader = permissions_of(request.user, project)
    sees_results = Permission.SEE_RESULTS in reader
    released = released_of(found.pk) if sees_results else {}
    answers = answers_to(found.pk, released) if sees_results else []
    adoptions = adoptions_of(found)
    events = life_of(found, reader=reader, comments=comments_on(found), adoptions=adoptions, answers=answers)
    evidence = _evidence(found, adoptions, answers, released.values(), sees_results=sees_results)
    reports = reports_on(found)
    is_suspect = bool(evidence["reasons"])
    wording, language = found.current, get_language() or "en"
    # the reader's last bulk action, which can be undone here if it changed this item
    done = last_bulk(request.user, project, ITEMS) if Permission.CHANGE_ITEMS in reader else None
    context = {
        "project": project,
        "section": "items",
        "item": found,
        "action": next_step_for(request.user, found, reader, is_suspect=is_suspect, reports=reports),
        "story_name": found.story.current.title if found.story.current else "",
        "reworded": story_was_reworded(found),
        "types": [kind.name_in(language) for kind in wording.types.all()] if wording else [],
        "abouts": about_choices(revision_content(wording, found.task)) if wording else [],
        "draft": found.drafts.first() if wording is None else None,
        **evidence,
        **_timeline(request, events),
        **(done_context(ITEM_LIST, done) if done and found.pk in dict(done.changed) else {}),
        "contest": contestable(request.user, found),
        "reports": reports,
        "is_closed": Permission.CHANGE_REVIEWS in reader and closed_item(found) is not None,
        "assessments": _assessments(found, reader),
    }
    return render(request, "dashboard/item.html", context)


def _assessments(item: Item, reader: Permission) -> list[ModelJudgement]:
    """Return the models' judgements of the current revision, or [] while reviewers must not see them."""
    if item.current is None or (item.state in MAY_COME_BACK and Permission.SEE_REVIEWS not in reader):
        return []
    return list(judgements_of(item.current))


def _evidence(
    item: Item,
    adoptions: Sequence[Adoption],
    answers: Sequence[ItemAnswers],
    released: Iterable[ReleaseItem],
    *,
    sees_results: bool,
) -> dict[str, object]:
    choices = blind_choices(item.current) if item.current else None
    options = list(item.current.options.all()) if item.current else []
    analysed = calibrated(item.pk) if sees_results else None
    option_rows = options_of(options, adoptions, choices, answers, released)
    guessed = kind_of(item.task).question.chance({"choices": options}) if options else None
    return {
        "choices": choices,
        "options": option_rows,
        "kind": kind_of(item.task),
        "has_letters": any(one.letters for one in option_rows),
        "statistics": statistics_of(guessed, choices, answers, analysed),
        "answers": answers,
        "analysed": analysed,
        "reasons": reasons_of(analysed.row) if analysed else [],
    }


def _timeline(request: MemberRequest, events: list[Event]) -> dict[str, object]:
    """Return the context of one page of events, filtered by the kind in the query string."""
    kinds = kinds_in(events)
    chosen = next((kind for kind, _n in kinds if kind.value == request.GET.get("show")), None)
    visible = [event for event in events if chosen in {None, event.kind}]
    return {
        "kinds": kinds,
        "chosen_kind": chosen,
        "event_count": len(events),
        "page_obj": Paginator(visible, EVENTS_A_PAGE).get_page(request.GET.get("page")),
    }
