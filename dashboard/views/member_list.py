"""Page of the list of members; accounts are changed one by one, on the pages of members."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.http import HttpRequest
from django.utils.safestring import SafeString
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
from projects.queries import Member, open_invitations, with_roles
from projects.resources import MembershipResource
from web.long_list import Action, Asked, Listing, Page, marked
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


@dataclass(frozen=True, slots=True)
class Row:
    """One member, with the names of the member's roles."""

    member: Member
    name: SafeString
    username: SafeString
    roles: list[str]
    joined: datetime


def _listing(_user: User, _project: Project) -> Listing:
    return members_listing()


def _context(request: HttpRequest, project: Project, asked: Asked, page: Page) -> dict[str, object]:
    return {
        "rows": _rows(signed_in(request), project, asked, page.pks),
        "undo": undo_offered(request, project),
        "invitation_count": open_invitations(project).count(),
    }


def _rows(user: User, project: Project, asked: Asked, pks: Sequence[int]) -> list[Row]:
    found = members_asked(user, project, members_listing().ask_nothing()).in_bulk(pks)
    here = [found[pk] for pk in pks if pk in found]
    labels = dict(Role.choices)
    return [
        Row(
            member=member,
            name=marked(member.user.name, asked.terms),
            username=marked(member.user.username, asked.terms),
            roles=[str(labels[role]) for role in member.roles],
            joined=person.joined,  # type: ignore[attr-defined]  # members_asked adds it
        )
        for person, member in zip(here, with_roles(project, here), strict=True)
    ]


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
    listing=_listing,
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
