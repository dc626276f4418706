"""Pages to invite people to a project by links, and to join it with such a link."""

from collections.abc import Iterable

from django.contrib import messages
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from accounts.models import User
from core.errors import Conflict, Hidden, NameTaken, Unusable
from projects import services
from projects.forms import InviteForm, JoinForm
from projects.models import Invitation, Project, Role
from projects.page import project_page
from projects.permissions import Permission
from projects.queries import get_invitation, pending_invitations, roles_of
from web.forms import put_errors
from web.passwords import hashes_password
from web.requests import MemberRequest, signed_in

MOST_INVITATIONS = 200


@project_page(Permission.CHANGE_PEOPLE)
@require_http_methods(["GET", "HEAD", "POST"])
def invite(request: MemberRequest, project: Project) -> HttpResponse:
    """Show pending invitations and the form to create more. POST creates a link for each name."""
    form = InviteForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return _page(request, project, form)
    data = form.cleaned_data
    try:
        made = services.invite_people(
            actor=request.user,
            project=project,
            names=data["names"].splitlines(),
            roles=data["roles"],
            days=data["days"],
        )
    except Unusable as error:
        put_errors(form, error)
        return _page(request, project, form)
    services.keep_links(actor=request.user, project=project, issued=made)
    return redirect("projects:invite", project.slug)


def _page(request: HttpRequest, project: Project, form: InviteForm) -> HttpResponse:
    waiting, issued = pending_invitations(project), []
    for each in services.cached_links(actor=signed_in(request), project=project):
        address = request.build_absolute_uri(reverse("projects:invite_accept", args=[each.token]))
        issued.append((each.invitation, address, _square(address)))
    context: dict[str, object] = {
        "project": project,
        "form": form,
        "issued": issued,
        "invitations": named_roles(waiting[:MOST_INVITATIONS]),
        "invitation_count": waiting.count(),
    }
    return render(request, "projects/invite.html", context)


def _square(address: str) -> str:
    """Return a QR code of the URL as an SVG in a data URI, which our content security policy allows."""
    import segno

    return segno.make_qr(address, error="m").svg_data_uri(scale=4, border=4, light="white")


def named_roles(invitations: Iterable[Invitation]) -> list[tuple[Invitation, list[str]]]:
    """Return pairs of each invitation and the labels of its roles."""
    labels = dict(Role.choices)
    return [(each, [str(labels[role]) for role in Role.values if role in each.roles]) for each in invitations]


@project_page(Permission.CHANGE_PEOPLE)
@require_POST
def hide_links(request: MemberRequest, project: Project) -> HttpResponse:
    """Hide the links that the user has just created. They remain valid."""
    services.put_links_away(actor=request.user, project=project)
    return redirect("projects:invite", project.slug)


@project_page(Permission.CHANGE_PEOPLE)
@require_POST
def revoke(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Revoke an unused link."""
    invitation = get_invitation(project=project, pk=pk)
    try:
        services.revoke_invitation(actor=request.user, invitation=invitation)
    except Conflict as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("The link for %(name)s was withdrawn.") % {"name": invitation.name})
    return redirect("projects:invite", project.slug)


@hashes_password
@sensitive_post_parameters("password", "again")
@require_http_methods(["GET", "POST"])
def accept(request: HttpRequest, token: str) -> HttpResponse:
    """Show the form to join a project by a link, with the user's account or a new one. POST joins it."""
    try:
        invitation = services.find_invitation(token=token)
        if isinstance(request.user, User):
            return _join_as(request, request.user, invitation, token)
        return _join_anew(request, invitation, token)
    except (Hidden, Conflict) as error:
        return render(request, "accounts/link_past_use.html", {"reason": str(error)}, status=error.status)


def _join_as(request: HttpRequest, user: User, invitation: Invitation, token: str) -> HttpResponse:
    if request.method == "POST":
        project = services.join_by_invitation(actor=user, token=token)
        messages.success(request, _("You have joined %(name)s.") % {"name": project})
        return redirect("dashboard:project", project.slug)
    context = {
        "invitation": invitation,
        "roles": named_roles([invitation])[0][1],
        "belongs": bool(roles_of(user, invitation.project)),
    }
    return render(request, "projects/join_as.html", context)


def _join_anew(request: HttpRequest, invitation: Invitation, token: str) -> HttpResponse:
    form = JoinForm(request.POST if request.method == "POST" else None, initial={"name": invitation.name})
    if form.is_valid():
        sent = form.cleaned_data
        try:
            user = services.accept_invitation(
                token=token,
                username=sent["username"],
                name=sent["name"],
                password=sent["password"],
                time_zone=sent["time_zone"],
            )
        except NameTaken as error:
            form.add_error("username", str(error))
        except Unusable as error:
            put_errors(form, error)
        else:
            login(request, user)
            messages.success(request, _("Welcome, %(name)s. You are signed in.") % {"name": user})
            return redirect("dashboard:project", invitation.project.slug)
    context = {"invitation": invitation, "roles": named_roles([invitation])[0][1], "form": form}
    return render(request, "projects/join.html", context)
