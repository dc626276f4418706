"""Who may measure, and see what came of it."""

from accounts.decisions import Decision
from accounts.models import User
from projects.models import Project
from projects.permissions import may_manage


def may_measure(user: User, project: Project) -> Decision:
    """Managers only: answers show keys, withheld ones too, and calls cost money."""
    return may_manage(user, project)
