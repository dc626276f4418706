"""Page of a story's candidates in a table, and of the item that is made from them."""

import uuid
from dataclasses import dataclass, replace

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from annotation.check import gives_key_away
from annotation.content import ItemContent, OptionContent, from_json
from annotation.queries.exposure import has_seen_moral
from annotation.services import StaleDraft, SubmittedDraft, discard_draft
from core.errors import Conflict, Forbidden, ParableError, Unusable
from core.numbers import whole_number
from corpus.models import Story
from corpus.queries import get_story
from generation import services
from generation.forms import KEY_SLOT, PasteForm, SlotsForm
from generation.models import Candidate, Purpose
from generation.queries.batch import (
    beside,
    candidates_of,
    get_template,
    machine_items,
    narrowed_stories,
    open_draft,
    prompt_for,
    sheet,
    story_templates,
    taken_keys,
)
from generation.similarity import LENGTH_LIMITS
from generation.views import Narrowing
from generation.views.candidate import candidate_rows, moral_taken_by, slots
from generation.views.hint import own_longest, telling_in
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from web.forms import put_errors
from web.requests import MemberRequest

MORAL = "moral"


@dataclass(frozen=True, slots=True)
class Desk:
    """The posted state: the story, the slots, and the draft's client id and save number."""

    story: Story
    content: ItemContent
    client_id: uuid.UUID
    sequence: int


def _story(request: MemberRequest, project: Project, pk: int) -> Story:
    return get_story(user=request.user, project=project, pk=pk)


def _around(request: MemberRequest, story: Story) -> dict[str, object]:
    """Return the context with the previous and the next story of the filtered list."""
    narrowing = Narrowing.of(request)
    shown = narrowed_stories(story.project, narrowing.show, narrowing.search)
    before, after = beside(shown, story)
    return {"before": before, "after": after, "narrowing": narrowing}


def _again(request: MemberRequest, story: Story) -> HttpResponse:
    """Redirect to this page with the same query string."""
    where = reverse("generation:story", args=[story.project.slug, story.pk])
    return redirect(f"{where}{Narrowing.of(request).address}")


@project_page(Permission.SEE_CANDIDATES, change=Permission.WRITE)
@require_http_methods(["GET", "POST"])
def show(request: MemberRequest, project: Project, story: int) -> HttpResponse:
    """Show the candidates and the slots. POST puts a candidate into a slot, and saves or submits the item."""
    found = _story(request, project, story)
    if not has_seen_moral(request.user, found):
        if request.method != "GET":
            return _again(request, found)
        # seeing the moral ends the user's blindness to the story's moral items
        context = {"project": project, "section": "candidates", "story": found} | _around(request, found)
        return render(request, "generation/ask.html", context)
    if request.method == "GET":
        return _page(request, _opened(request, found))
    form = SlotsForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("This page was out of date. It now shows the saved text."))
        return _again(request, found)
    typed = Desk(
        found,
        form.content(found.project.options_per_item),
        form.cleaned_data["client_id"],
        form.cleaned_data["sequence"],
    )
    try:
        return _act(request, typed)
    except StaleDraft as error:
        messages.warning(request, _("This was changed in another window. Submit again to keep yours."))
        return _page(request, replace(typed, sequence=error.draft.sequence), status=409)
    except SubmittedDraft:
        messages.info(request, _("This item was already submitted."))
        return _again(request, found)
    except (Unusable, Conflict, Forbidden) as error:
        return _page(request, replace(typed, sequence=typed.sequence + 1), error=error, status=error.status)


@project_page(Permission.WRITE)
@require_POST
def checks(request: MemberRequest, project: Project, story: int) -> HttpResponse:
    """Show the findings about the posted slots. Nothing is saved."""
    found = _story(request, project, story)
    if not has_seen_moral(request.user, found):
        raise Conflict(_("Show the moral first."))
    form = SlotsForm(request.POST)
    content = form.content(found.project.options_per_item)
    named = candidates_of(found).in_bulk([option.candidate for option in content.options if option.candidate])
    context = {"project": found.project, "story": found} | _judged(found, content, named, {})
    return render(request, "generation/_judged.html", context)


def _judged(
    story: Story, content: ItemContent, candidates: dict[int, Candidate], errors: dict[str, str]
) -> dict[str, object]:
    """Return the context of the slots.

    It has the findings of the checks if a slot is not empty.
    """
    is_begun = any(option.text.strip() for option in content.options)
    key = content.options[KEY_SLOT].text if content.options else ""
    return {
        "checks": services.check_slots(story, content) if is_begun else [],
        "telling": telling_in(key, story.project),
        "slots": slots(content, candidates, story, errors),
        "longest_key": gives_key_away(content),
    }


def _opened(request: MemberRequest, story: Story) -> Desk:
    draft = open_draft(request.user, story)
    before = from_json(draft.content) if draft else ItemContent()
    kept, answered = before.options, before.answered_warnings
    wanted = story.project.options_per_item
    filled = [*kept, *[OptionContent("")] * wanted][:wanted]
    options = tuple(replace(option, is_key=index == KEY_SLOT) for index, option in enumerate(filled))
    return Desk(
        story,
        ItemContent(options=options, answered_warnings=answered),
        draft.client_id if draft else uuid.uuid4(),
        draft.sequence if draft else 0,
    )


