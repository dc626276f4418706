"""Pages that show a story, and where managers edit its text and rights."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import Form, model_to_dict
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from core.errors import Conflict, Unusable, require
from corpus.forms import RightsForm, WordingForm
from corpus.models import Story
from corpus.queries import get_story, other_wordings, wordings
from corpus.services import reword_story, set_rights
from parable.formats.records import FURTHER_FIELDS
from projects.models import Language, Project
from projects.permissions import Permission, has_permission
from projects.queries import get_project
from web.forms import put_errors
from web.requests import MemberRequest


@login_required
@require_GET
def story(request: MemberRequest, slug: str, pk: int) -> HttpResponse:
    """Show a story with its text, source and revisions. The app `annotation` adds the moral."""
    project, found = _story(request, slug, pk)
    context = {
        "project": project,
        "section": "stories",
        "story": found,
        "language": dict(Language.choices).get(found.language, found.language),
        "story_name": found.current.title if found.current else "",
        "wordings": wordings(found),
        "others": other_wordings(found) if found.group_id else (),
    }
    return render(request, "corpus/story.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def edit(request: MemberRequest, slug: str, pk: int) -> HttpResponse:
    """Show the form to change title or text; POST saves a new revision. Only managers may."""
    project, found = _managed_story(request, slug, pk)
    current = found.current
    start = {"title": current.title, "text": current.text} if current else {}
    form = WordingForm(request.POST or None, initial=start)
    form.set_in(found.lang)
    if form.is_valid():
        try:
            reword_story(actor=request.user, story=found, **form.cleaned_data)
        except (Unusable, Conflict) as error:
            put_errors(form, error)
        else:
            messages.success(request, _("Text updated."))
            return redirect("corpus:story", slug, pk)
    words = {
        "title": _("Edit revision %(number)s") % {"number": current.number if current else 0},
        "note": _(
            "The old revision stays in the history, and items written on it say so."
            " Edit the moral on the story's page."
        ),
        "save": _("Save text"),
    }
    return _form_page(request, project, found, form, words)


@login_required
@require_http_methods(["GET", "POST"])
def rights(request: MemberRequest, slug: str, pk: int) -> HttpResponse:
    """Show the form for a story's rights, their evidence and the genre; POST saves it. Only managers may."""
    project, found = _managed_story(request, slug, pk)
    form = RightsForm(
        request.POST or None,
        initial={**model_to_dict(found, ("rights", *FURTHER_FIELDS)), "evidence": found.rights_evidence},
    )
    if form.is_valid():
        set_rights(actor=request.user, story=found, **form.cleaned_data)
        messages.success(request, _("Rights saved."))
        return redirect("corpus:story", slug, pk)
    words = {
        "title": _("Rights and genre"),
        "note": _("A story without rights fails a gate of the release."),
        "save": _("Save"),
    }
    return _form_page(request, project, found, form, words)


def _form_page(
    request: MemberRequest, project: Project, found: Story, form: Form, words: dict[str, str]
) -> HttpResponse:
    context = {"project": project, "section": "stories", "story": found, "form": form, **words}
    return render(request, "corpus/story_form.html", context, status=400 if form.errors else 200)


def _story(request: MemberRequest, slug: str, pk: int) -> tuple[Project, Story]:
    project = get_project(user=request.user, slug=slug)
    return project, get_story(user=request.user, project=project, pk=pk)


def _managed_story(request: MemberRequest, slug: str, pk: int) -> tuple[Project, Story]:
    project, found = _story(request, slug, pk)
    require(has_permission(request.user, project, Permission.CHANGE_STORIES))
    return project, found
