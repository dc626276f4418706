"""Pages of measuring: runs, their answers, panels and what people solve. All but the last for managers."""

from core.errors import require
from evaluation.permissions import may_measure
from projects.models import Project
from projects.queries import get_project
from web.requests import MemberRequest


def measuring_project(request: MemberRequest, slug: str) -> Project:
    """The project, for somebody who may measure in it; else `Hidden` or `Forbidden`."""
    project = get_project(user=request.user, slug=slug)
    require(may_measure(request.user, project))
    return project
