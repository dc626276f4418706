"""Pages of stories: their list, a story with its wordings, and the import."""

from django.http import HttpRequest

from accounts.models import User


class MemberRequest(HttpRequest):
    """A request of somebody who has signed in: what a view behind `login_required` is given."""

    user: User
