"""Page with distractors that models propose for the commonsense item that is being written."""

from dataclasses import dataclass
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation.content import ItemContent, OptionContent, tidy
from annotation.models import ItemDraft
from core.errors import Conflict, Hidden, ParableError, Unusable
from core.numbers import whole_number
from corpus.models import Story
from corpus.queries import get_story
from generation import services
from generation.forms import AnswerForm
from generation.models import Candidate, PromptTemplate
from generation.queries.batch import GENERATE, get_template
from generation.queries.stem import offers_of, stem_prompt, stem_templates
from generation.similarity import LENGTH_LIMITS
from generation.views.candidate import offer_lists
from generation.views.trial import way_back, words_on_sheet
from jobs import hooks
from jobs.models import Endpoint, EndpointKind
from jobs.pricing import most_it_may_cost
from jobs.queries import endpoints, get_endpoint
from parable.kinds import kind_of
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from web.forms import put_errors, stored_text
from web.requests import MemberRequest


@dataclass(slots=True)
class Place:
    """The draft and form content for which distractors are requested, and the result of the request."""

    story: Story
    draft: UUID
    saved: ItemDraft | None
    content: ItemContent
    error: str = ""
    is_earlier: bool = False
    manual: dict[str, object] | None = None


@project_page(Permission.WRITE)
@require_http_methods(["GET", "POST"])
def options(request: MemberRequest, project: Project, story: int, draft: UUID) -> HttpResponse:
    """Show the candidates for the user's draft. POST calls a model, saves an answer, or uses a candidate.

    The fields of the writing form are posted along; if they are missing, the saved draft is used. Without a
    script this is a page of its own, otherwise a part of the form.
    """
    found = get_story(user=request.user, project=project, pk=story)
    saved = ItemDraft.objects.filter(writer=request.user, client_id=draft, story=found).first()
    if saved is not None and not kind_of(saved.task).drafts_by_stem:
        raise Hidden(_("Draft not found."))
    place = Place(found, draft, saved, words_on_sheet(request, found, saved))
    is_part = bool(request.headers.get("HX-Request"))
    if "take" in request.POST:
        return _take(request, place)
    if "endpoint" in request.POST:
        _act(request, place)
        if not is_part and not place.error and place.manual is None:
            return redirect("generation:stem_options", project.slug, story, draft)
    context = _shown(request, place)
    if not is_part:
        return render(request, "generation/stem.html", context, status=400 if place.error else 200)
    # htmx inserts only successful responses, and errors must appear beside the button
    only_list = request.method == "POST"
    return render(request, "generation/_offers.html" if only_list else "generation/_stem.html", context)


def _take(request: MemberRequest, place: Place) -> HttpResponse:
    """Put a candidate into the saved draft. Only used without a script, as a script fills the form itself."""
    if place.saved is None:
        raise Conflict(_("Save the draft first."))
    pk = whole_number(request.POST["take"]) or 0
    candidate = Candidate.objects.filter(pk=pk, story=place.story).first()
    if candidate is None:
        raise Hidden(_("This proposal belongs to another story."))
    services.take_option(actor=request.user, draft=place.saved, candidate=candidate)
    return redirect("annotation:draft", place.story.project.slug, place.draft)


def _act(request: MemberRequest, place: Place) -> None:
    """Call the chosen endpoint. For an endpoint used by hand, show the prompt or save the pasted answer."""
    project, sent = place.story.project, request.POST
    endpoint = get_endpoint(project=project, pk=whole_number(sent["endpoint"]) or 0)
    template = get_template(project=project, pk=whole_number(sent.get("template", "")) or 0)
    try:
        if endpoint.kind == EndpointKind.MANUAL:
            _ask_manually(request, place, template, endpoint)
        else:
            asked = services.ask_for_options(
                actor=request.user,
                story=place.story,
                draft=place.draft,
                content=place.content,
                template=template,
                endpoint=endpoint,
                item=place.saved.item if place.saved else None,
                again="again" in sent,
            )
            place.is_earlier = asked.is_earlier
            hooks.dispatch_calls(GENERATE, asked.waiting)
    except (Unusable, Conflict) as refused:
        place.error = str(refused)


def _ask_manually(request: MemberRequest, place: Place, template: PromptTemplate, endpoint: Endpoint) -> None:
    """Show the filled prompt with a form for the answer.

    A posted answer is saved for the prompt's own stem.
    """
    is_answer = "answer" in request.POST
    if is_answer:  # the stem and the key for which the copied prompt was filled
        key = stored_text(request.POST.get("asked_key", ""))
        stem = stored_text(request.POST.get("asked_stem", ""))
        words = ItemContent(stem=stem, options=(OptionContent(key, is_key=True),) if key else ())
    else:
        words = tidy(place.content)
    form = AnswerForm(request.POST if is_answer else None, auto_id="hand_%s")
    if is_answer and form.is_valid():
        try:
            services.paste_options(
                actor=request.user,
                story=place.story,
                draft=place.draft,
                content=words,
                template=template,
                endpoint=endpoint,
                item=place.saved.item if place.saved else None,
                **form.cleaned_data,
            )
        except ParableError as error:
            put_errors(form, error)
        else:
            return
    place.manual = {
        "prompt": stem_prompt(template, place.story, words),
        "template": template,
        "endpoint": endpoint,
        "stem": words.stem,
        "key": words.key.text if words.key else "",
        "form": form,
    }


def _shown(request: MemberRequest, place: Place) -> dict[str, object]:
    story = place.story
    found = offers_of(request.user, story, place.draft, place.content)
    prompts = list(stem_templates(story.project))
    words = tidy(place.content)
    return {
        "project": story.project,
        "section": "write",
        "story": story,
        "draft": place.draft,
        "content": place.content,
        "key": words.key.text if words.key else "",
        "prompts": prompts,
        "choices": _choices(place, prompts),
        "asked": offer_lists(found, place.content),
        # no polling while a user pastes an answer: it would remove the text
        "waits": place.manual is None and any(one.waits for one in found),
        "error": place.error,
        "is_earlier": place.is_earlier,
        "back_url": way_back(story, place.draft, place.saved),
        "manual": place.manual,
        "length_limits": LENGTH_LIMITS,
    }


def _choices(place: Place, prompts: list[PromptTemplate]) -> list[tuple[Endpoint, object]]:
    """Return the endpoints, each with the maximum cost of a call over all prompts."""
    filled = []
    for template in prompts:
        try:
            filled.append(stem_prompt(template, place.story, place.content))
        except Unusable:
            continue
    longest = max(filled, key=len, default="")
    choices: list[tuple[Endpoint, object]] = []
    for one in endpoints(place.story.project):
        cost = None
        if longest and one.kind != EndpointKind.MANUAL:
            cost = most_it_may_cost(longest, one.parameters, price_in=one.price_in, price_out=one.price_out)
        choices.append((one, cost))
    return choices
