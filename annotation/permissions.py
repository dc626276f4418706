"""Permissions to write, see and submit items."""

from django.conf import settings
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.models import Item, RevisionAuthor
from core.decisions import Allowed, Decision, Denied
from projects.models import GuidelineAcknowledgement, Project
from projects.permissions import Permission, belongs, has_permission, permissions_of
from projects.queries import current_guideline


def may_check_files(user: User | None) -> Decision:
    """Return whether somebody may check files without a project; None is a person without an account."""
    if user is not None or settings.OPEN_AUDIT:
        return Allowed()
    return Denied(_("Sign in to check a file."), hidden=True)


def may_write(user: User, project: Project) -> Decision:
    """Return whether the user may write items."""
    return has_permission(user, project, Permission.WRITE)


def may_add_items(user: User, project: Project) -> Decision:
    """Return whether the user may add items. Reviewers may, too, as an edit of theirs adds a revision."""
    return has_permission(user, project, Permission.ADD_ITEMS)


def has_acknowledged(user: User, project: Project) -> bool:
    """Return whether the user has confirmed the project's current guideline.

    Return True if the project has none.
    """
    guideline = current_guideline(project)
    return (
        guideline is None or GuidelineAcknowledgement.objects.filter(guideline=guideline, user=user).exists()
    )


def may_submit(user: User, project: Project) -> Decision:
    """Return whether the user may add items and has confirmed the current guideline."""
    decision = may_add_items(user, project)
    if decision and not has_acknowledged(user, project):
        return Denied(_("The guideline has changed. Read and confirm it before you submit."))
    return decision


def may_see_moral(user: User, project: Project) -> Decision:
    """Return whether the user may see morals. Reviewers and verifiers may not, as they solve items blind."""
    decision = has_permission(user, project, Permission.SEE_CANDIDATES)
    if decision or not belongs(user, project):
        return decision
    return Denied(_("Reviewers and verifiers cannot see the moral, because they answer moral items blind."))


def may_revise(user: User, item: Item) -> Decision:
    """Return whether the user may revise the item: as its writer, or as a manager on the writer's behalf."""
    if item.writer_id == user.pk or has_permission(user, item.project, Permission.CHANGE_ITEMS):
        return Allowed()
    return Denied(_("Only the writer can revise this item."))


def may_see_item(user: User, item: Item) -> Decision:
    """Return whether the user may see the item with its key.

    The item's writer and authors may, and users who may see all items. For others the item is hidden;
    reviewers see it in the queue, without its key.
    """
    if Permission.SEE_ITEMS in permissions_of(user, item.project):
        return Allowed()
    if belongs(user, item.project) and (
        item.writer_id == user.pk or RevisionAuthor.objects.wrote(user, item.pk)
    ):
        return Allowed()
    return Denied(_("Item not found."), hidden=True)


def may_comment(user: User, item: Item) -> Decision:
    """Return whether the user may comment on the item: may see it and may add items to its project."""
    decision = may_see_item(user, item)
    return has_permission(user, item.project, Permission.ADD_ITEMS) if decision else decision
