"""Who may cut, see, fetch and withdraw releases."""

from accounts.decisions import Decision
from accounts.models import User
from projects.models import Project, Role
from projects.permissions import holds_role, may_manage
from release.models import Release


def may_list_releases(user: User, project: Project) -> Decision:
    """Every member knows which releases there are and how large they are."""
    return holds_role(user, project, *Role)


def may_cut_release(user: User, project: Project) -> Decision:
    """Managers only."""
    return may_manage(user, project)


def may_check_gates(user: User, project: Project) -> Decision:
    """Managers only: it tells of keys and of writers, who see their own share at the desk."""
    return may_manage(user, project)


def may_open_release(user: User, release: Release) -> Decision:
    """Seed, gates, files and answers are for managers: who writes or solves learns no split or letter."""
    return may_manage(user, release.project)


def may_withdraw_release(user: User, release: Release) -> Decision:
    """Managers only."""
    return may_manage(user, release.project)
