"""Who may write, see and submit items."""

from django.utils.translation import gettext as _

from accounts.models import User
from annotation.models import Item, RevisionAuthor
from core.decisions import Allowed, Decision, Denied
from projects.models import GuidelineAcknowledgement, Project, Role
from projects.permissions import holds_role
from projects.queries import current_guideline, roles_of


def may_write(user: User, project: Project) -> Decision:
    """Item writers and managers."""
    return holds_role(user, project, Role.WRITER, Role.MANAGER)


def may_add_items(user: User, project: Project) -> Decision:
    """Writers and managers; reviewers too, who may add an item to a story they have read."""
    return holds_role(user, project, Role.WRITER, Role.MANAGER, Role.REVIEWER, Role.VERIFIER)


def has_acknowledged(user: User, project: Project) -> bool:
    """Whether there is no guideline, or this person has read the current one."""
    guideline = current_guideline(project)
    return (
        guideline is None or GuidelineAcknowledgement.objects.filter(guideline=guideline, user=user).exists()
    )


def may_submit(user: User, project: Project) -> Decision:
    """Who may write, once they have read the current guideline."""
    decision = may_add_items(user, project)
    if decision and not has_acknowledged(user, project):
        return Denied(_("The guideline has changed. Please read it and confirm before you submit."))
    return decision


def may_see_moral(user: User, project: Project) -> Decision:
    """Writers and managers. Who only reviews or verifies solves a story's moral items blindly."""
    if holds_role(user, project, Role.WRITER, Role.MANAGER):
        return Allowed()
    decision = holds_role(user, project, *Role.values)
    if not decision:
        return decision
    return Denied(_("Who reviews or verifies is not shown the moral: its items are solved blindly."))


def may_revise(user: User, item: Item) -> Decision:
    """The writer of the item, and managers, who finish what an import or somebody absent left."""
    if item.writer_id == user.pk or Role.MANAGER in roles_of(user, item.project):
        return Allowed()
    return Denied(_("Only the writer of this item revises it."))


def may_see_item(user: User, item: Item) -> Decision:
    """Managers see every item with its key; writers their own, and whoever wrote words of it.

    For others it does not exist here: they meet it in the queue, blind.
    """
    roles = roles_of(user, item.project)
    if Role.MANAGER in roles or (roles and item.writer_id == user.pk):
        return Allowed()
    if roles and RevisionAuthor.objects.wrote(user, item.pk):
        return Allowed()
    return Denied(_("There is no such item here."), hidden=True)
