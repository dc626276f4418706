"""The session store, the middleware that records sign-ins, and the authentication backend."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final, cast

from allauth.account.auth_backends import AuthenticationBackend
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends import db
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from accounts.addresses import client_address
from accounts.browsers import remember_browser
from accounts.models import User, UserSession
from accounts.queries import idle_before
from accounts.services import mark_session_seen, record_sign_in, record_sign_out
from web.rows import Rows

SEEN_EVERY: Final = timedelta(minutes=5)
"""The time at which a session was last used is saved at most this often."""
SIGN_IN: Final = "parable_sign_in"
"""The key of the session's data about the sign-in: time, address and browser."""

# Nearly every request begins with these two statements, so they are planned once per connection.
_SESSIONS: Final = Rows(UserSession)
_USERS: Final = Rows(User)
_LIVE: Final = "session_key = %s AND expire_date > %s AND (seen_at IS NULL OR seen_at > %s)"


class SessionStore(db.SessionStore):
    """Django's sessions in the database, with the user of the session as a column."""

    seen_at: datetime | None = None
    """The time at which the session was last used, as saved; None for a new session."""

    @classmethod
    def get_model_class(cls) -> type[UserSession]:
        """Return the model that stores sessions."""
        return UserSession

    def create_model_instance(self, data: dict[str, Any]) -> UserSession:
        """Return the row of a session, with the columns that the user's list of sessions displays."""
        row = cast("UserSession", super().create_model_instance(data))
        row.user_id = data.get(SESSION_KEY)
        for name, value in data.get(SIGN_IN, {}).items():
            setattr(row, name, value)
        row.seen_at = timezone.now()
        return row

    def _get_session_from_db(self) -> UserSession | None:
        values = [self.session_key, timezone.now(), idle_before()]
        found = _SESSIONS.find(_LIVE, values)
        if found is None:
            self._session_key = None
        else:
            self.seen_at = found.seen_at
        return found


class TrailMiddleware:
    """Middleware that records sign-ins, sign-outs and the last use of each session."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Return the response. Record a sign-in or sign-out if the view has changed the request's user."""
        before = _who(request)
        seen = getattr(request.session, "seen_at", None)
        if before and seen and timezone.now() - seen > SEEN_EVERY:
            mark_session_seen(key=str(request.session.session_key))
        response = self.get_response(request)
        after = _who(request)
        if before == after:
            return response
        address = client_address(request)
        if before:
            record_sign_out(user=before, address=address)
        if after:
            browser = request.headers.get("User-Agent", "")[:200]
            request.session[SIGN_IN] = {
                "address": address[:64],
                "user_agent": browser,
                "since": timezone.now().isoformat(),
            }
            record_sign_in(user=after, address=address, browser=browser)
            remember_browser(request, response, after.pk)
        return response


def _who(request: HttpRequest) -> User | None:
    return request.user if isinstance(request.user, User) else None


class AccountBackend(AuthenticationBackend):  # type: ignore[misc]  # allauth has no annotations
    """Allauth's authentication backend, which loads the user of a session with a faster query."""

    def get_user(self, user_id: int) -> User | None:
        """Return the user with this id; None if there is no such user or the account may not sign in."""
        user = _USERS.find("id = %s", [user_id])
        return user if user and self.user_can_authenticate(user) else None
