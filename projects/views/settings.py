"""Pages of a project's settings and its commonsense types."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from core.errors import Conflict, Unusable
from projects import services
from projects.forms import LICENCES, NewTypeForm, SettingsForm, TypeNamesForm
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from projects.queries import all_types, current_guideline, get_type
from web.forms import put_errors
from web.requests import MemberRequest


@project_page(Permission.SEE_PROJECT, change=Permission.CHANGE_PROJECT)
@require_http_methods(["GET", "POST"])
def settings(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the settings of a project; POST changes them."""
    form = SettingsForm(request.POST if request.method == "POST" else None, project=project)
    if form.is_valid():
        try:
            services.update_project(actor=request.user, project=project, changes=form.cleaned_data)
        except (Unusable, Conflict) as error:
            project.refresh_from_db()  # refused values stay in the form, but not in the heading
            put_errors(form, error)
        else:
            messages.success(request, _("Saved."))
            return redirect("projects:settings", project.slug)
    return _page(request, project, form=form)


def _page(
    request: HttpRequest,
    project: Project,
    *,
    form: SettingsForm | None = None,
    new_type: NewTypeForm | None = None,
    renaming: tuple[int, TypeNamesForm] | None = None,
) -> HttpResponse:
    context = {
        "project": project,
        "section": "settings",
        "form": form or SettingsForm(project=project),
        "licences": LICENCES,
        "types": _types(project, renaming),
        "is_renaming": renaming is not None,
        "new_type": new_type or NewTypeForm(prefix="new"),
        "guideline": current_guideline(project),
    }
    return render(request, "projects/settings.html", context)


def _types(project: Project, renaming: tuple[int, TypeNamesForm] | None) -> list[dict[str, object]]:
    language = get_language() or "en"
    rows: list[dict[str, object]] = []
    for kind in all_types(project):
        form = TypeNamesForm(
            initial={"name_zh": kind.name_zh, "name_en": kind.name_en}, prefix=f"type-{kind.pk}"
        )
        if renaming and renaming[0] == kind.pk:
            form = renaming[1]
        names = {"name": kind.name_in(language), "meaning": kind.meaning_in(language)}
        both = sorted(
            [("zh-Hans", kind.name_zh), ("en", kind.name_en)], key=lambda each: each[1] != names["name"]
        )
        rows.append({"type": kind, "form": form, "names": both, **names})
    return rows


@project_page(Permission.CHANGE_PROJECT)
@require_POST
def add_type(request: MemberRequest, project: Project) -> HttpResponse:
    """Add a commonsense type."""
    form = NewTypeForm(request.POST, prefix="new")
    if form.is_valid():
        try:
            services.add_type(actor=request.user, project=project, **form.cleaned_data)
        except (Unusable, Conflict) as error:
            put_errors(form, error)
        else:
            messages.success(request, _("Type added. New items can use it."))
            return redirect("projects:settings", project.slug)
    return _page(request, project, new_type=form)


@project_page(Permission.CHANGE_PROJECT)
@require_POST
def rename_type(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Change the names of a commonsense type."""
    kind = get_type(project=project, pk=pk)
    form = TypeNamesForm(request.POST, prefix=f"type-{pk}")
    if form.is_valid():
        try:
            services.rename_type(actor=request.user, kind=kind, **form.cleaned_data)
        except (Unusable, Conflict) as error:
            put_errors(form, error)
        else:
            messages.success(request, _("Type renamed."))
            return redirect("projects:settings", project.slug)
    return _page(request, project, renaming=(pk, form))


@project_page(Permission.CHANGE_PROJECT)
@require_POST
def retire_type(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Retire a commonsense type, so that new items cannot have it."""
    try:
        services.retire_type(actor=request.user, kind=get_type(project=project, pk=pk))
    except Conflict as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("Type retired. Existing items keep it; new items cannot use it."))
    return redirect("projects:settings", project.slug)


@project_page(Permission.CHANGE_PROJECT)
@require_POST
def restore_type(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Restore a retired commonsense type, so that new items can have it again."""
    services.restore_type(actor=request.user, kind=get_type(project=project, pk=pk))
    messages.success(request, _("Type restored. New items can use it again."))
    return redirect("projects:settings", project.slug)
