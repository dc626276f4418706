"""Prompt templates: written, versioned, and tried on a real story before they cost anything."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from accounts.errors import Unusable
from annotation.services import record_exposure
from corpus.models import Story
from corpus.queries import stories
from generation import services
from generation.forms import TemplateForm
from generation.prompts import fill_prompt, needs_moral, not_understood
from generation.queries import get_template, templates
from generation.views import MemberRequest, drafting_project, put_errors
from jobs.permissions import may_keep_endpoints
from parable.llm.tokens import estimate_prompt_tokens
from projects.models import Project

FIELDS = ("name", "purpose", "wanted", "text")


@login_required
@require_GET
def show(request: MemberRequest, slug: str) -> HttpResponse:
    """The newest version of each prompt template."""
    project = drafting_project(request, slug)
    context = {
        "project": project,
        "section": "candidates",
        "templates": templates(project),
        "may_keep_endpoints": bool(may_keep_endpoints(request.user, project)),
    }
    return render(request, "generation/templates.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def write(request: MemberRequest, slug: str, pk: int | None = None) -> HttpResponse:
    """Write a template or the next version of one; `preview` shows the exact prompt for a real story."""
    project = drafting_project(request, slug)
    earlier = get_template(project=project, pk=pk) if pk else None
    start = {name: getattr(earlier, name) for name in FIELDS} if earlier else {}
    form = TemplateForm(request.POST or None, initial=start)
    wants_preview = "preview" in request.POST
    if form.is_valid() and not wants_preview:
        try:
            template = services.create_template(actor=request.user, project=project, **form.cleaned_data)
        except Unusable as error:
            put_errors(form, error)
        else:
            messages.success(request, _("“%(name)s” is kept.") % {"name": template})
            return redirect("generation:templates", slug)
    story = _story_for_preview(project, request.POST.get("story", ""))
    context = {
        "project": project,
        "section": "candidates",
        "form": form,
        "earlier": earlier,
        "stories": stories(project)[:200],
        "story": story,
        "preview": _preview(request, form, story) if wants_preview else None,
    }
    failed = request.method == "POST" and bool(form.errors)
    return render(request, "generation/template.html", context, status=400 if failed else 200)


def _story_for_preview(project: Project, pk: str) -> Story | None:
    found = stories(project)
    chosen = found.filter(pk=int(pk)).first() if pk.isascii() and pk.isdigit() else None
    return chosen or found.first()


def _preview(request: MemberRequest, form: TemplateForm, story: Story | None) -> dict[str, object] | None:
    """The exact prompt; where it shows the moral, whoever looks at it has been shown the moral."""
    if story is None or story.current is None or not form.is_valid():
        return None
    text = form.cleaned_data["text"]
    if needs_moral(text):
        record_exposure(actor=request.user, story=story)
    prompt = fill_prompt(
        text.replace("\r\n", "\n").strip(),
        title=story.current.title,
        story=story.current.text,
        moral=story.current.moral,
        wanted=form.cleaned_data["wanted"],
    )
    return {
        "prompt": prompt,
        "tokens": estimate_prompt_tokens(prompt),
        "not_understood": not_understood(text),
        "lacks_moral": needs_moral(text) and not story.current.moral,
    }
