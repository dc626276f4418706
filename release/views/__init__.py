"""Pages of releases: their list, cutting one, one release, and its files."""

from django.http import HttpRequest

from accounts.models import User


class MemberRequest(HttpRequest):
    """A request of somebody who has signed in: what a view behind `login_required` is given."""

    user: User
