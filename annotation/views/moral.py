"""Pages of a story's moral. They record which users see it."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.forms import MoralForm
from annotation.permissions import may_see_moral
from annotation.services import record_exposure
from annotation.views.sheet import write_address
from core.errors import Conflict, Unusable, require
from corpus.queries import get_story
from corpus.services import set_moral
from parable.kinds import first_code
from projects.permissions import Permission, has_permission
from projects.queries import get_project
from web.requests import MemberRequest, own_address


@login_required
@require_POST
def moral(request: MemberRequest, slug: str, pk: int) -> HttpResponse:
    """Show the moral and record the exposure. If a reason is posted, change the moral."""
    project = get_project(user=request.user, slug=slug)
    require(may_see_moral(request.user, project))
    story = get_story(user=request.user, project=project, pk=pk)
    current = story.current
    initial = {"moral": current.moral, "origin": current.moral_origin} if current else {}
    form = MoralForm(request.POST if "reason" in request.POST else None, initial=initial)
    note = ""
    if form.is_valid():
        try:
            set_moral(actor=request.user, story=story, **form.cleaned_data)
        except (Unusable, Conflict) as refused:
            form.add_error(None, str(refused))
        else:
            note = _("Moral updated.")
    record_exposure(actor=request.user, story=story)
    context = {
        "project": project,
        "section": "stories",
        "story": story,
        "form": form if has_permission(request.user, project, Permission.CHANGE_STORIES) else None,
        "note": note,
    }
    page = "annotation/_moral.html" if request.htmx else "annotation/moral.html"
    # htmx inserts only successful responses, and errors must appear beside their fields
    status = 400 if form.errors and not request.htmx else 200
    return render(request, page, context, status=status)


@login_required
@require_POST
def see_moral(request: MemberRequest, slug: str, story: int) -> HttpResponse:
    """Record that the user asked to see the moral, then redirect to `then` or to the form of a new item."""
    project = get_project(user=request.user, slug=slug)
    require(may_see_moral(request.user, project))
    found = get_story(user=request.user, project=project, pk=story)
    record_exposure(actor=request.user, story=found)
    then = own_address(request, request.POST.get("then", ""))
    return redirect(then or write_address(slug, story, first_code("key_from_moral")))
