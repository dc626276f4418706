"""The form in which an item is written, saved, submitted or discarded."""

from typing import Any
from uuid import UUID, uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation import services
from annotation.content import ItemContent, OptionContent, from_json, says_the_same, to_json
from annotation.forms import HandleForm
from annotation.kinds import item_kind
from annotation.models import ItemDraft
from annotation.permissions import has_acknowledged, may_add_items, may_revise, may_see_moral
from annotation.queries.draft import drafts_of, get_draft, living_drafts
from annotation.queries.exposure import must_ask_before_moral
from annotation.queries.item import GONE, get_item, present_words, shared_options, written_on
from annotation.services import (
    StaleDraft,
    SubmittedDraft,
    record_exposure,
    record_key_exposures,
    save_draft,
    submit_draft,
)
from annotation.services.draft import ItemMoved, keep_apart
from annotation.views.sheet import WITH_WRITER, Sheet, check_messages, context_of, sheet_of, write_address
from core.errors import Conflict, Forbidden, Hidden, Unusable, require
from corpus.queries import get_story
from parable.kinds import kind_of
from parable.quality.item import ERROR
from projects.models import Project
from projects.queries import current_guideline, get_project
from projects.services import acknowledge_guideline
from web.requests import MemberRequest


@login_required
@require_GET
def write(request: MemberRequest, slug: str, story: int) -> HttpResponse:
    """Show the writing form for a story, with the newest draft.

    With `?new=1` or without a draft, it is empty.
    """
    project = get_project(user=request.user, slug=slug)
    require(may_add_items(request.user, project))
    found = get_story(user=request.user, project=project, pk=story)
    task = request.GET.get("task", project.offered_tasks[0])
    if task not in project.offered_tasks:
        raise Hidden(_("Unknown task."))
    begun = drafts_of(request.user, project).filter(story=found, task=task, item=None).first()
    if begun and "new" not in request.GET:
        return redirect("annotation:draft", slug, begun.client_id)
    blank = ItemContent(
        stem=project.moral_stem if kind_of(task).shares_stem else "",
        options=tuple(OptionContent(text) for text in shared_options(project, task)),
        own=item_kind(task).begun(found.current.text if found.current else ""),
    )
    return _show(request, Sheet(project, found, task, uuid4(), blank))


@login_required
@require_GET
def revise(request: MemberRequest, slug: str, pk: int) -> HttpResponse:
    """Show the form for the next revision of an item that must be revised."""
    project = get_project(user=request.user, slug=slug)
    item = get_item(user=request.user, project=project, pk=pk)
    require(may_revise(request.user, item))
    if item.state not in WITH_WRITER:
        raise Conflict(_("This item is not with its writer now."))
    begun = living_drafts(request.user, item).first()
    if begun:
        return redirect("annotation:draft", slug, begun.client_id)
    words = services.begin_again(present_words(item), item)
    sheet = Sheet(project, item.story, item.task, uuid4(), words, style=item.style, item=item)
    return _show(request, sheet)


@login_required
@require_http_methods(["GET", "POST"])
def draft(request: MemberRequest, slug: str, client_id: UUID) -> HttpResponse:
    """Show the user's own draft. POST saves the draft and, if requested, submits or discards it."""
    project = get_project(user=request.user, slug=slug)
    require(may_add_items(request.user, project))
    if request.method == "POST":
        return _take_in(request, project, client_id)
    found = get_draft(user=request.user, client_id=client_id)
    if found.project_id != project.pk:
        raise Hidden(_("Draft not found."))
    if found.submitted_as_id is not None:
        messages.info(request, _("Already submitted."))
        return redirect("annotation:desk", slug)
    if found.deleted_at is not None:
        messages.info(request, _("This draft is in the bin below."))
        return redirect("annotation:desk", slug)
    return _show(request, sheet_of(found))


def _show(
    request: MemberRequest,
    sheet: Sheet,
    *,
    status: int = 200,
    stale: ItemDraft | None = None,
    late: ItemContent | None = None,
) -> HttpResponse:
    """Show the form. `stale` is a draft saved later, `late` the wording that was submitted elsewhere."""
    if kind_of(sheet.task).key_from_moral:
        require(may_see_moral(request.user, sheet.project))
        if must_ask_before_moral(request.user, sheet.story):
            if request.method == "GET":  # seeing it is recorded, so a link must not show it
                asking = {
                    "project": sheet.project,
                    "section": "write",
                    "story": sheet.story,
                    "then": request.get_full_path(),
                }
                return render(request, "annotation/ask_moral.html", asking)
            record_exposure(actor=request.user, story=sheet.story)
    if sheet.item is not None:
        record_key_exposures(actor=request.user, items=[sheet.item.pk])
    context = context_of(sheet, request.user) | {"stale": sheet_of(stale) if stale else None, "late": late}
    return render(request, "annotation/write.html", context, status=status)


