"""Permissions for events and webhooks."""

from accounts.models import User
from core.decisions import Decision
from projects.models import Project
from projects.permissions import Permission, has_permission


def may_change_webhooks(user: User, project: Project) -> Decision:
    """Return whether the user may add and change webhooks, which report to another server what happens."""
    return has_permission(user, project, Permission.CHANGE_PROJECT)
