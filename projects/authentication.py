"""Authentication and limits of programs that send an access token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, MethodNotAllowed
from rest_framework.permissions import BasePermission
from rest_framework.throttling import SimpleRateThrottle

from accounts.addresses import client_address
from projects.models import AccessToken
from projects.services import use_token

if TYPE_CHECKING:
    from rest_framework.request import Request
    from rest_framework.views import APIView

    from accounts.models import User

API: Final = "/api/"
"""The beginning of the paths at which tokens are read; no page accepts one."""
_KEYWORD: Final = "bearer"


def sent_token(request: HttpRequest | Request) -> str | None:
    """Return the token that a request to the programming interface sends, or None."""
    keyword, _space, text = request.headers.get("Authorization", "").partition(" ")
    is_sent = request.path.startswith(API) and keyword.lower() == _KEYWORD
    return text.strip() if is_sent else None


def token_of(request: HttpRequest) -> AccessToken | None:
    """Return the valid token that a request sends, recording its use, or None."""
    text = sent_token(request)
    return None if text is None else use_token(text=text, address=client_address(request))


class TokenAuthentication(BaseAuthentication):
    """The user of the access token that the middleware has found; without a token, that of the session."""

    def authenticate(self, request: Request) -> tuple[User, AccessToken] | None:
        """Return the user and the token, or None without one. Raise AuthenticationFailed for a bad one."""
        found: AccessToken | None = getattr(request, "access_token", None)
        if found is not None:
            return found.user, found
        if sent_token(request) is not None:
            raise AuthenticationFailed(_("The access token is not valid: it is wrong, expired or revoked."))
        return None

    def authenticate_header(self, _request: Request) -> str:
        """Return the challenge of a response with status 401."""
        return 'Bearer realm="Parable"'


class HasScope(BasePermission):
    """Lets a token in only where the endpoint names the scope for the method, and the token has it.

    An endpoint that names no scopes is for browsers alone.
    """

    message = gettext_lazy("This access token does not have the scope for this.")
    code = "scope"

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Return whether the request has no token, or one with the scope that the endpoint names.

        Raise `MethodNotAllowed` for a method that the endpoint does not have: no scope would let it in.
        """
        token: Any = request.auth
        if not isinstance(token, AccessToken):
            return True
        named = getattr(view, "scopes", {})
        method = "GET" if request.method in ("HEAD", "OPTIONS") else request.method
        if named and method not in named:
            raise MethodNotAllowed(str(request.method))
        if token.project_id is not None and not getattr(view, "takes_bound_tokens", False):
            return False
        return named.get(method) in token.scopes


class TokenThrottle(SimpleRateThrottle):
    """Limits the requests per minute of each access token; browsers are not limited here."""

    scope = "token"

    def get_cache_key(self, request: Request, _view: APIView) -> str | None:
        """Return the key under which the token's requests are counted; None for a browser."""
        return f"throttle:{self.scope}:{request.auth.pk}" if isinstance(request.auth, AccessToken) else None


class HeavyThrottle(TokenThrottle):
    """Limits what each access token starts: uploads, builds, batches and runs."""

    scope = "heavy"

    def allow_request(self, request: Request, view: APIView) -> bool:
        """Return whether the token may start another heavy job; requests that start none are let through."""
        is_heavy = request.method not in ("GET", "HEAD", "OPTIONS") and getattr(view, "is_heavy", False)
        return super().allow_request(request, view) if is_heavy else True
