"""Signs users in with one statement: `login` and `force_login` take ten, and most tests begin with them."""

from __future__ import annotations

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.base import VALID_KEY_CHARS
from django.http import HttpRequest
from django.test import Client
from django.utils import timezone
from django.utils.crypto import get_random_string

from accounts.models import User, UserSession
from accounts.sessions import SessionStore


def open_session(client: Client, user: User, backend: str | None = None) -> None:
    """Give the client a new session of this user, as the form would; the last login is not recorded."""
    key = get_random_string(32, VALID_KEY_CHARS)
    store = SessionStore(key)
    data = {
        SESSION_KEY: str(user.pk),
        BACKEND_SESSION_KEY: backend or getattr(user, "backend", None),  # named by who checked the password
        HASH_SESSION_KEY: user.get_session_auth_hash(),
    }
    # The expiry is passed, since the store would look for the row to find one.
    ends = store.get_expiry_date(expiry=None)
    row = UserSession(
        session_key=key,
        session_data=store.encode(data),
        expire_date=ends,
        user=user,
        since=timezone.now(),
        seen_at=timezone.now(),
    )
    UserSession.objects.bulk_create([row])
    request = HttpRequest()
    request.session = store
    client._set_login_cookies(request)  # type: ignore[attr-defined]
