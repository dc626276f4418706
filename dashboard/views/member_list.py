"""Page of the list of members. Accounts are changed on the page of each member."""

from collections.abc import Sequence
from typing import Final

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

from accounts.models import User
from annotation.services import record_table_taken_out
from dashboard.models import Verb
from dashboard.queries.member_list import MEMBERS, members_asked, members_listing
from dashboard.views.list_page import EXPORT, ListPage
from projects.models import Project, Role
from projects.page import undo_offered
from projects.permissions import Permission
from projects.queries import open_invitations, with_roles
from projects.resources import MembershipResource
from web.long_list import Action, Asked, Page, marked
from web.requests import signed_in

ACTIONS: Final = (
    Action(
        Verb.GIVE_ROLE,
        gettext_lazy("Add role"),
        title=ngettext_lazy("Add a role to %(n)d member", "Add a role to %(n)d members", "n"),
        note=gettext_lazy("Members who have the role already keep it. You can undo this."),
        done=ngettext_lazy(
            "%(n)s member has the role %(name)s now.", "%(n)s members have the role %(name)s now.", "n"
        ),
        asks=("role",),
        for_all=True,
    ),
    Action(
        Verb.TAKE_ROLE,
        gettext_lazy("Remove role"),
        title=ngettext_lazy("Remove a role from %(n)d member", "Remove a role from %(n)d members", "n"),
        note=gettext_lazy(
            "Members who have only this role keep it: remove them from the project on their own page."
            " The last manager stays. You can undo this."
        ),
        done=ngettext_lazy(
            "%(n)s member no longer has the role %(name)s.",
            "%(n)s members no longer have the role %(name)s.",
            "n",
        ),
        asks=("role",),
        for_all=True,
    ),
    Action(
        EXPORT,
        gettext_lazy("Export"),
        title=ngettext_lazy("Export %(n)d member", "Export %(n)d members", "n"),
        note=gettext_lazy("The file contains names, user names and roles."),
        for_all=True,
    ),
)


def _context(request: HttpRequest, project: Project, asked: Asked, page: Page) -> dict[str, object]:
    members = members_asked(signed_in(request), project, members_listing().ask_nothing())
    found = members.in_bulk(page.pks)
    here = [found[pk] for pk in page.pks if pk in found]
    labels = dict(Role.choices)
    rows = [
        {
            "member": member,
            "name": marked(member.user.name, asked.terms),
            "username": marked(member.user.username, asked.terms),
            "roles": [str(labels[role]) for role in member.roles],
            "joined": person.joined,  # type: ignore[attr-defined]  # members_asked adds it
        }
        for person, member in zip(here, with_roles(project, here), strict=True)
    ]
    return {
        "rows": rows,
        "undo": undo_offered(request, project),
        "invitation_count": open_invitations(project).count(),
    }


def _tabs(_held: Permission) -> list[tuple[str, str]]:
    roles = {
        "writer": _("Writers"),
        "reviewer": _("Reviewers"),
        "verifier": _("Verifiers"),
        "observer": _("Observers"),
    }
    return [(_("All"), ""), *((label, f"role={role}") for role, label in roles.items())]


def _record(*, actor: User, project: Project, kind: str, rows: Sequence[int]) -> None:
    record_table_taken_out(actor=actor, project=project, table=MEMBERS, kind=kind)


MEMBER_LIST: Final = ListPage(
    MEMBERS,
    listing=lambda _user, _project: members_listing(),
    asked=members_asked,
    context=_context,
    tabs=_tabs,
    actions=ACTIONS,
    resource=MembershipResource,
    label=gettext_lazy("Members"),
    record=_record,
    export_by="user",
    permission=Permission.SEE_PEOPLE,
)
