"""Pages to create, archive and restore a project, and to list the user's own projects."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django.views.decorators.vary import vary_on_headers

from accounts.queries import administrators
from core.errors import Conflict, Unusable
from projects import services
from projects.forms import NewProjectForm, TargetsForm
from projects.models import Language, Project, Role
from projects.permissions import may_create_project
from projects.queries import get_project, memberships_of, suggest_slug
from web.forms import put_errors
from web.requests import signed_in


@login_required
@require_http_methods(["GET", "POST"])
def create(request: HttpRequest) -> HttpResponse:
    """Show the form for a new project; POST creates the project.

    If the user may not create projects, show which administrators to ask.
    """
    user = signed_in(request)
    if not may_create_project(user):
        context = {"administrators": administrators()[:5]}
        return render(request, "projects/create_refused.html", context, status=403)
    language = Language.ZH if (get_language() or "").startswith("zh") else Language.EN
    fresh = Project()
    initial = {"language": language, **{name: getattr(fresh, name) for name in TargetsForm.base_fields}}
    form = NewProjectForm(request.POST if request.method == "POST" else None, initial=initial, user=user)
    if form.is_bound and not form["slug"].value() and form["name"].value():
        # the user has to confirm a suggested slug
        data = request.POST.copy()
        data["slug"] = suggest_slug(str(data["name"]))
        form = NewProjectForm(data, user=user)
        form.add_error("slug", _("Suggested stem; you can change it."))
    if form.is_valid():
        sent = form.cleaned_data
        try:
            project = services.create_project(
                actor=user,
                slug=sent["slug"],
                name=sent["name"],
                language=sent["language"],
                settings=form.settings(),
                like=sent["like"],
            )
        except (Unusable, Conflict) as error:
            put_errors(form, error)
        else:
            return redirect("dashboard:project", project.slug)
    targets_wrong = any(field.errors for field in form.targets())
    return render(request, "projects/create.html", {"form": form, "targets_wrong": targets_wrong})


@login_required
@require_GET
def short_name(request: HttpRequest) -> HttpResponse:
    """Return the form field of the slug with a suggestion, or 204 if the user has typed a slug."""
    typed, suggested = request.GET.get("slug", ""), request.GET.get("suggested", "")
    name = request.GET.get("name", "").strip()[:120]
    user = signed_in(request)
    if not name or not may_create_project(user) or typed not in ("", suggested):
        return HttpResponse(status=204)
    form = NewProjectForm(initial={"slug": suggest_slug(name)}, user=user)
    return render(request, "projects/_slug.html", {"form": form, "suggested": True})


@login_required
@vary_on_headers("HX-Request")
@require_GET
def mine(request: HttpRequest) -> HttpResponse:
    """Show the user's projects and roles, as a page or, for htmx, as a part of the profile."""
    user = signed_in(request)
    labels = dict(Role.choices)
    projects = [(project, [labels[role] for role in roles]) for project, roles in memberships_of(user)]
    page = "projects/_mine.html" if "HX-Request" in request.headers else "projects/mine.html"
    context = {
        "projects": [one for one in projects if not one[0].archived_at],
        "archived": [one for one in projects if one[0].archived_at],
        "may_create": bool(may_create_project(user)),
    }
    return render(request, page, context)


@login_required
@require_POST
def archive(request: HttpRequest, slug: str) -> HttpResponse:
    """Archive a project, which makes it read-only."""
    _set_archived(request, slug, archived=True)
    return redirect("projects:settings", slug)


@login_required
@require_POST
def restore(request: HttpRequest, slug: str) -> HttpResponse:
    """Restore an archived project."""
    _set_archived(request, slug, archived=False)
    return redirect("projects:settings", slug)


def _set_archived(request: HttpRequest, slug: str, *, archived: bool) -> None:
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    services.set_archived(actor=user, project=project, archived=archived)
    messages.success(request, _("Archived.") if archived else _("Restored."))
