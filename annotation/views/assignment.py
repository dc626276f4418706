"""Pages of assignments: each writer's open work, and the form with which managers assign stories."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation import services
from annotation.forms import NamingForm, PlacesFilter
from annotation.models import Item
from annotation.queries.assignment import (
    LONG_AGO,
    Progress,
    holders,
    progress,
    stories_to_name,
    waiting_for_somebody,
)
from core.errors import Hidden, Unusable
from corpus.queries import stories
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from projects.queries import members
from web.forms import Choice, put_errors
from web.requests import MemberRequest

PAGE = 50


@project_page(Permission.SEE_WRITING)
@require_GET
def assignments(request: MemberRequest, project: Project) -> HttpResponse:
    """Show each writer's progress, also as text to paste into a group chat."""
    people = progress(project)
    page = Paginator(people, PAGE).get_page(request.GET.get("page"))
    context = {
        "project": project,
        "section": "assignments",
        "page_obj": page,
        "today": timezone.localdate(),
        "left": sum(person.left for person in people),
        "overdue": sum(person.overdue for person in people),
        "texts": _texts(project, people),
    }
    return render(request, "annotation/assignments.html", context)


def _texts(project: Project, people: list[Progress]) -> list[dict[str, str]]:
    """Return texts about writers with items left, in the reader's language and in the project's."""
    behind = [person for person in people if person.left or person.returned]
    if not behind:
        return []
    mine = translation.get_language() or "en"
    theirs = "zh-hans" if project.language == "zh" else project.language
    languages = [mine] if mine.split("-")[0] == theirs.split("-")[0] else [mine, theirs]
    texts = []
    for language in languages:
        with translation.override(language):
            day = timezone.localdate().isoformat()  # a chat has no locale: 11/12 would be two days
            title = _("%(project)s, %(day)s, unfinished:") % {"project": project.name, "day": day}
            lines = [title, *(_line(person) for person in behind)]
            name = str(_("Chinese") if language.startswith("zh") else _("English"))
        lang = "zh-Hans" if language.startswith("zh") else "en"
        texts.append({"lang": lang, "name": name, "text": "\n".join(lines)})
    return texts


def _line(person: Progress) -> str:
    lines = []
    if person.left:
        words = ngettext("%(left)d item to write", "%(left)d items to write", person.left)
        lines.append(words % {"left": person.left})
    if person.returned:
        words = ngettext("%(n)d to revise", "%(n)d to revise", person.returned)
        lines.append(words % {"n": person.returned})
    if person.overdue:
        words = ngettext("%(n)d story overdue", "%(n)d stories overdue", person.overdue)
        lines.append(words % {"n": person.overdue})
    if person.due:
        lines.append(_("due %(day)s") % {"day": person.due.isoformat()})
    written = _("%(written)d of %(owed)d written") % {"written": person.written, "owed": person.owed}
    start = _("%(name)s: %(written)s") % {"name": person.writer, "written": written}
    return _(", ").join([start, *lines])


@project_page(Permission.CHANGE_WRITING)
@require_http_methods(["GET", "POST"])
def name_writers(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the form that assigns stories to writers with a due date; POST saves the assignments."""
    writers = members(project, Permission.WRITE)
    form = NamingForm(request.POST if request.method == "POST" else None, writers=writers)
    if request.method == "POST" and form.is_valid():
        sent = form.cleaned_data
        try:
            made = services.name_writers_for(
                actor=request.user,
                project=project,
                stories=list(stories(project).filter(pk__in=sent["stories"])),
                writers=list(sent["writers"]),
                due_on=sent["due_on"],
            )
        except Unusable as refused:
            put_errors(form, refused)
        else:
            words = ngettext("%(n)d story assigned.", "%(n)d stories assigned.", len(made))
            messages.success(
                request,
                words % {"n": len(made)} if made else _("They already have all of these stories."),
            )
            return redirect("annotation:assignments", project.slug)
    narrowing = PlacesFilter(request.GET or None)
    page = Paginator(stories_to_name(project, **narrowing.wanted()), PAGE).get_page(request.GET.get("page"))
    chosen, named = set(request.POST.getlist("stories")), set(request.POST.getlist("writers"))
    has = holders(place.story_id for place in page.object_list)
    context = {
        "project": project,
        "section": "assignments",
        "form": form,
        "filter": narrowing,
        "page_obj": page,
        "rows": [
            (place, has.get(place.story_id, []), str(place.story_id) in chosen) for place in page.object_list
        ],
        "people": [
            Choice(str(pk), name, str(pk) in named) for pk, name in writers.values_list("pk", "name")[:1000]
        ],
    }
    return render(request, "annotation/name_writers.html", context, status=400 if form.errors else 200)


@project_page(Permission.WRITE)
@require_GET
def without_writer(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the items that can be taken over: their writers have left, or have not revised them for long."""
    page = Paginator(waiting_for_somebody(project, request.user), PAGE).get_page(request.GET.get("page"))
    context = {"project": project, "section": "write", "page_obj": page, "days": LONG_AGO.days}
    return render(request, "annotation/without_writer.html", context)


@project_page(Permission.WRITE)
@require_POST
def take_over(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Take over a returned item from another writer, and redirect to the form to revise it."""
    item = Item.objects.filter(project=project, pk=pk).first()
    if item is None or not waiting_for_somebody(project, request.user).filter(pk=pk).exists():
        raise Hidden(_("Item not found."))
    services.take_over_item(actor=request.user, item=item)
    return redirect("annotation:revise", project.slug, pk)
