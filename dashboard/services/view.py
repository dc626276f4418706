"""Services of saved views of lists."""

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from core.errors import Conflict, Unusable, require
from dashboard.models import SavedView
from projects.models import Project
from projects.permissions import Permission, has_permission

MOST_VIEWS = 20
LONGEST = 40


@transaction.atomic
def save_view(
    *, actor: User, project: Project, listing: str, name: str, query: str, shared: bool = False
) -> SavedView:
    """Save the filters, order and columns of a list as a view with a name.

    A view of the user with the same name is replaced. Only managers can share views. Raise `Unusable` naming
    `name`, `Conflict` if the user has too many views.
    """
    needed = Permission.CHANGE_PROJECT if shared else Permission.WRITE
    require(has_permission(actor, project, needed))
    name = " ".join(name.split())
    if not name or len(name) > LONGEST or len(query) > 2000:
        message = _("Enter a name of at most %(most)d characters.") % {"most": LONGEST}
        raise Unusable(message, "name")
    mine = SavedView.objects.filter(project=project, owner=actor, listing=listing)
    if mine.exclude(name=name).count() >= MOST_VIEWS:
        raise Conflict(_("At most %(most)d views can be saved. Delete one first.") % {"most": MOST_VIEWS})
    return mine.update_or_create(
        project=project,
        owner=actor,
        listing=listing,
        name=name,
        defaults={"query": query, "shared": shared},
    )[0]


def forget_views(actor: User, user: User) -> None:
    """Delete the private views of a user whose account is closed. The caller must check permission."""
    SavedView.objects.filter(owner=user, shared=False).delete()  # only their owner could open them


@transaction.atomic
def delete_view(*, actor: User, view: SavedView) -> None:
    """Delete a saved view.

    Only its owner and managers may.
    """
    if view.owner_id != actor.pk:
        require(has_permission(actor, view.project, Permission.CHANGE_PROJECT))
    view.delete()  # a saved view
