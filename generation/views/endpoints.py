"""The models that can be asked: their list, adding one, trying one, retiring one."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.errors import Unusable, require
from generation.forms import EndpointForm
from generation.views import MemberRequest, drafting_project, put_errors
from jobs import services
from jobs.permissions import may_keep_endpoints
from jobs.queries import endpoints, get_endpoint


@login_required
@require_http_methods(["GET", "POST"])
def show(request: MemberRequest, slug: str) -> HttpResponse:
    """The project's endpoints, and a form for another. Managers only."""
    project = drafting_project(request, slug)
    require(may_keep_endpoints(request.user, project))
    form = EndpointForm(request.POST or None)
    if form.is_valid():
        try:
            added = services.create_endpoint(actor=request.user, project=project, **form.cleaned_data)
        except Unusable as error:
            put_errors(form, error)
        else:
            messages.success(request, _("“%(name)s” can be asked now. Try it.") % {"name": added.name})
            return redirect("generation:endpoints", slug)
    context = {
        "project": project,
        "section": "candidates",
        "endpoints": endpoints(project),
        "form": form,
    }
    return render(
        request, "generation/endpoints.html", context, status=400 if request.method == "POST" else 200
    )


@login_required
@require_POST
def try_out(request: MemberRequest, slug: str, pk: int) -> HttpResponse:
    """Ask the endpoint one word and say in plain words how it went."""
    project = drafting_project(request, slug)
    require(may_keep_endpoints(request.user, project))
    endpoint = get_endpoint(project=project, pk=pk)
    tried = services.try_endpoint(actor=request.user, endpoint=endpoint)
    if request.headers.get("HX-Request"):
        return render(request, "generation/_tried.html", {"tried": tried})
    words = f"{endpoint.name}: {tried.sentence}"
    if tried.server_says:
        words = _("%(words)s The server says: %(says)s") % {"words": words, "says": tried.server_says}
    (messages.success if tried.is_well else messages.error)(request, words)
    return redirect("generation:endpoints", slug)


@login_required
@require_POST
def retire(request: MemberRequest, slug: str, pk: int) -> HttpResponse:
    """Take an endpoint out of use."""
    project = drafting_project(request, slug)
    require(may_keep_endpoints(request.user, project))
    endpoint = get_endpoint(project=project, pk=pk)
    services.retire_endpoint(actor=request.user, endpoint=endpoint)
    messages.success(request, _("“%(name)s” is not asked any more.") % {"name": endpoint.name})
    return redirect("generation:endpoints", slug)
