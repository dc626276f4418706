"""Who belongs to a project: roles, taking out and back in, links for a new password."""

from collections.abc import Iterable
from dataclasses import dataclass

import segno
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core import signing
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from accounts.queries import get_person, reset_links_until
from core.errors import Conflict
from projects import services
from projects.forms import InviteForm, RolesForm
from projects.models import Invitation, Project, Role
from projects.page import managed_project
from projects.queries import Member, get_member, members, pending_invitations, with_roles
from web.requests import signed_in

PAGE = 50
MOST_INVITATIONS = 200
UNDO_SECONDS = 3600
UNDO_SALT = "projects.members.undo"


@dataclass(frozen=True, slots=True)
class RoleChoice:
    """A role that a chip stands for, and whether the person holds it."""

    value: str
    label: str
    checked: bool


@dataclass(frozen=True, slots=True)
class Row:
    """A member as the list shows them; `note` is what was just done, `refusal` why it was not."""

    member: Member
    choices: list[RoleChoice]
    may_reset: bool
    note: str = ""
    refusal: str = ""


def _row(actor: User, member: Member, note: str = "", refusal: str = "") -> Row:
    choices = [RoleChoice(value, str(label), value in member.roles) for value, label in Role.choices]
    may_reset = actor.is_superuser or actor == member.user or not member.has_rights_beyond
    return Row(member, choices, may_reset, note, refusal)


@login_required
@require_GET
def show(request: HttpRequest, slug: str) -> HttpResponse:
    """List the members with their roles, and the invitations that wait; invite more."""
    return members_page(request, managed_project(request, slug), form=InviteForm())


def members_page(
    request: HttpRequest,
    project: Project,
    *,
    form: InviteForm,
    refused: Row | None = None,
) -> HttpResponse:
    """Answer the page of members, with the links that were made in the last hour."""
    page = Paginator(members(project), PAGE).get_page(request.GET.get("page"))
    actor = signed_in(request)
    rows = [_row(actor, member) for member in with_roles(project, page.object_list)]
    if refused:
        rows = [refused if row.member.user == refused.member.user else row for row in rows]
    waiting = pending_invitations(project)
    context: dict[str, object] = {
        "project": project,
        "section": "members",
        "page_obj": page,
        "rows": rows,
        "form": form,
        "issued": _links(request, project),
        "invitations": named_roles(waiting[:MOST_INVITATIONS]),
        "invitation_count": waiting.count(),
        "undo": _undo_offered(request, project),
    }
    return render(request, "projects/members.html", context)


def _links(request: HttpRequest, project: Project) -> list[tuple[Invitation, str, str]]:
    """Each link that is still kept readable: the invitation, its address, and that as a QR code."""
    found = []
    for each in services.kept_links(actor=signed_in(request), project=project):
        address = request.build_absolute_uri(reverse("projects:invite_accept", args=[each.token]))
        found.append((each.invitation, address, _square(address)))
    return found


def _square(address: str) -> str:
    """The address as a QR code: an SVG image inside its own address, which the policy lets pages show."""
    return segno.make_qr(address, error="m").svg_data_uri(scale=4, border=4, light="white")


def named_roles(invitations: Iterable[Invitation]) -> list[tuple[Invitation, list[str]]]:
    """Invitations with their roles in words."""
    labels = dict(Role.choices)
    return [(each, [str(labels[role]) for role in Role.values if role in each.roles]) for each in invitations]


@login_required
@require_POST
def save_roles(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Save the roles of one person: answers the page, or their row alone."""
    project = managed_project(request, slug)
    row = _with_roles_saved(request, project, get_member(project=project, pk=pk))
    if "HX-Request" in request.headers:
        return render(request, "projects/_member.html", {"project": project, "row": row})
    if row.refusal:
        return members_page(request, project, form=InviteForm(), refused=row)
    messages.success(request, _("Saved: %(name)s.") % {"name": row.member.user})
    return redirect("projects:members", slug)


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


@login_required
@require_POST
def remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take somebody out of the project; the page then offers to take them back in."""
    project = managed_project(request, slug)
    member = get_member(project=project, pk=pk)
    try:
        services.set_roles(actor=signed_in(request), project=project, user=member.user, roles=())
    except Conflict as error:
        messages.error(request, str(error))
        return redirect("projects:members", slug)
    if member.user == request.user and not request.user.is_superuser:
        messages.success(request, _("You have left the project %(name)s.") % {"name": project})
        return redirect("dashboard:home")
    undo = signing.dumps([project.pk, pk, member.roles], salt=UNDO_SALT, compress=True)
    return redirect(f"{reverse('projects:members', args=[slug])}?{urlencode({'undo': undo})}")


def _undone(token: str, project: Project) -> tuple[int, list[str]] | None:
    """Whom and which roles a token would bring back; none for one that is wrong, old or not ours."""
    try:
        in_project, pk, roles = signing.loads(token, salt=UNDO_SALT, max_age=UNDO_SECONDS)
    except signing.BadSignature:
        return None
    return (pk, roles) if in_project == project.pk else None


def _undo_offered(request: HttpRequest, project: Project) -> dict[str, object] | None:
    token = request.GET.get("undo", "")
    undone = _undone(token, project) if token else None
    return {"token": token, "person": get_person(undone[0])} if undone else None


@login_required
@require_POST
def restore(request: HttpRequest, slug: str) -> HttpResponse:
    """Take somebody who was just taken out back in, with the roles they had."""
    project = managed_project(request, slug)
    undone = _undone(request.POST.get("undo", ""), project)
    if undone is None:
        raise Conflict(_("This can no longer be undone. Invite the person again."))
    person = get_person(undone[0])
    services.set_roles(actor=signed_in(request), project=project, user=person, roles=undone[1])
    messages.success(request, _("%(name)s was added back to the project.") % {"name": person})
    return redirect("projects:members", slug)


@login_required
@require_POST
def reset_link(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show, once, a link by which a member sets a new password."""
    project = managed_project(request, slug)
    person = get_member(project=project, pk=pk).user
    issued = services.issue_reset_link(actor=signed_in(request), project=project, user=person)
    context = {
        "project": project,
        "section": "members",
        "person": person,
        "link": request.build_absolute_uri(reverse("accounts:reset", args=[issued.uid, issued.token])),
        "until": reset_links_until(),
        "back": reverse("projects:members", args=[slug]),
    }
    return render(request, "accounts/reset_link.html", context)
