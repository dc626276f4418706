"""A request of a person who has signed in."""

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails
from rest_framework.request import Request

from accounts.models import User


class MemberRequest(HttpRequest):
    """A request of somebody who has signed in: what a view behind `login_required` is given."""

    user: User
    htmx: HtmxDetails


def signed_in(request: HttpRequest | Request) -> User:
    """Return the person who sent a request; PermissionDenied where nobody has signed in."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user
