"""Queries of the list of members, with its columns and filters."""

from typing import Final

from django.db.models import Case, Min, Q, QuerySet, Value, When
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.models import User
from dashboard.queries.people import flagged_people
from projects.models import Membership, Pause, Project, Role
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
            Column("look", _("Remarks"), ("look", "name", "pk"), always=True),
            Column("weeks", _("Work in 8 weeks")),
            Column("seconds", _("Median time"), number=True),
            Column("right", _("Blind right")),
            Column("practice", _("Practice"), number=True),
            Column("severity", _("Severity"), number=True),
            Column("overdue", _("Overdue"), number=True),
            Column("roles", _("Roles")),
            Column("username", _("User name"), ("username", "pk"), shown=False),
            Column("joined", _("Joined"), ("joined", "pk"), shown=False, number=True),
            Column("seen", _("Last sign-in"), ("last_login", "pk"), shown=False, number=True),
        ),
        filters=(
            Filter("role", _("Role"), tuple(Role.choices)),
            Filter("work", _("New work"), (
                ("paused", _("paused")), ("open", _("not paused")),
            ), several=False),
            Filter("account", _("Account"), (
                ("open", _("can sign in")), ("closed", _("cannot sign in")),
            ), several=False),
        ),
        sort="look",
    )  # fmt: skip


def members_joined(project: Project) -> QuerySet[User]:
    """Return the members with `joined`, the time of the first role."""
    joined = Min("memberships__created_at", filter=Q(memberships__project=project))
    return members(project).annotate(joined=joined)


def members_asked(_user: User, project: Project, asked: Asked) -> QuerySet[User]:
    """Return the members that match the list's query string, with `joined`, the time of the first role.

    If the list is sorted by it, `look` is 0 for those whose work a manager should look at, else 1.
    """
    found = members_joined(project)
    if asked.sort.removeprefix("-") == "look":
        flagged = When(pk__in=flagged_people(project), then=Value(0))
        found = found.annotate(look=Case(flagged, default=Value(1)))
    if roles := asked.values.get("role"):
        held = Membership.objects.filter(project=project, role__in=roles)
        found = found.filter(pk__in=held.values("user"))
    if work := asked.one("work"):
        paused = Pause.objects.filter(project=project, ended_at=None).values("user")
        found = found.filter(pk__in=paused) if work == "paused" else found.exclude(pk__in=paused)
    if account := asked.one("account"):
        found = found.filter(is_active=account == "open")
    return found.filter(containing(asked.terms, SEARCHED))


def members_able(project: Project, _verb: str) -> QuerySet[User]:
    """Return all members, since a role can be added or removed for each of them."""
    return members(project)
