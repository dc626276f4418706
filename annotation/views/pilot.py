"""Pages of pilots: start, notes, end, and re-review of items under older guidelines."""

from typing import Final

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation import services
from annotation.forms import OlderItemsFilter, PilotForm, ReasonForm
from annotation.models import PilotStory
from annotation.queries import pilot as queries
from annotation.services.pilot import AT_ONCE, MOST_STORIES, MOST_WRITERS
from core.errors import Hidden, Unusable
from corpus.queries import find_stories
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from projects.queries import current_guideline, current_types, members
from web.forms import put_errors, stored_text
from web.requests import MemberRequest

PAGE: Final = 50
MOST_LISTED: Final = 50


@project_page(Permission.SEE_WRITING)
@require_GET
def pilots(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the project's pilots, newest first."""
    page = Paginator(queries.pilots(project), PAGE).get_page(request.GET.get("page"))
    context = {"project": project, "section": "items", "page_obj": page}
    return render(request, "annotation/pilots.html", context)


@project_page(Permission.CHANGE_WRITING)
@require_http_methods(["GET", "POST"])
def start(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the form of a new pilot with its stories and writers; POST starts the pilot."""
    search = request.GET.get("q", "")
    stories = list(find_stories(project, q=search)[:MOST_LISTED])
    writers = list(members(project, Permission.TAKE_STORIES))
    too_many = len(writers) > MOST_WRITERS
    form = PilotForm(
        request.POST if request.method == "POST" else None,
        initial={"writers": [] if too_many else [person.pk for person in writers]},
        stories=stories,
        writers=writers,
    )
    if form.is_valid():
        words = form.cleaned_data
        try:
            pilot = services.start_pilot(
                actor=request.user,
                project=project,
                name=words["name"],
                stories=[story for story in stories if story.pk in words["stories"]],
                writers=[person for person in writers if person.pk in words["writers"]],
                due_on=words["due_on"],
            )
        except Unusable as error:
            put_errors(form, error)
        else:
            messages.success(request, _("Pilot started. Its stories are on each writer's desk."))
            return redirect("dashboard:pilot", project.slug, pilot.pk)
    context = {
        "project": project,
        "section": "items",
        "form": form,
        "search": search,
        "more": len(stories) == MOST_LISTED,
        "most": MOST_STORIES,
        "most_writers": MOST_WRITERS if too_many else None,
    }
    return render(request, "annotation/pilot_new.html", context, status=400 if form.errors else 200)


@project_page(Permission.CHANGE_WRITING)
@require_POST
def note(request: MemberRequest, project: Project, pk: int, story: int) -> HttpResponse:
    """Save the notes on the items about one story of a pilot."""
    pilot = queries.get_pilot(project=project, pk=pk)
    link = next((link for link in pilot.links.all() if link.story_id == story), None)
    if link is None:
        raise Hidden(_("This story is not part of the pilot."))
    services.note_on_pilot(actor=request.user, link=link, text=stored_text(request.POST.get("note", "")))
    messages.success(request, _("Notes saved."))
    if request.POST.get("then") == "guideline":
        return redirect("projects:publish_guideline", project.slug)
    return redirect(f"{reverse('dashboard:pilot', args=[project.slug, pk])}?story={story}")


@project_page(Permission.SEE_WRITING)
@require_GET
def notes(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the notes of the newest pilots, as a fragment beside the guideline."""
    links = PilotStory.objects.filter(pilot__project=project).exclude(note="")
    context = {
        "project": project,
        "links": links.select_related("pilot", "story__current").order_by("-pilot", "pk")[:MOST_LISTED],
    }
    return render(request, "annotation/_pilot_notes.html", context)


@project_page(Permission.CHANGE_WRITING)
@require_POST
def end(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """End a pilot."""
    pilot = queries.get_pilot(project=project, pk=pk)
    services.end_pilot(actor=request.user, pilot=pilot)
    messages.success(request, _("Pilot ended. Its items go through review as usual."))
    return redirect("dashboard:pilot", project.slug, pk)


@project_page(Permission.CHANGE_WRITING)
@require_http_methods(["GET", "POST"])
def older_items(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the number of verified items under older guidelines; POST sends them to review again."""
    narrowing = OlderItemsFilter(
        request.POST if request.method == "POST" else request.GET, kinds=current_types(project)
    )
    wanted = narrowing.wanted()
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        sent = services.look_again_at_older_items(
            actor=request.user, project=project, reason=form.cleaned_data["reason"], **wanted
        )
        words = ngettext("%(n)d item sent for re-review.", "%(n)d items sent for re-review.", sent)
        messages.success(request, words % {"n": sent})
        return redirect("annotation:older_items", project.slug)
    counts = queries.older_counts(project, **wanted)
    total = sum(count for _number, count in counts)
    context = {
        "project": project,
        "section": "items",
        "filter": narrowing,
        "form": form,
        "counts": counts,
        "total": total,
        "now": min(total, AT_ONCE),
        "guideline": current_guideline(project),
    }
    return render(request, "annotation/older_items.html", context, status=400 if form.errors else 200)
