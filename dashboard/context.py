"""Template context of every page: theme, navigation and permissions."""

from functools import cache, lru_cache, partial
from typing import Final

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from accounts.models import User
from core.errors import Hidden
from dashboard.queries.navigation import Link, Section, sections
from dashboard.queries.news import bell_of
from projects.permissions import Permission, permissions_of
from projects.queries import get_project

THEMES: Final = ("light", "dark")


def surroundings(request: HttpRequest) -> dict[str, object]:
    """Return the theme, and functions that compute a template's navigation, permissions and inbox count.

    Templates call each function several times; each result is computed at most once per request.
    """
    theme = request.COOKIES.get(settings.THEME_COOKIE, "")
    return {
        "theme": theme if theme in THEMES else "",
        "home_url": "/",
        "provider_name": settings.OIDC_NAME if settings.OIDC_URL else "",
        "nav_sections": cache(partial(_sections, request)),
        "can": cache(partial(_can, request)),
        "bell": cache(lambda: bell_of(request.user) if isinstance(request.user, User) else None),
        "account_links": cache(partial(_account_links, request)),
    }


def _sections(request: HttpRequest) -> tuple[Section, ...]:
    """Return the navigation of the project in the address, or () outside a project."""
    match = request.resolver_match
    if not match or not (held := _permissions(request)):
        return ()
    return sections(held, match.kwargs["slug"], match.view_name, get_language())


def _can(request: HttpRequest) -> dict[str, bool]:
    """Return whether the reader has each permission in the current project, by its lower-case name."""
    held = _permissions(request)
    return {str(one.name).lower(): one in held for one in Permission} if held else {}


def _permissions(request: HttpRequest) -> Permission | None:
    """Return the reader's permissions in the project that the URL names.

    Return None if the URL names no project that the reader may open.
    """
    match = request.resolver_match
    slug = match.kwargs.get("slug") if match else None
    if not slug or not isinstance(request.user, User):
        return None
    try:
        return permissions_of(request.user, get_project(user=request.user, slug=slug))
    except Hidden:
        return None


def _account_links(request: HttpRequest) -> tuple[Link, ...]:
    if not request.user.is_authenticated:
        return ()
    user = request.user
    return _of_account(get_language(), is_staff=user.is_staff, has_password=user.has_usable_password())


@lru_cache(maxsize=20)
def _of_account(_language: str | None, *, is_staff: bool, has_password: bool) -> tuple[Link, ...]:
    links = [
        Link(reverse("projects:mine"), _("Your projects")),
        Link(reverse("accounts:profile"), _("Profile")),
    ]
    if has_password:
        links.append(Link(reverse("account_change_password"), _("Change password")))
    if is_staff:
        links.append(Link(reverse("accounts:people"), _("People")))
        links.append(Link(reverse("jobs:hosts"), _("Key servers")))
        links.append(Link(reverse("admin:index"), _("All tables")))
    return tuple(links)
