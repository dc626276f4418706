"""Pages of endpoints: list, addition, settings, test, key, and retirement."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from core.errors import Conflict, Unusable
from generation.forms import EndpointForm, KeyForm, ProjectBudgetForm
from jobs import services
from jobs.models import Endpoint, EndpointKind
from jobs.permissions import may_allow_hosts
from jobs.queries import (
    budget_state,
    endpoints,
    get_endpoint,
    get_retired_endpoint,
    host_of,
    key_refusal_of,
    refusal_of,
    retired_endpoints,
    stored_keys,
    stores_keys,
)
from parable.llm.presets import PRESETS, find_preset
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from web.forms import put_errors
from web.requests import MemberRequest


@project_page(Permission.SEE_MODELS, change=Permission.CHANGE_MODELS)
@require_http_methods(["GET", "POST"])
def show(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the project's endpoints, with a form to add one, prefilled by `?preset=`; POST adds it."""
    preset = find_preset(request.GET.get("preset", ""))
    form = EndpointForm(request.POST or None, initial=EndpointForm.of_preset(preset) if preset else None)
    if form.is_valid():
        try:
            added = services.create_endpoint(actor=request.user, project=project, **form.cleaned_data)
        except Unusable as error:
            put_errors(form, error)
        else:
            messages.success(request, _("“%(name)s” was added. Test it now.") % {"name": added.name})
            return redirect("generation:endpoint", project.slug, added.pk)
    context = {
        "project": project,
        "section": "candidates",
        "endpoints": [
            (endpoint, refusal_of(endpoint) or key_refusal_of(endpoint)) for endpoint in endpoints(project)
        ],
        "retired": retired_endpoints(project),
        "keys": stored_keys(project),
        "presets": PRESETS,
        "preset": preset,
        "form": form,
        "budget": budget_state(project),
    }
    status = 400 if request.method == "POST" else 200
    return render(request, "generation/endpoints.html", context, status=status)


@project_page(Permission.CHANGE_MODELS)
@require_POST
def set_budget(request: MemberRequest, project: Project) -> HttpResponse:
    """Set the project's total budget for models."""
    form = ProjectBudgetForm(request.POST)
    if form.is_valid():
        services.set_project_budget(actor=request.user, project=project, limit=form.cleaned_data["limit"])
        messages.success(request, _("Saved. Running jobs keep their own budgets."))
    else:
        messages.error(request, _("Enter an amount such as 12.50, or leave empty for no limit."))
    return redirect("generation:endpoints", project.slug)


@project_page(Permission.SEE_MODELS, change=Permission.CHANGE_MODELS)
@require_http_methods(["GET", "POST"])
def edit(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Show an endpoint: its settings, its key, and a test. POST changes the settings."""
    endpoint = get_endpoint(project=project, pk=pk)
    form = EndpointForm(request.POST or None, endpoint=endpoint)
    if form.is_valid():
        try:
            services.edit_endpoint(actor=request.user, endpoint=endpoint, **form.cleaned_data)
        except Unusable as error:
            put_errors(form, error)
        else:
            messages.success(request, _("Saved. Earlier calls are unchanged."))
            return redirect("generation:endpoint", project.slug, pk)
    status = 400 if request.method == "POST" else 200
    return _render_one(request, endpoint, form=form, status=status)


def _render_one(
    request: MemberRequest,
    endpoint: Endpoint,
    *,
    form: EndpointForm | None = None,
    key_form: KeyForm | None = None,
    status: int = 200,
) -> HttpResponse:
    host = host_of(endpoint)
    context = {
        "project": endpoint.project,
        "section": "candidates",
        "endpoint": endpoint,
        "form": form or EndpointForm(endpoint=endpoint),
        "is_manual": endpoint.kind == EndpointKind.MANUAL,
        "key": stored_keys(endpoint.project).get(endpoint.pk),
        "key_form": key_form or KeyForm(),
        "stores_keys": stores_keys(),
        "host": host,
        "key_refusal": key_refusal_of(endpoint),
        "may_allow_hosts": bool(may_allow_hosts(request.user)),
    }
    return render(request, "generation/endpoint.html", context, status=status)


@sensitive_post_parameters("key")
@project_page(Permission.CHANGE_MODELS)
@require_POST
def store_key(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Store the endpoint's API key. No response ever contains the key."""
    endpoint = get_endpoint(project=project, pk=pk)
    form = KeyForm(request.POST)
    if form.is_valid():
        try:
            services.store_key(actor=request.user, endpoint=endpoint, key=form.cleaned_data["key"])
        except (Conflict, Unusable) as error:
            put_errors(form, error)
        else:
            messages.success(request, _("API key stored. It will not be shown again."))
            return redirect("generation:endpoint", project.slug, pk)
    return _render_one(request, endpoint, key_form=form, status=400)


@project_page(Permission.CHANGE_MODELS)
@require_POST
def discard_key(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Delete the endpoint's stored API key."""
    endpoint = get_endpoint(project=project, pk=pk)
    services.discard_key(actor=request.user, endpoint=endpoint)
    messages.success(request, _("Stored API key deleted."))
    return redirect("generation:endpoint", project.slug, pk)


@project_page(Permission.CHANGE_MODELS)
@require_POST
def test(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Send the endpoint a test call and show the result."""
    endpoint = get_endpoint(project=project, pk=pk)
    tried = services.try_endpoint(actor=request.user, endpoint=endpoint)
    if request.headers.get("HX-Request"):
        return render(request, "generation/_tried.html", {"tried": tried})
    words = f"{endpoint.name}: {tried.sentence}"
    if tried.server_says:
        words = _("%(words)s Server response: %(says)s") % {"words": words, "says": tried.server_says}
    (messages.success if tried.is_well else messages.error)(request, words)
    return redirect("generation:endpoints", project.slug)


@project_page(Permission.CHANGE_MODELS)
@require_POST
def retire(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Retire an endpoint."""
    endpoint = get_endpoint(project=project, pk=pk)
    services.retire_endpoint(actor=request.user, endpoint=endpoint)
    messages.success(request, _("“%(name)s” was retired.") % {"name": endpoint.name})
    return redirect("generation:endpoints", project.slug)


@project_page(Permission.CHANGE_MODELS)
@require_POST
def restore(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Put a retired endpoint into use again."""
    endpoint = get_retired_endpoint(project=project, pk=pk)
    services.bring_back_endpoint(actor=request.user, endpoint=endpoint)
    messages.success(request, _("“%(name)s” is in use again.") % {"name": endpoint.name})
    return redirect("generation:endpoints", project.slug)
