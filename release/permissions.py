"""Permissions to build, see, download and withdraw releases."""

from django.utils.translation import gettext as _

from accounts.models import User
from core.decisions import Decision, Denied
from projects.models import Project
from projects.permissions import Permission, belongs, has_permission
from release.models import Release


def may_list_releases(user: User, project: Project) -> Decision:
    """Return whether the user may see the list of releases and their sizes. Every member may."""
    return belongs(user, project)


def may_create_release(user: User, project: Project) -> Decision:
    """Return whether the user may draft and build releases."""
    return has_permission(user, project, Permission.CHANGE_RELEASES)


def may_check_gates(user: User, project: Project) -> Decision:
    """Return whether the user may run the gates on items that are not released."""
    return has_permission(user, project, Permission.CHANGE_RELEASES)


def may_open_release(user: User, release: Release) -> Decision:
    """Return whether the user may see the seed, gates, files and answers of a release."""
    return has_permission(user, release.project, Permission.SEE_RELEASES)


def may_answer_reports(user: User, project: Project) -> Decision:
    """Return whether the user may answer error reports. These reveal keys and splits."""
    return has_permission(user, project, Permission.CHANGE_RELEASES)


def may_invite_teams(user: User, release: Release) -> Decision:
    """Return whether the user may invite teams to a release. Denied if its files include the answers."""
    decision = has_permission(user, release.project, Permission.CHANGE_RELEASES)
    if decision and not release.recipe["withhold_test"]:
        return Denied(_("The answers of this release are in its files; no upload is needed."))
    return decision


def may_push_release(user: User, release: Release) -> Decision:
    """Return whether the user may send a release to a hub of data sets."""
    return has_permission(user, release.project, Permission.CHANGE_RELEASES)


def may_withdraw_release(user: User, release: Release) -> Decision:
    """Return whether the user may withdraw a release."""
    return has_permission(user, release.project, Permission.CHANGE_RELEASES)
