"""Who may build, see, download and withdraw releases."""

from django.utils.translation import gettext as _

from accounts.models import User
from core.decisions import Decision, Denied
from projects.models import Project
from projects.permissions import belongs, may_manage
from release.models import Release


def may_list_releases(user: User, project: Project) -> Decision:
    """Every member knows which releases there are and how large they are."""
    return belongs(user, project)


def may_create_release(user: User, project: Project) -> Decision:
    """Managers only."""
    return may_manage(user, project)


def may_check_gates(user: User, project: Project) -> Decision:
    """Managers only: it reveals keys and writers, who see their own share at the desk."""
    return may_manage(user, project)


def may_open_release(user: User, release: Release) -> Decision:
    """Seed, gates, files and answers are for managers: who writes or solves learns no split or letter."""
    return may_manage(user, release.project)


def may_answer_reports(user: User, project: Project) -> Decision:
    """Reports name keys and splits: managers only."""
    return may_manage(user, project)


def may_invite_teams(user: User, release: Release) -> Decision:
    """Managers only, and only where there are answers to score on that the files keep back."""
    decision = may_manage(user, release.project)
    if decision and not release.recipe["withhold_test"]:
        return Denied(_("The answers of this release are in its files; no upload is needed."))
    return decision


def may_withdraw_release(user: User, release: Release) -> Decision:
    """Managers only."""
    return may_manage(user, release.project)
