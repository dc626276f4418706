"""What stands around every page: where one is, where one may go, and how it shall look."""

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from core.errors import Hidden
from projects.models import Role
from projects.queries import get_project, roles_of

THEMES: Final = ("light", "dark")
WRITES: Final = frozenset({Role.WRITER, Role.MANAGER})
MANAGES: Final = frozenset({Role.MANAGER})
EVERYBODY: Final = frozenset(Role)


class Link(NamedTuple):
    """One way to go; `go` is the letter that follows g."""

    url: str
    label: str
    current: bool = False
    go: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """A part of a project: the page it opens with, the pages that belong to it, and who may enter."""

    opens_with: str
    label: str
    go: str
    roles: frozenset[str]
    pages: tuple[str, ...] = ()


_OF_THE_DESK: Final = (
    "annotation:write", "annotation:draft", "annotation:revise", "annotation:left", "projects:guideline",
)  # fmt: skip
_OF_ITEMS: Final = (
    "annotation:import_items", "annotation:pilots", "annotation:start_pilot", "dashboard:item",
    "dashboard:pilot",
)  # fmt: skip
_OF_THE_OVERVIEW: Final = ("review:statistics", "dashboard:statement", "dashboard:tables", "jobs:list")
_OF_ASSIGNMENTS: Final = ("annotation:name_writers", "dashboard:hand_over")


def _places() -> tuple[Place, ...]:
    return (
        Place("dashboard:project", _("Home"), "h", EVERYBODY),
        Place("annotation:desk", _("Write"), "w", WRITES, _OF_THE_DESK),
        Place("review:queue", _("Review"), "r", frozenset({Role.REVIEWER}), ("review:place",)),
        Place("review:verify", _("Verify"), "v", frozenset({Role.VERIFIER})),
        Place("review:adjudicate", _("Adjudicate"), "a", frozenset({Role.VERIFIER, Role.MANAGER})),
        Place("generation:candidates", _("Candidates"), "c", WRITES, ("generation:", "jobs:job")),
        Place("corpus:stories", _("Stories"), "s", EVERYBODY, ("corpus:",)),
        Place("annotation:items", _("Items"), "i", WRITES, _OF_ITEMS),
        Place("dashboard:overview", _("Overview"), "u", MANAGES, _OF_THE_OVERVIEW),
        Place("release:list", _("Releases"), "e", EVERYBODY, ("release:",)),
        Place("evaluation:runs", _("Measure"), "x", MANAGES, ("evaluation:",)),
        Place("annotation:assignments", _("Assignments"), "o", MANAGES, _OF_ASSIGNMENTS),
        Place("projects:members", _("Members"), "m", MANAGES),
        Place("projects:settings", _("Settings"), "t", MANAGES),
    )


def surroundings(request: HttpRequest) -> dict[str, Any]:
    """The theme, the home address and the navigation of the project at hand."""
    theme = request.COOKIES.get("theme", "")
    return {
        "theme": theme if theme in THEMES else "",
        "home_url": "/",
        "nav_links": partial(_nav_links, request),
        "account_links": partial(_account_links, request),
    }


def _nav_links(request: HttpRequest) -> tuple[Link, ...]:
    match = request.resolver_match
    slug = match.kwargs.get("slug") if match else None
    if not slug or not request.user.is_authenticated:
        return ()
    try:
        project = get_project(user=request.user, slug=slug)
    except Hidden:
        return ()
    here = match.view_name if match else ""
    return _links(roles_of(request.user, project), slug, here, get_language())


@lru_cache(maxsize=1000)
def _links(roles: frozenset[str], slug: str, here: str, _language: str | None) -> tuple[Link, ...]:
    return tuple(_link(place, slug, here) for place in _places() if roles & place.roles)


def _link(place: Place, slug: str, here: str) -> Link:
    current = here == place.opens_with or here.startswith(place.pages)
    return Link(reverse(place.opens_with, args=[slug]), place.label, current, place.go)


def _account_links(request: HttpRequest) -> tuple[Link, ...]:
    if not request.user.is_authenticated:
        return ()
    return _of_account(get_language(), is_staff=request.user.is_staff)


@lru_cache(maxsize=10)
def _of_account(_language: str | None, *, is_staff: bool) -> tuple[Link, ...]:
    links = [
        Link(reverse("dashboard:home"), _("My projects")),
        Link(reverse("accounts:profile"), _("Profile")),
        Link(reverse("account_change_password"), _("Change password")),
    ]
    if is_staff:
        links.append(Link(reverse("accounts:people"), _("People")))
        links.append(Link(reverse("jobs:hosts"), _("Servers for keys")))
        links.append(Link(reverse("admin:index"), _("All tables")))
    return tuple(links)
