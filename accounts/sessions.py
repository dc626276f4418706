"""Whose request it is: two statements that nearly every request begins with, planned once a connection."""

from __future__ import annotations

from typing import Final

from allauth.account.auth_backends import AuthenticationBackend
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone

from accounts.models import User
from web.rows import Rows

_SESSIONS: Final = Rows(Session)
_USERS: Final = Rows(User)


class SessionStore(db.SessionStore):
    """Django's sessions in the database, but for how they are read."""

    def _get_session_from_db(self) -> Session | None:
        found = _SESSIONS.find("session_key = %s AND expire_date > %s", [self.session_key, timezone.now()])
        if found is None:
            self._session_key = None
        return found


class AccountBackend(AuthenticationBackend):  # type: ignore[misc]  # allauth has no annotations
    """Checks passwords as allauth does; who has signed in is read likewise."""

    def get_user(self, user_id: int) -> User | None:
        """The person of a session; None once the account may not sign in any more."""
        user = _USERS.find("id = %s", [user_id])
        return user if user and self.user_can_authenticate(user) else None
