"""Who may build, see, download and withdraw releases."""

from django.utils.translation import gettext as _

from accounts.models import User
from core.decisions import Decision, Denied
from projects.models import Project
from projects.permissions import Permission, belongs, has_permission
from release.models import Release


def may_list_releases(user: User, project: Project) -> Decision:
    """Every member knows which releases there are and how large they are."""
    return belongs(user, project)


def may_create_release(user: User, project: Project) -> Decision:
    """Whether this person may plan and build releases."""
    return has_permission(user, project, Permission.CHANGE_RELEASES)


def may_check_gates(user: User, project: Project) -> Decision:
    """Whether this person may have the gates look at what is not released."""
    return has_permission(user, project, Permission.CHANGE_RELEASES)


def may_open_release(user: User, release: Release) -> Decision:
    """Whether this person may see seed, gates, files and answers of a release."""
    return has_permission(user, release.project, Permission.SEE_RELEASES)


def may_answer_reports(user: User, project: Project) -> Decision:
    """Whether this person may answer reports of errors, which name keys and splits."""
    return has_permission(user, project, Permission.CHANGE_RELEASES)


def may_invite_teams(user: User, release: Release) -> Decision:
    """Whether this person may invite teams; only where there are answers that the files keep back."""
    decision = has_permission(user, release.project, Permission.CHANGE_RELEASES)
    if decision and not release.recipe["withhold_test"]:
        return Denied(_("The answers of this release are in its files; no upload is needed."))
    return decision


def may_withdraw_release(user: User, release: Release) -> Decision:
    """Whether this person may withdraw a release."""
    return has_permission(user, release.project, Permission.CHANGE_RELEASES)
