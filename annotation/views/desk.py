"""The writer's desk: returned items, drafts and assigned stories."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from annotation import services
from annotation.content import from_json
from annotation.kinds import item_kind, item_name, items_name
from annotation.models import WritingAssignment
from annotation.permissions import has_acknowledged, may_write
from annotation.queries.assignment import (
    assignments_of,
    get_assignment,
    given_back_by,
    progress_of,
)
from annotation.queries.comment import decided_against
from annotation.queries.draft import discarded_by, drafts_of
from annotation.queries.item import lacking, returned_to, spec_of
from annotation.queries.plan import needs_in, types_needed
from annotation.services import describe
from annotation.views.hint import hint_lines
from annotation.views.share import own_share
from core.numbers import whole_number
from corpus.queries import get_story
from parable.kinds import kind_of
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from projects.queries import current_guideline, get_project
from web.requests import MemberRequest

MOST_SHOWN = 100
MOST_TO_REVISE = 20
"""Returned items on the desk, the newest; the others follow as these are revised, and are in the list."""


@project_page(Permission.ADD_ITEMS)
@require_GET
def desk(request: MemberRequest, project: Project) -> HttpResponse:
    """Show this writer's desk: returned items, drafts and assigned stories."""
    assigned = _assigned_stories(request.user, project)
    given_back = None
    if number := whole_number(request.GET.get("given_back", "")):  # just now: it can be undone
        given_back = given_back_by(request.user, project).filter(pk=number).first()
    returned = returned_to(request.user, project)
    all_returned = returned.count()
    context = {
        "project": project,
        "section": "write",
        "returned": returned[:MOST_TO_REVISE],
        "all_returned": all_returned,
        "more_returned": max(all_returned - MOST_TO_REVISE, 0),
        "drafts": _drafts(request.user, project),
        "assigned": assigned,
        "given_back": given_back,
        "owed": _(", ").join(items_name(code) for code in project.offered_tasks if kind_of(code).is_owed),
        "progress": progress_of(request.user, project),
        "today": timezone.localdate(),
        "decided": decided_against(request.user, project)[:MOST_SHOWN],
        "next": next((story for story in assigned if story["left"]), None),
        "bin": discarded_by(request.user, project)[:MOST_SHOWN],
        "share": own_share(request.user, project),
        "may_take": bool(may_write(request.user, project)),
        "unread_guideline": None if has_acknowledged(request.user, project) else current_guideline(project),
    }
    return render(request, "annotation/desk.html", context)


def _assigned_stories(user: User, project: Project) -> list[dict[str, object]]:
    assignments = list(assignments_of(user, project)[:MOST_SHOWN])
    needs = needs_in(project, [assignment.story_id for assignment in assignments], user)
    missing, hints = types_needed(project, needs), hint_lines(project, needs, user)
    language = get_language() or ""
    return [
        {
            "assignment": assignment,
            "story": assignment.story,
            "submitted": _submitted(assignment),
            "left": max(project.items_per_writer - _submitted(assignment), 0),
            "missing": [kind.name_in(language) for kind in missing[assignment.story_id]],
            "hint": hints.get(assignment.story_id),
        }
        for assignment in assignments
    ]


def _submitted(assignment: WritingAssignment) -> int:
    """Return the number of submitted items, which `assignments_of` annotates as `submitted`."""
    submitted: int = getattr(assignment, "submitted", 0)
    return submitted


def _drafts(user: User, project: Project) -> list[dict[str, object]]:
    spec, rows = spec_of(project), []
    for draft in drafts_of(user, project)[:MOST_SHOWN]:
        content, story = from_json(draft.content), draft.story.current
        lacks = lacking(content, task=draft.task, spec=spec, story=story.text if story else "")
        row: dict[str, object] = {
            "draft": draft,
            "stem": item_kind(draft.task).caption(content),
            "has_stem": kind_of(draft.task).has_stem,
            "name": item_name(draft.task),
            "lacks": [describe(finding) for finding in lacks],
        }
        rows.append(row)
    return rows


@login_required
@require_POST
def take_next(request: MemberRequest, slug: str) -> HttpResponse:
    """Take the next free story and redirect to its form. If there is none, explain why."""
    project = get_project(user=request.user, slug=slug)
    assignment = services.take_next_story(actor=request.user, project=project)
    if assignment is None:
        messages.info(request, services.describe_no_story(request.user, project))
        return redirect("annotation:desk", slug)
    return redirect("annotation:write", slug, assignment.story_id)


@login_required
@require_POST
def take(request: MemberRequest, slug: str, story: int) -> HttpResponse:
    """Take the story whose id is in the URL."""
    project = get_project(user=request.user, slug=slug)
    found = get_story(user=request.user, project=project, pk=story)
    services.take_story(actor=request.user, story=found)
    return redirect("annotation:write", slug, story)


@login_required
@require_POST
def give_back(request: MemberRequest, slug: str, pk: int) -> HttpResponse:
    """Give a story back, or take it again if `again` is posted. Its items and drafts remain."""
    project = get_project(user=request.user, slug=slug)
    assignment = get_assignment(user=request.user, project=project, pk=pk)
    page = reverse("annotation:desk", args=[slug])
    if "again" in request.POST:
        services.restore_assignment(actor=request.user, assignment=assignment)
        return redirect(page)
    services.give_back_story(actor=request.user, assignment=assignment)
    return redirect(f"{page}?{urlencode({'given_back': pk})}")
