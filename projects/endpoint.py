"""Endpoints of the programming interface that belong to a project."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from core.errors import require
from projects.permissions import Permission, has_permission, scope_of
from projects.queries import get_project
from web.endpoint import View, endpoint
from web.requests import signed_in


def project_endpoint(
    *, heavy: bool = False, secret: bool = False, **permissions: Permission
) -> Callable[[View], View]:
    """Return a decorator that passes the project to an endpoint instead of the slug in the URL.

    `permissions` names the permission that each method needs, and thereby the scope that a token needs. The
    user must be a member and have it. Raises `Hidden` for users who are no members, `Forbidden` for other
    members. `heavy`, `secret`: see `web.endpoint.endpoint`.
    """

    def decorated(view: View) -> View:
        @wraps(view)
        def opened(request: Request, slug: str, *args: Any, **kwargs: Any) -> Response:
            user = signed_in(request)
            project = get_project(user=user, slug=slug)
            method = "GET" if request.method == "HEAD" else str(request.method)
            require(has_permission(user, project, permissions[method]))
            return view(request, project, *args, **kwargs)

        scopes = {
            method: scope_of(permission, changes=method != "GET")
            for method, permission in permissions.items()
        }
        made = endpoint(heavy=heavy, secret=secret, bound=True, **scopes)(opened)
        vars(made)["permissions"] = dict(permissions)
        return made

    return decorated
