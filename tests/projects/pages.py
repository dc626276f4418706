"""What the tests of these pages share: a browser that is signed in as somebody, and who may see what."""

from __future__ import annotations

from django.test import Client
from django.urls import reverse

from accounts.models import User
from tests.factories import Cast

PEOPLE = ("manager", "writer", "reviewer", "verifier", "outsider")


def browser(user: User | None = None) -> Client:
    """A client signed in as this person, or as nobody."""
    client = Client()
    if user:
        client.force_login(user)
    return client


def address(cast: Cast, name: str, *args: object) -> str:
    """A page of the cast's project by the name of its route."""
    app = "dashboard" if name == "members" else "projects"
    return reverse(f"{app}:{name}", args=[cast.project.slug, *args])


def answers(cast: Cast, url: str, method: str = "get") -> dict[str, int]:
    """The status that each of the cast gets, and somebody who is not signed in (302 to sign-in)."""
    found = {name: getattr(browser(getattr(cast, name)), method)(url).status_code for name in PEOPLE}
    return {**found, "nobody": getattr(browser(), method)(url).status_code}


def only_managers(ok: int = 200) -> dict[str, int]:
    """What a page for managers answers."""
    return {"manager": ok, "writer": 403, "reviewer": 403, "verifier": 403, "outsider": 404, "nobody": 302}
