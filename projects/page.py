"""Code shared by the pages of a project: a decorator that checks permissions, and the undo of removals."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.contrib.auth.decorators import login_required
from django.core import signing
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from accounts.queries import get_person
from core.errors import require
from projects.models import Project
from projects.permissions import MEMBER, Permission, has_permission, may_manage
from projects.queries import Member, get_project
from projects.request_cache import known
from web.requests import MemberRequest, signed_in

UNDO_SECONDS = 3600
UNDO_SALT = "projects.members.undo"
P = ParamSpec("P")
"""The parameters of a view besides the request and the project."""
ProjectView = Callable[Concatenate[MemberRequest, Project, P], HttpResponseBase]


def project_page(
    permission: Permission = MEMBER, *, change: Permission | None = None
) -> Callable[[ProjectView[P]], Callable[..., HttpResponseBase]]:
    """Return a decorator for views that checks a permission and passes the project instead of its slug.

    The user must be signed in, be a member, and have `permission`; for a request that may change data,
    `change` is required instead, if given. Raises `Hidden` for users who are not members, `Forbidden` for
    other members.
    """

    def decorated(view: ProjectView[P]) -> Callable[..., HttpResponseBase]:
        @login_required
        @wraps(view)
        def opened(request: HttpRequest, slug: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            user = signed_in(request)
            project = get_project(user=user, slug=slug)
            needed = change if change and known().changes else permission
            require(has_permission(user, project, needed))
            return view(cast("MemberRequest", request), project, *args, **kwargs)

        vars(opened)["permissions"] = {"GET": permission, "POST": change or permission}
        return opened

    return decorated


def managed_project(request: HttpRequest, slug: str) -> Project:
    """Return the project with this slug if the signed-in user is a manager of it.

    Raise `Hidden` for users who are not members, `Forbidden` for other members.
    """
    project = get_project(user=signed_in(request), slug=slug)
    require(may_manage(signed_in(request), project))
    return project


def undo_token(project: Project, member: Member) -> str:
    """Return a signed token with which a removed member can be restored. Create it before the removal."""
    return signing.dumps([project.pk, member.user.pk, member.roles], salt=UNDO_SALT, compress=True)


def undone(token: str, project: Project) -> tuple[int, list[str]] | None:
    """Return (user id, roles) from an undo token, or None if it is invalid, expired or of another project."""
    try:
        in_project, pk, roles = signing.loads(token, salt=UNDO_SALT, max_age=UNDO_SECONDS)
    except signing.BadSignature:
        return None
    return (pk, roles) if in_project == project.pk else None


def undo_offered(request: HttpRequest, project: Project) -> dict[str, object] | None:
    """Return the undo token in the query string and the removed person.

    Return None if there is no valid token.
    """
    token = request.GET.get("undo", "")
    found = undone(token, project) if token else None
    return {"token": token, "person": get_person(found[0])} if found else None