def _act(request: MemberRequest, typed: Desk) -> HttpResponse:
    """Save the slots, then carry out the action of the pressed button."""
    story, post = typed.story, request.POST
    content = typed.content
    if use := post.get("use"):
        content = _with(request, typed, use)
    elif (cleared := whole_number(post.get("clear", ""))) is not None:
        content = _replaced(content, cleared, OptionContent(""))
    draft = services.save_machine_draft(
        actor=request.user,
        story=story,
        client_id=typed.client_id,
        sequence=typed.sequence + 1,
        content=content,
    )
    if "submit" in post:
        services.submit_machine_draft(actor=request.user, draft=draft)
        messages.success(request, _("Item submitted, with the source of each option."))
    elif "discard" in post:
        discard_draft(actor=request.user, draft=draft)
    return _again(request, story)


def _with(request: MemberRequest, typed: Desk, use: str) -> ItemContent:
    """Return the slots with the moral as the key, or with a candidate in the next free slot."""
    story = typed.story
    if use == MORAL:
        moral = story.current.moral if story.current else ""
        return _replaced(typed.content, KEY_SLOT, OptionContent(moral))
    candidate = candidates_of(story).filter(pk=whole_number(use) or 0).first()
    if candidate is None:
        raise Unusable(_("This proposal belongs to another story."))
    place = _waiting_slot(typed.content, candidate)
    if place is None:
        messages.warning(request, _("All options are filled. Clear one first."))
        return typed.content
    return _replaced(typed.content, place, OptionContent(candidate.text, candidate=candidate.pk))


def _waiting_slot(content: ItemContent, candidate: Candidate) -> int | None:
    if candidate.template.purpose == Purpose.MORAL_WORDINGS:
        return KEY_SLOT
    empty = (
        index for index, option in enumerate(content.options) if index != KEY_SLOT and not option.text.strip()
    )
    return next(empty, None)


def _replaced(content: ItemContent, place: int, option: OptionContent) -> ItemContent:
    return replace(
        content,
        options=tuple(
            replace(option, is_key=here == KEY_SLOT) if here == place else old
            for here, old in enumerate(content.options)
        ),
    )


def _page(
    request: MemberRequest, desk: Desk, *, error: ParableError | None = None, status: int = 200
) -> HttpResponse:
    story, content = desk.story, desk.content
    found = sheet(story, content.options[KEY_SLOT].text)
    candidates = {proposal.candidate.pk: proposal.candidate for proposal in found.proposals}
    errors = error.fields if isinstance(error, Unusable) else {}
    made = machine_items(story)
    taken = taken_keys(story)
    filled = sum(bool(option.text.strip()) for option in content.options)
    context = {
        "project": story.project,
        "section": "candidates",
        "story": story,
        "endpoints": found.endpoints,
        "rows": candidate_rows(found, content, taken),
        "taken": taken,
        "moral_taken_by": moral_taken_by(story, taken),
        "own_longest": own_longest(request.user, story.project),
        "proposals": len(found.proposals),
        # open warnings are listed below the slots
        "error": errors.get("warnings") or (str(error) if error else ""),
        "length_limits": LENGTH_LIMITS,
        "client_id": desk.client_id,
        "sequence": desk.sequence,
        "made": made,
        "number": made + 1,
        "missing": len(content.options) - filled,
        "ask_url": f"{reverse('generation:batch', args=[story.project.slug])}?story={story.pk}",
    }
    context |= _around(request, story) | _judged(story, content, candidates, errors)
    return render(request, "generation/story.html", context, status=status)


@project_page(Permission.WRITE)
@require_http_methods(["GET", "POST"])
def answer_manually(request: MemberRequest, project: Project, story: int) -> HttpResponse:
    """Show the filled prompt to copy. POST saves the pasted answer with its candidates."""
    found = _story(request, project, story)
    if not has_seen_moral(request.user, found):
        return _again(request, found)
    project = found.project
    chosen = whole_number(request.POST.get("template") or request.GET.get("template") or "")
    newest = story_templates(project)
    template = newest.first() if chosen is None else get_template(project=project, pk=chosen)
    form = PasteForm(project, request.POST or None)
    if template is not None and form.is_valid():
        try:
            kept = services.paste_answer(
                actor=request.user, story=found, template=template, **form.cleaned_data
            )
        except Unusable as error:
            put_errors(form, error)
        else:
            messages.success(request, _("%(n)d candidates found.") % {"n": len(kept)})
            return redirect("generation:story", project.slug, story)
    context = {
        "project": project,
        "section": "candidates",
        "story": found,
        "templates": newest,
        "template": template,
        "prompt": prompt_for(template, found) if template else "",
        "form": form,
        "has_endpoint": form.fields["endpoint"].queryset.exists(),  # type: ignore[attr-defined]  # a field with choices
    }
    return render(request, "generation/manual.html", context, status=400 if request.method == "POST" else 200)
