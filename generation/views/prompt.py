"""Pages of prompt templates: versions, preview, and a test with one story."""

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation.services import record_exposure
from core.errors import Conflict, Unusable
from core.numbers import whole_number
from corpus.models import Story
from corpus.queries import stories
from generation import services
from generation.forms import TemplateForm
from generation.models import PromptTemplate, Purpose
from generation.prompt import fill_prompt, fill_stem_prompt, needs_moral, not_understood
from generation.queries.batch import GENERATE, get_template, templates
from jobs import hooks
from jobs.pricing import most_it_may_cost
from jobs.queries import askable_endpoints
from parable.llm.tokens import estimate_prompt_tokens
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from web.forms import put_errors
from web.requests import MemberRequest

MOST_STORIES = 200
"""The maximum number of stories that are offered to test a prompt with."""
FIELDS = ("name", "purpose", "wanted", "text")


@project_page(Permission.SEE_CANDIDATES)
@require_GET
def show(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the newest version of each prompt template."""
    context = {"project": project, "section": "candidates", "templates": templates(project)}
    return render(request, "generation/templates.html", context)


@project_page(Permission.WRITE)
@require_http_methods(["GET", "POST"])
def create(request: MemberRequest, project: Project) -> HttpResponse:
    """Create a prompt template."""
    return _write(request, project)


@project_page(Permission.SEE_CANDIDATES, change=Permission.WRITE)
@require_http_methods(["GET", "POST"])
def write(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Show a template. POST saves its next version."""
    return _write(request, project, get_template(project=project, pk=pk))


def _write(request: MemberRequest, project: Project, earlier: PromptTemplate | None = None) -> HttpResponse:
    """Show the form of a prompt template. POST saves the template.

    A posted `preview` instead shows the exact prompt for a real story and its cost; `test` saves the template
    and calls one model about that story alone.
    """
    start = {name: getattr(earlier, name) for name in FIELDS} if earlier else {}
    form = TemplateForm(request.POST or None, initial=start)
    wants_preview = "preview" in request.POST
    known = stories(project)
    story = known.filter(pk=whole_number(request.POST.get("story", "")) or 0).first() or known.first()
    if form.is_valid() and not wants_preview:
        try:
            return _keep(request, project, form, story)
        except (Unusable, Conflict) as error:
            put_errors(form, error)
    context = {
        "project": project,
        "section": "candidates",
        "form": form,
        "earlier": earlier,
        "stories": known[:MOST_STORIES],
        "story": story,
        "preview": _preview(request, form, story) if wants_preview or "test" in request.POST else None,
    }
    failed = request.method == "POST" and bool(form.errors)
    return render(request, "generation/template.html", context, status=400 if failed else 200)


def _keep(request: MemberRequest, project: Project, form: TemplateForm, story: Story | None) -> HttpResponse:
    """Save the template. If a test was requested, order a call about one story."""
    with transaction.atomic():
        template = services.create_template(actor=request.user, project=project, **form.cleaned_data)
        chosen = whole_number(request.POST.get("test", ""))
        if story is None or chosen is None:
            messages.success(request, _("“%(name)s” saved.") % {"name": template})
            return redirect("generation:prompts", project.slug)
        batch = services.order_batch(
            actor=request.user,
            project=project,
            stories=[story.pk],
            templates=[template],
            endpoints=list(askable_endpoints(project).filter(pk=chosen)),
        )
        hooks.dispatch(GENERATE, batch.job_id)
    return redirect("jobs:job", project.slug, batch.job_id)


def _preview(request: MemberRequest, form: TemplateForm, story: Story | None) -> dict[str, object] | None:
    """Return the exact prompt and its cost as context, or None. Record the exposure if it has the moral."""
    if story is None or story.current is None or not form.is_valid():
        return None
    text = form.cleaned_data["text"]
    if needs_moral(text):
        record_exposure(actor=request.user, story=story)
    about_stem = form.cleaned_data["purpose"] == Purpose.WRONG_OPTIONS
    template, wanted = text.replace("\r\n", "\n").strip(), form.cleaned_data["wanted"]
    words = {"title": story.current.title, "story": story.current.text, "wanted": wanted}
    if about_stem:
        stem, key = _("(the item's stem)"), _("(the item's key)")
        prompt = fill_stem_prompt(template, stem=stem, key=key, **words)
    else:
        prompt = fill_prompt(template, moral=story.current.moral, **words)
    return {
        "about_stem": about_stem,
        "prompt": prompt,
        "tokens": estimate_prompt_tokens(prompt),
        "not_understood": not_understood(text, about_stem=about_stem),
        "lacks_moral": needs_moral(text) and not story.current.moral,
        "costs": [
            (one, most_it_may_cost(prompt, one.parameters, price_in=one.price_in, price_out=one.price_out))
            for one in askable_endpoints(story.project)
        ],
    }
