"""Ways into the site past the form, for tests of what is behind it."""

from __future__ import annotations

import re

from django.conf import settings
from django.test import Client
from playwright.sync_api import BrowserContext, ConsoleMessage, Page

from accounts.models import User

REPLACED = re.compile(r"htmx:(afterRequest|sendAbort)\b")
"""What htmx writes of a request whose place a newer one has taken (`hx-sync="this:replace"`): it is no fault.
Of one that failed it writes `htmx:sendError` or `htmx:responseError`, too."""


def is_error(said: ConsoleMessage) -> bool:
    """Whether the browser complains of our page."""
    return said.type in {"error", "warning"} and not REPLACED.match(said.text)


def sign_in(context: BrowserContext, address: str, user: User) -> None:
    """Sign this person in for all pages of the site at this address, in this context."""
    client = Client()
    client.force_login(user)
    name = settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": address}])


def enter(page: Page, address: str, user: User) -> list[str]:
    """Sign in; what goes wrong in the browser from then on is added to the list."""
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if is_error(said) else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    sign_in(page.context, address, user)
    return complaints
