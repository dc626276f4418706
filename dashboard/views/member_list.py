"""Page of the list of members. Accounts are changed on the page of each member."""

from collections.abc import Sequence
from typing import Final

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy, pgettext_lazy

from accounts.models import User
from annotation.services import record_table_taken_out
from dashboard.models import Verb
from dashboard.queries.member_list import MEMBERS, members_asked, members_joined, members_listing
from dashboard.queries.people import figures_of_people
from dashboard.views.list_page import EXPORT, ListPage
from dashboard.views.rater_words import (
    answers_of,
    interval_of,
    remarks_on,
    right_of,
    seconds_of,
    spark_of,
)
from projects.models import Project, Role
from projects.page import undo_offered
from projects.permissions import Permission
from projects.queries import open_invitations, with_roles
from projects.resources import MembershipResource
from review.queries.statistics import statistics_of
from web.long_list import Action, Asked, Page, marked

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
    found = members_joined(project).in_bulk(page.pks)
    here = [found[pk] for pk in page.pks if pk in found]
    statistics = statistics_of(project)
    labels = dict(Role.choices)
    rows = [
        {
            "member": member,
            "name": marked(member.user.name, asked.terms),
            "username": marked(member.user.username, asked.terms),
            "roles": [str(labels[role]) for role in member.roles],
            "joined": person.joined,  # type: ignore[attr-defined]  # members_joined adds it
            "figures": figures,
            "remarks": remarks_on(figures.record, figures.overdue),
            "spark": spark_of(figures),
            "seconds": seconds_of(figures.record),
            "right": right_of(figures.record),
            "answers_url": answers_of(project, person),
            "interval": interval_of(figures.record),
        }
        for person, member, figures in zip(
            here, with_roles(project, here), figures_of_people(project, here, statistics), strict=True
        )
    ]
    return {
        "rows": rows,
        "statistics": statistics,
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
    label=pgettext_lazy("navigation", "People"),
    record=_record,
    export_by="user",
    permission=Permission.SEE_PEOPLE,
)
