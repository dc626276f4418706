"""The menu of a project: five nouns with their pages, and the page to which each address belongs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby
from typing import Final, NamedTuple

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from projects.permissions import MEMBER, Permission

PROJECT: Final = "p/<slug:slug>"
"""How the routes of a project's pages begin."""
EVERYTHING: Final = ~MEMBER


@dataclass(frozen=True, slots=True)
class Page:
    """A page in the menu.

    A user needs one of the permissions in `permission` to open it. The addresses below its own belong to the
    page, and so do those at and below the addresses in `covers`, which are relative to the project's.
    """

    opens: str
    label: Promise
    permission: Permission
    go: str = ""
    covers: tuple[str, ...] = ()

    def is_open_to(self, permissions: Permission) -> bool:
        """Return whether these permissions open the page."""
        return not self.permission or bool(self.permission & permissions)

    def fit(self, route: str) -> tuple[int, bool]:
        """Return how many steps of a route are those to the page, and whether to its own address."""
        steps = _steps(route)
        ways = [(_steps(route_of(self.opens)), True), *((_steps(each), False) for each in self.covers)]
        return max((len(way), is_own) if steps[: len(way)] == way else (0, False) for way, is_own in ways)


@dataclass(frozen=True, slots=True)
class Noun:
    """What a group of pages is about: an entry in the first row of the menu."""

    label: Promise
    pages: tuple[Page, ...]


NOUNS: Final = (
    Noun(pgettext_lazy("navigation", "Today"), (
        Page("dashboard:today", pgettext_lazy("navigation", "Today"), Permission.SEE_PROJECT, "u", (
            "", "begin", "overview",
        )),
        Page("dashboard:inbox", _("Inbox"), MEMBER, "h", ("", "messages", "review/deputy")),
        Page("annotation:desk", pgettext_lazy("navigation", "Write"), Permission.WRITE, "w", (
            "review/comments",
        )),
        Page("review:queue", pgettext_lazy("navigation", "Review"), Permission.REVIEW, "r"),
        Page("review:verify", pgettext_lazy("navigation", "Verify"), Permission.VERIFY, "v", ("review",)),
        Page("review:adjudicate", pgettext_lazy("navigation", "Adjudicate"), Permission.ADJUDICATE, "a", (
            "review",
        )),
    )),
    Noun(_("Items"), (
        Page("dashboard:items", _("Items"), Permission.WRITE | Permission.SEE_ITEMS, "i", ("lists",)),
        # reviewers may add an item to a story, without a desk or a list of items in their menu
        Page("dashboard:stories", _("Stories"), MEMBER, "s", ("items", "write")),
        Page("generation:candidates", _("Candidates"), Permission.SEE_CANDIDATES, "c", ("jobs",)),
        Page("projects:guideline", _("Guideline"), MEMBER, "l"),
        Page("annotation:assignments", _("Assignments"), Permission.SEE_WRITING, "o"),
        Page("dashboard:plan", _("Writing plan"), Permission.SEE_WRITING, "k", ("coverage",)),
    )),
    Noun(pgettext_lazy("navigation", "People"), (
        Page("dashboard:members", pgettext_lazy("navigation", "People"), Permission.SEE_PEOPLE, "m", (
            "people", "handover",
        )),
        Page("review:statistics", _("Reviewer agreement"), Permission.SEE_REVIEWS, "y"),
        Page("review:practice", _("Practice items"), Permission.SEE_REVIEWS, "p"),
        Page("dashboard:work_report", _("Work report"), MEMBER, "f"),
    )),
    Noun(_("Releases"), (
        Page("release:list", _("Releases"), MEMBER, "e"),
        Page("release:gates", _("Checks"), Permission.SEE_RELEASES, "d"),
        Page("dashboard:runs", _("Evaluation"), Permission.SEE_RESULTS, "x"),
        Page("evaluation:results", _("Results"), Permission.SEE_RESULTS, "q"),
        Page("evaluation:calibrations", _("Item analysis"), Permission.SEE_RESULTS, "n"),
        Page("release:reports", _("Error reports"), Permission.SEE_RELEASES, "b"),
    )),
    Noun(_("Settings"), (
        Page("projects:settings", _("Settings"), Permission.SEE_PROJECT, "t", ("archive", "restore")),
        Page("generation:endpoints", _("Models"), Permission.SEE_MODELS),
        Page("annotation:pilots", _("Pilots"), Permission.SEE_WRITING),
        Page("jobs:list", _("Jobs"), Permission.SEE_PROJECT, "j"),
        Page("events:webhooks", _("Webhooks"), Permission.SEE_PROJECT),
        Page("dashboard:exports", _("Export data"), Permission.SEE_PROJECT, "z"),
        Page("dashboard:project_activity", _("Activity"), Permission.MANAGE),
    )),
)  # fmt: skip


class Link(NamedTuple):
    """A link to a page. Its keyboard shortcut is the letter `g` and then the letter in `go`."""

    url: str
    label: str
    current: bool = False
    go: str = ""


class Section(NamedTuple):
    """A noun of the menu for one user: the address of its first page, and links to its pages."""

    url: str
    label: str
    current: bool
    links: tuple[Link, ...]


@cache
def route_of(name: str) -> str:
    """Return the route of a page of a project by its name. The page has no argument besides the project."""
    return PROJECT + reverse(name, args=["-"]).removeprefix("/p/-")


@cache
def _steps(route: str) -> tuple[str, ...]:
    """Return the parts of a route below the project; the ending of a file is one, too."""
    return tuple(re.split(r"[/.]", route.removeprefix(PROJECT).strip("/")))


def page_of(route: str, permissions: Permission = EVERYTHING) -> tuple[Noun, Page] | None:
    """Return the noun and the page to which a route belongs, of the pages that these permissions open.

    It is the page that shares most steps with the route: `review/practice` is not a part of `review`. Return
    None if there is none, and for routes outside of projects.
    """
    if not route.startswith(PROJECT):
        return None
    fits = [(page.fit(route), noun, page) for noun, page in pages_for(permissions)]
    (shared, _is_own), noun, page = max(fits, key=lambda each: each[0])
    return (noun, page) if shared else None


def pages_for(permissions: Permission) -> Iterator[tuple[Noun, Page]]:
    """Yield the nouns and pages that these permissions open, in the order of the menu."""
    for noun in NOUNS:
        for page in noun.pages:
            if page.is_open_to(permissions):
                yield noun, page


def has_nouns(permissions: Permission) -> bool:
    """Return whether the menu has nouns. Those who only write or review have few pages, all in one row."""
    return Permission.SEE_PROJECT in permissions


@lru_cache(maxsize=1000)
def sections(permissions: Permission, slug: str, route: str, _language: str | None) -> tuple[Section, ...]:
    """Return the menu of a project for these permissions; the page of `route` is current.

    A menu without nouns is one section without a label.
    """
    here, current = page_of(route, permissions) or (None, None)
    with_nouns, found = has_nouns(permissions), []
    for noun, pages in groupby(pages_for(permissions), key=lambda each: each[0] if with_nouns else None):
        links = tuple(
            Link(reverse(page.opens, args=[slug]), str(page.label), page is current, page.go)
            for _noun, page in pages
        )
        label = str(noun.label) if noun else ""
        found.append(Section(links[0].url, label, noun is None or noun is here, links))
    return tuple(found)
