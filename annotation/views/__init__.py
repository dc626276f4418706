"""Pages of item writers and managers: the desk, the sheet, the lists, the morals."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from accounts.models import User


class MemberRequest(HttpRequest):
    """A request of somebody who has signed in: what a view behind `login_required` is given."""

    user: User
    htmx: HtmxDetails
