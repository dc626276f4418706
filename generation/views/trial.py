"""Page of trials, in which a model solves the item that is being written."""

from uuid import UUID

from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from annotation.content import ItemContent, OptionContent, from_json
from annotation.models import ItemDraft
from core.errors import Conflict, Unusable
from core.numbers import whole_number
from corpus.models import Story
from corpus.queries import get_story
from generation import services
from generation.forms import KEY_SLOT
from generation.queries.trial import TRY, WAITING, tally, trials_of
from jobs import hooks
from jobs.models import Endpoint
from jobs.pricing import most_it_may_cost
from jobs.queries import askable_endpoints, get_endpoint
from parable.formats.limits import MAX_OPTIONS
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from web.forms import stored_text
from web.requests import MemberRequest

_DESK, _SLOT = "option-", "text-"


@project_page(Permission.WRITE)
@require_http_methods(["GET", "POST"])
def test_item(request: MemberRequest, project: Project, story: int, draft: UUID) -> HttpResponse:
    """Show the trials of the user's draft. POST has the chosen endpoint solve the item in the form.

    The fields of the writing form are posted along; if they are missing, the saved draft is used. Without a
    script this is a page of its own, otherwise a part of the form.
    """
    found = get_story(user=request.user, project=project, pk=story)
    saved = ItemDraft.objects.filter(writer=request.user, client_id=draft, story=found).first()
    content = words_on_sheet(request, found, saved)
    is_part = bool(request.headers.get("HX-Request"))
    error, is_earlier = "", False
    if request.method == "POST" and "endpoint" in request.POST:
        try:
            started = services.try_item(
                actor=request.user,
                story=found,
                draft=draft,
                content=content,
                endpoint=get_endpoint(project=project, pk=whole_number(request.POST["endpoint"]) or 0),
                item=saved.item if saved else None,
                again="again" in request.POST,
            )
        except (Unusable, Conflict) as refused:
            error = str(refused)
        else:
            is_earlier = started.is_earlier
            hooks.dispatch_calls(TRY, started.waiting)
            if not is_part:
                return redirect("generation:test_item", project.slug, story, draft)
    context = _shown(request, found, draft, content) | {
        "error": error,
        "is_earlier": is_earlier,
        "back_url": way_back(found, draft, saved),
    }
    if not is_part:
        return render(request, "generation/try.html", context, status=400 if error else 200)
    # htmx swaps only successful responses; the refusal must be shown beside the button all the same
    only_list = request.method == "POST"
    return render(request, "generation/_trials.html" if only_list else "generation/_try.html", context)


def way_back(story: Story, draft: UUID, saved: ItemDraft | None) -> str:
    """Return the address of the draft's form or, if no draft is saved yet, of a new form for the story."""
    slug = story.project.slug
    return (
        reverse("annotation:draft", args=[slug, draft])
        if saved
        else reverse("annotation:write", args=[slug, story.pk])
    )


def words_on_sheet(request: MemberRequest, story: Story, saved: ItemDraft | None) -> ItemContent:
    """Return the content that a form has posted, or else that of the saved draft.

    The form is that of either style of item.
    """
    sent = request.POST
    if any(name.startswith(_SLOT) for name in sent):
        options = _options(sent, _SLOT, str(KEY_SLOT))
        return ItemContent(stem=story.project.moral_stem, options=options)
    if "stem" in sent:
        return ItemContent(stem=_text(sent, "stem"), options=_options(sent, _DESK, sent.get("key", "")))
    return from_json(saved.content if saved else None)


def _options(sent: QueryDict, prefix: str, key: str) -> tuple[OptionContent, ...]:
    return tuple(
        OptionContent(
            _text(sent, f"{prefix}{index}"),
            is_key=str(index) == key,
            candidate=whole_number(sent.get(f"candidate-{index}", "")),
        )
        for index in range(MAX_OPTIONS)
        if f"{prefix}{index}" in sent
    )


def _text(sent: QueryDict, name: str) -> str:
    return stored_text(sent.get(name) or "")


def _shown(request: MemberRequest, story: Story, draft: UUID, content: ItemContent) -> dict[str, object]:
    try:
        posed = services.posed_item(story, content)
    except Unusable:
        posed = None
    trials = trials_of(
        request.user,
        story.project,
        draft,
        words=posed.words if posed else "",
        key=posed.options[posed.key] if posed else "",
    )
    choices: list[tuple[Endpoint, object]] = []
    for one in askable_endpoints(story.project):
        prices = {"price_in": one.price_in, "price_out": one.price_out}
        choices.append((one, most_it_may_cost(posed.prompt, one.parameters, **prices) if posed else None))
    return {
        "project": story.project,
        "section": "write",
        "story": story,
        "draft": draft,
        "trials": trials,
        "tally": tally(trials),
        "waits": any(one.status == WAITING for one in trials),
        "choices": choices,
        "content": content,
    }
