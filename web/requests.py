"""The type of requests by signed-in users, and functions about requests."""

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme
from django_htmx.middleware import HtmxDetails
from rest_framework.request import Request

from accounts.models import User


class MemberRequest(HttpRequest):
    """A request by a signed-in user, as received by views behind `login_required`."""

    user: User
    htmx: HtmxDetails


def signed_in(request: HttpRequest | Request) -> User:
    """Return the user of the request. Raise PermissionDenied if no user is signed in."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def own_address(request: HttpRequest, address: str) -> str:
    """Return the URL if it is a path on this site, else ""."""
    ours = url_has_allowed_host_and_scheme(
        address, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return address if ours and address.startswith("/") else ""


def is_step(request: HttpRequest) -> bool:
    """Return whether htmx posted a form and will insert the response into the current page."""
    return request.method == "POST" and "HX-Request" in request.headers
