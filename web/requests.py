"""Who asks: for the pages of several apps."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails
from rest_framework.request import Request

from accounts.models import User


class MemberRequest(HttpRequest):
    """A request of somebody who has signed in: what a view behind `login_required` is given."""

    user: User
    htmx: HtmxDetails


def signed_in(request: HttpRequest | Request) -> User:
    """The person behind a request of a page or of the API that only people who signed in get to make."""
    assert isinstance(request.user, User)  # noqa: S101 - login_required, or the API's, stands before all
    return request.user
