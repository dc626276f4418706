"""Pages to change roles of members, to remove and restore members, and to create password links."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.models import User
from accounts.queries import get_person, reset_links_until
from core.errors import Conflict
from projects import services
from projects.forms import RolesForm
from projects.models import Project, Role
from projects.page import project_page, undo_token, undone
from projects.permissions import Permission
from projects.queries import Member, get_member, with_roles
from web.forms import Choice
from web.requests import MemberRequest, signed_in


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the list of members.

    `note` is a message about the change just made; `refusal` says why a change was refused.
    """

    member: Member
    choices: list[Choice]
    may_reset: bool
    note: str = ""
    refusal: str = ""


def _row(actor: User, member: Member, note: str = "", refusal: str = "") -> Row:
    choices = [Choice(value, str(label), value in member.roles) for value, label in Role.choices]
    may_reset = actor.is_superuser or actor == member.user or not member.has_rights_beyond
    return Row(member, choices, may_reset, note, refusal)


@project_page(Permission.CHANGE_PEOPLE)
@require_http_methods(["GET", "POST"])
def show(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Show the roles of a member. POST saves them; htmx gets only the row as the response."""
    member = get_member(project=project, pk=pk)
    if request.method == "GET":
        return _page(request, project, _row(request.user, member))
    row = _with_roles_saved(request, project, member)
    if "HX-Request" in request.headers:
        return render(request, "projects/_member.html", {"project": project, "row": row})
    if row.refusal:
        return _page(request, project, row)
    messages.success(request, _("Saved: %(name)s.") % {"name": row.member.user})
    return redirect("dashboard:members", project.slug)


def _page(request: HttpRequest, project: Project, row: Row) -> HttpResponse:
    return render(request, "projects/member.html", {"project": project, "row": row})


def _with_roles_saved(request: HttpRequest, project: Project, member: Member) -> Row:
    form, actor = RolesForm(request.POST), signed_in(request)
    if not form.is_valid() or not form.cleaned_data["roles"]:
        return _row(
            actor, member, refusal=_("Select at least one role, or remove the person from the project.")
        )
    roles = form.cleaned_data["roles"]
    try:
        services.set_roles(actor=actor, project=project, user=member.user, roles=roles)
    except Conflict as error:
        return _row(actor, member, refusal=str(error))
    return _row(actor, with_roles(project, [member.user])[0], note=_("Saved."))


@project_page(Permission.CHANGE_PEOPLE)
@require_POST
def remove(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Remove a member from the project. The page that follows offers to undo the removal."""
    member = get_member(project=project, pk=pk)
    try:
        services.set_roles(actor=request.user, project=project, user=member.user, roles=())
    except Conflict as error:
        messages.error(request, str(error))
        return redirect("dashboard:members", project.slug)
    if member.user == request.user and not request.user.is_superuser:
        messages.success(request, _("You have left the project %(name)s.") % {"name": project})
        return redirect("dashboard:home")
    query = urlencode({"undo": undo_token(project, member)})
    return redirect(f"{reverse('dashboard:members', args=[project.slug])}?{query}")


@project_page(Permission.CHANGE_PEOPLE)
@require_POST
def restore(request: MemberRequest, project: Project) -> HttpResponse:
    """Restore a member who was just removed, with the roles they had. Raise `Conflict` if it is too late."""
    found = undone(request.POST.get("undo", ""), project)
    if found is None:
        raise Conflict(_("This can no longer be undone. Invite the person again."))
    person = get_person(found[0])
    services.set_roles(actor=request.user, project=project, user=person, roles=found[1])
    messages.success(request, _("%(name)s was added back to the project.") % {"name": person})
    return redirect("dashboard:members", project.slug)


@project_page(Permission.CHANGE_PEOPLE)
@require_POST
def reset_link(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Create a link with which a member can set a new password, and show the link once."""
    person = get_member(project=project, pk=pk).user
    issued = services.issue_reset_link(actor=request.user, project=project, user=person)
    context = {
        "project": project,
        "section": "members",
        "person": person,
        "link": request.build_absolute_uri(reverse("accounts:reset", args=[issued.uid, issued.token])),
        "until": reset_links_until(),
        "back": reverse("dashboard:members", args=[project.slug]),
    }
    return render(request, "accounts/reset_link.html", context)
