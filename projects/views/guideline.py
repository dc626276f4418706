"""Pages to read, confirm, compare and publish versions of the guideline."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.models import User
from core.errors import Conflict, Unusable
from core.numbers import whole_number
from parable.reading.differences import line_diff
from projects import services
from projects.forms import GuidelineForm
from projects.models import Guideline, Project
from projects.page import project_page
from projects.permissions import Permission, has_permission
from projects.queries import acknowledged_by, current_guideline, get_guideline, get_project, members, versions
from web.forms import put_errors
from web.requests import MemberRequest, own_address, signed_in


@login_required
@require_GET
def show(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the current guideline, or an older version given by `?version=`."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    current = current_guideline(project)
    wanted = request.GET.get("version", "")
    guideline = get_guideline(project=project, number=whole_number(wanted) or 0) if wanted else current
    context = {
        "project": project,
        "section": "settings",
        "guideline": guideline,
        "current": current,
        "versions": versions(project),
        "next": own_address(request, request.GET.get("next", "")),
    }
    return render(request, "projects/guideline.html", context | _readers(user, project, current))


@login_required
@require_GET
def changes(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the differences between two versions, by default the last two."""
    project = get_project(user=signed_in(request), slug=slug)
    numbers = list(versions(project).values_list("number", flat=True))
    newest = numbers[0] if numbers else 0
    to_number = _version(request, "to", newest)
    before = get_guideline(project=project, number=_version(request, "from", max(to_number - 1, 1)))
    after = get_guideline(project=project, number=to_number)
    lines = line_diff(before.text, after.text) if before.text != after.text else []
    context = {
        "project": project,
        "section": "settings",
        "before": before,
        "after": after,
        "numbers": numbers,
        "lines": [line for line in lines if line.skipped or any(part.text.strip() for part in line.parts)],
    }
    return render(request, "projects/guideline_changes.html", context)


def _version(request: HttpRequest, name: str, otherwise: int) -> int:
    """Return the version number in the query string: `otherwise` if it is missing, 0 if it is invalid."""
    wanted = request.GET.get(name, "")
    if not wanted:
        return otherwise
    return whole_number(wanted) or 0


def _readers(user: User, project: Project, current: Guideline | None) -> dict[str, object]:
    """Return context for the page: `confirmed` is whether the user has confirmed the current guideline.

    For users who may see the members, also return the number of members and the members who have not
    confirmed it.
    """
    if current is None:
        return {"confirmed": False}
    read = acknowledged_by(current)
    found: dict[str, object] = {"confirmed": user.pk in read}
    if has_permission(user, project, Permission.SEE_PEOPLE):
        everybody = list(members(project))
        found["member_count"] = len(everybody)
        found["unread"] = [member for member in everybody if member.pk not in read]
    return found


@login_required
@require_POST
def acknowledge(request: HttpRequest, slug: str) -> HttpResponse:
    """Record that the user has read a version; redirect to `next`, the desk or the guideline."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    number = whole_number(request.POST.get("version", "")) or 0
    guideline = get_guideline(project=project, number=number)
    services.acknowledge_guideline(actor=user, guideline=guideline)
    messages.success(
        request, _("You have confirmed version %(number)d of the guideline.") % {"number": guideline.number}
    )
    following = own_address(request, request.POST.get("next", ""))
    if following:
        return redirect(following)
    writes = has_permission(user, project, Permission.TAKE_STORIES)
    return redirect("annotation:desk" if writes else "projects:guideline", slug)


@project_page(Permission.CHANGE_PROJECT)
@require_http_methods(["GET", "POST"])
def publish(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the form for the next version; POST publishes it or, with `preview`, renders a preview."""
    current = current_guideline(project)
    number = current.number if current else 0
    initial = {"text": current.text if current else "", "based_on": number}
    form = GuidelineForm(request.POST if request.method == "POST" else None, initial=initial)
    publishing = form.is_valid() and "preview" not in request.POST
    if publishing:
        try:
            guideline = services.publish_guideline(
                actor=request.user,
                project=project,
                text=form.cleaned_data["text"],
                based_on=form.cleaned_data["based_on"],
            )
        except Unusable as error:
            put_errors(form, error)
        except Conflict as error:
            form = GuidelineForm({"text": form.cleaned_data["text"], "based_on": number})
            put_errors(form, error)
        else:
            sentence = _("Version %(number)d published. Writers confirm it before their next submission.")
            messages.success(request, sentence % {"number": guideline.number})
            return redirect("projects:guideline", project.slug)
    preview = "" if publishing else form.data.get("text", "")
    context = {"project": project, "section": "settings", "form": form, "current": current}
    return render(request, "projects/guideline_new.html", context | {"preview": preview})
