"""Which project a page is about, where it is a page for managers: several apps have such pages."""

from django.http import HttpRequest

from core.errors import require
from projects.models import Project
from projects.permissions import may_manage
from projects.queries import get_project
from web.requests import signed_in


def managed_project(request: HttpRequest, slug: str) -> Project:
    """The project, for its managers. Raises `Hidden` for strangers, `Forbidden` for other members."""
    project = get_project(user=signed_in(request), slug=slug)
    require(may_manage(signed_in(request), project))
    return project
