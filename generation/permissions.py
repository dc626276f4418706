"""Who may ask models for proposals, write prompts, and take proposals into items."""

from accounts.models import User
from core.decisions import Decision
from projects.models import Project, Role
from projects.permissions import holds_role


def may_draft(user: User, project: Project) -> Decision:
    """Item writers and managers; the pages show morals, so nobody who only judges sees them."""
    return holds_role(user, project, Role.WRITER, Role.MANAGER)
