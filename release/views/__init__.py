"""Pages of releases: the list, drafts, a single release, and its files."""

from core.errors import require
from projects.models import Project
from release.models import Release
from release.permissions import may_open_release
from release.queries.release import get_release
from web.requests import MemberRequest


def opened_release(request: MemberRequest, project: Project, version: str) -> Release:
    """Return the release of this version. Raise `Hidden` or `Forbidden` if the user may not open it."""
    release = get_release(user=request.user, project=project, version=version)
    require(may_open_release(request.user, release))
    return release