def _posted(request: MemberRequest, project: Project, client_id: UUID) -> Sheet:
    handle = HandleForm(request.POST)
    if not handle.is_valid():
        raise Unusable(_("The form arrived incomplete. Go back, reload the page and submit again."))
    sent = handle.cleaned_data
    item = get_item(user=request.user, project=project, pk=sent["item"]) if sent["item"] else None
    story = item.story if item else get_story(user=request.user, project=project, pk=sent["story"])
    return Sheet(
        project=project,
        story=story,
        task=(task := item.task if item else sent["task"]),
        client_id=client_id,
        content=item_kind(task).read_form(request.POST),
        style=item.style if item else sent["style"],
        item=item,
        sequence=sent["sequence"],
    )


def _take_in(request: MemberRequest, project: Project, client_id: UUID) -> HttpResponse:
    sheet = _posted(request, project, client_id)
    pressed = request.POST.get("do", "save")
    if pressed == "apart":
        return redirect("annotation:draft", project.slug, keep_apart(**_words(request, sheet)).client_id)
    is_blank = item_kind(sheet.task).is_blank(sheet.content)
    is_untouched = not sheet.sequence and is_blank and sheet.content.stem in {"", project.moral_stem}
    if pressed == "discard" and is_untouched:  # nothing was ever typed, so there is nothing to save
        return redirect("annotation:desk", project.slug)
    try:
        saved = save_draft(**_words(request, sheet), sequence=sheet.sequence + 1)
    except StaleDraft as stale:
        overtaken = Sheet(
            project, sheet.story, sheet.task, stale.draft.client_id, sheet.content, sheet.style, sheet.item,
            sequence=stale.draft.sequence,
        )  # fmt: skip
        return _show(request, overtaken, status=409, stale=stale.draft)
    except SubmittedDraft as refused:
        return _too_late(request, sheet, from_json(refused.draft.content))
    except ItemMoved as refused:
        return _too_late(request, sheet, present_words(refused.item))
    if pressed == "discard":
        services.discard_draft(actor=request.user, draft=saved)
        messages.info(request, _("Draft moved to the bin. You can restore it for 30 days."))
        return redirect("annotation:desk", saved.project.slug)
    if pressed == "submit":
        return _submit(request, saved)
    return redirect("annotation:draft", project.slug, saved.client_id)


def _words(request: MemberRequest, sheet: Sheet) -> dict[str, Any]:
    return {
        "actor": request.user,
        "project": sheet.project,
        "story": sheet.story,
        "task": sheet.task,
        "style": sheet.style,
        "item": sheet.item,
        "client_id": sheet.client_id,
        "content": to_json(sheet.content),
    }


def _too_late(request: MemberRequest, sheet: Sheet, handed_in: ItemContent) -> HttpResponse:
    """Respond to a save of a draft that was submitted elsewhere. Show both wordings if they differ."""
    if says_the_same(sheet.content, handed_in):
        messages.info(request, _("Already submitted; it counts once."))
        return redirect("annotation:desk", sheet.project.slug)
    return _show(request, sheet, status=409, late=handed_in)


def _submit(request: MemberRequest, saved: ItemDraft) -> HttpResponse:
    errors: dict[str, str] = {}
    guideline = current_guideline(saved.project)
    if guideline and request.POST.get("read_guideline") == str(guideline.pk):
        acknowledge_guideline(actor=request.user, guideline=guideline)
    if not has_acknowledged(request.user, saved.project):
        errors["guideline"] = _("Read and confirm the guideline here, then submit.")
        wrong = [one for one in check_messages(sheet_of(saved), request.user) if one.severity == ERROR]
        errors |= {one.place: one.message for one in reversed(wrong)}
    else:
        try:
            submit_draft(actor=request.user, draft=saved)
        except Unusable as refused:
            errors = refused.fields or {"whole": str(refused)}
        except (Conflict, Forbidden) as refused:
            errors = {"whole": str(refused)}
    if errors:
        fresh = get_draft(user=request.user, client_id=saved.client_id)
        return _show(request, sheet_of(fresh).wrong(errors), status=400)
    messages.success(request, _("Submitted for review."))
    done = written_on(request.user, saved.story, saved.task).exclude(state__in=GONE).count()
    if saved.item_id or not kind_of(saved.task).is_owed or done >= saved.project.items_per_writer:
        return redirect("annotation:desk", saved.project.slug)
    # an empty form for the story, about which items are still owed
    return redirect(write_address(saved.project.slug, saved.story_id, saved.task))


@login_required
@require_POST
def restore(request: MemberRequest, slug: str, client_id: UUID) -> HttpResponse:
    """Restore a discarded draft."""
    get_project(user=request.user, slug=slug)
    found = get_draft(user=request.user, client_id=client_id)
    services.restore_draft(actor=request.user, draft=found)
    return redirect("annotation:draft", slug, client_id)


@login_required
@require_POST
def withdraw(request: MemberRequest, slug: str, pk: int) -> HttpResponse:
    """Withdraw an item."""
    project = get_project(user=request.user, slug=slug)
    item = get_item(user=request.user, project=project, pk=pk)
    services.withdraw_item(actor=request.user, item=item)
    messages.info(request, _("Item withdrawn. It stays in the project's history."))
    return redirect("annotation:desk", slug)
