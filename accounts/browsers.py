"""Names browsers, and recognises a user's earlier browsers by a cookie."""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings
from django.core import signing
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.crypto import get_random_string

YEAR: Final = 365 * 24 * 3600
PEOPLE: Final = 8
"""The most users that the cookie of one browser, such as that of a shared computer, has."""
SALT: Final = "parable.known-browser"

# The first match counts, since the user agents of most browsers also name other browsers.
NAMES: Final = (
    ("MicroMessenger/", "WeChat"),
    ("QQBrowser/", "QQ Browser"),
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("Chromium/", "Chromium"),
    ("Chrome/", "Chrome"),
    ("CriOS/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
    ("python", "Python"),
)
SYSTEMS: Final = (
    ("HarmonyOS", "HarmonyOS"),
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def browser_name(user_agent: str) -> str:
    """Return the names of browser and system in a user agent, such as "Firefox, Windows"; "" if unknown."""
    found = (
        next((name for part, name in known if part.lower() in user_agent.lower()), "")
        for known in (NAMES, SYSTEMS)
    )
    return ", ".join(filter(None, found))


def known_browser(request: HttpRequest, user_id: int) -> str:
    """Return the browser's id; "" if this user has not signed in with it in the last year."""
    remembered = _read(request)
    return str(remembered["browser"]) if user_id in remembered["people"] else ""


def remember_browser(request: HttpRequest, response: HttpResponseBase, user_id: int) -> None:
    """Record in a signed cookie that this user has signed in with the browser.

    The cookie gives no access by itself.
    """
    remembered = _read(request)
    people = [user_id, *(each for each in remembered["people"] if each != user_id)][:PEOPLE]
    value = signing.dumps(
        {"browser": remembered["browser"] or get_random_string(16), "people": people}, salt=SALT
    )
    response.set_cookie(
        settings.KNOWN_BROWSER_COOKIE,
        value,
        max_age=YEAR,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _read(request: HttpRequest) -> dict[str, Any]:
    cookie = request.COOKIES.get(settings.KNOWN_BROWSER_COOKIE, "")
    try:
        remembered: dict[str, Any] = signing.loads(cookie, salt=SALT, max_age=YEAR)
    except signing.BadSignature:
        remembered = {"browser": "", "people": []}
    return remembered
