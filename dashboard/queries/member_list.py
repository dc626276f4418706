"""Queries of the list of members, with its columns and filters."""

from typing import Final

from django.db.models import Min, Q, QuerySet
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.models import User
from projects.models import Membership, Project, Role
from projects.queries import members
from web.long_list import Asked, Column, Filter, Listing, containing

MEMBERS: Final = "members"
SEARCHED: Final = ("name", "username")


def members_listing() -> Listing:
    """Return the columns and filters of the list of members."""
    return Listing(
        MEMBERS,
        columns=(
            Column("person", pgettext_lazy("person", "Name"), ("name", "pk"), always=True),
            Column("username", _("User name"), ("username", "pk")),
            Column("roles", _("Roles")),
            Column("joined", _("Joined"), ("joined", "pk"), number=True),
            Column("seen", _("Last sign-in"), ("last_login", "pk"), number=True),
        ),
        filters=(
            Filter("role", _("Role"), tuple(Role.choices)),
            Filter("account", _("Account"), (
                ("open", _("can sign in")), ("closed", _("cannot sign in")),
            ), several=False),
        ),
        sort="person",
    )  # fmt: skip


def members_asked(_user: User, project: Project, asked: Asked) -> QuerySet[User]:
    """Return the members that match the list's query string, with `joined`, the time of the first role."""
    found = members(project).annotate(
        joined=Min("memberships__created_at", filter=Q(memberships__project=project))
    )
    if roles := asked.values.get("role"):
        held = Membership.objects.filter(project=project, role__in=roles)
        found = found.filter(pk__in=held.values("user"))
    if account := asked.one("account"):
        found = found.filter(is_active=account == "open")
    return found.filter(containing(asked.terms, SEARCHED))


def members_able(project: Project, _verb: str) -> QuerySet[User]:
    """Return all members, since a role can be added or removed for each of them."""
    return members(project)
