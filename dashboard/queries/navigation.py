"""The pages of a project in five groups, with the permissions that a user needs to open each page."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from projects.permissions import MEMBER, Permission


@dataclass(frozen=True, slots=True)
class Page:
    """A page in the second row of the navigation.

    A user needs one of the permissions in `permission` to open it. `covers` lists further routes that belong
    to the page; the name of an app with a colon stands for all routes of the app that no other page lists.
    """

    opens: str
    label: Promise
    permission: Permission
    go: str = ""
    covers: tuple[str, ...] = ()

    def is_open_to(self, permissions: Permission) -> bool:
        """Return whether these permissions open the page."""
        return not self.permission or bool(self.permission & permissions)

    def fit(self, route: str) -> int:
        """Return how closely a route belongs to the page: 2 by its name, 1 by its app, 0 not at all."""
        if route == self.opens or route in self.covers:
            return 2
        return int(f"{route.partition(':')[0]}:" in self.covers)


@dataclass(frozen=True, slots=True)
class Group:
    """A group of pages, displayed as one entry in the first row of the navigation."""

    name: str
    label: Promise
    pages: tuple[Page, ...]


_WORK: Final = Group("work", pgettext_lazy("navigation", "Work"), (
    Page("dashboard:today", pgettext_lazy("navigation", "Today"), Permission.SEE_PROJECT, "u", (
        "dashboard:project", "dashboard:former_overview",
    )),
    Page("dashboard:inbox", _("Inbox"), MEMBER, "h", ("review:deputy",)),
    Page("annotation:desk", pgettext_lazy("navigation", "Write"), Permission.WRITE, "w", (
        "annotation:write", "annotation:draft", "annotation:revise", "annotation:without_writer",
    )),
    Page("review:queue", pgettext_lazy("navigation", "Review"), Permission.REVIEW, "r", ("review:",)),
    Page("review:verify", pgettext_lazy("navigation", "Verify"), Permission.VERIFY, "v"),
    Page("review:adjudicate", pgettext_lazy("navigation", "Adjudicate"), Permission.ADJUDICATE, "a"),
    Page("annotation:assignments", _("Assignments"), Permission.SEE_WRITING, "o", (
        "annotation:name_writers", "dashboard:handover",
    )),
    Page("dashboard:plan", _("Writing plan"), Permission.SEE_WRITING, "k", ("dashboard:reserve",)),
))  # fmt: skip
_CONTENT: Final = Group("content", pgettext_lazy("navigation", "Content"), (
    Page("dashboard:items", _("Items"), Permission.WRITE | Permission.SEE_ITEMS, "i", (
        "annotation:", "dashboard:item",
    )),
    Page("dashboard:stories", _("Stories"), MEMBER, "s", ("corpus:", "annotation:moral")),
    Page("generation:candidates", _("Candidates"), Permission.SEE_CANDIDATES, "c", (
        "generation:", "jobs:job", "dashboard:candidates",
    )),
    Page("projects:guideline", _("Guideline"), MEMBER, "l", (
        "projects:guideline_changes", "projects:publish_guideline", "annotation:older_items",
    )),
    Page("annotation:pilots", _("Pilots"), Permission.SEE_WRITING, "", (
        "annotation:start_pilot", "dashboard:pilot",
    )),
))  # fmt: skip
_QUALITY: Final = Group("quality", pgettext_lazy("navigation", "Quality"), (
    Page("dashboard:overview", _("Progress in detail"), Permission.SEE_PROJECT, "", ("dashboard:",)),
    Page("review:statistics", _("Reviewer agreement"), Permission.SEE_REVIEWS, "y", (
        "review:counted_items", "review:raters", "review:model_raters",
    )),
    Page("evaluation:calibrations", _("Item analysis"), Permission.SEE_RESULTS, "n", (
        "evaluation:calibration", "evaluation:calibrated_items", "evaluation:calibrated_item",
    )),
    Page("review:practice", _("Practice items"), Permission.SEE_REVIEWS, "p", ("review:create_practice",)),
))  # fmt: skip
_RELEASES: Final = Group("releases", pgettext_lazy("navigation", "Releases"), (
    Page("release:list", _("Releases"), MEMBER, "e", ("release:", "evaluation:publication")),
    Page("release:gates", _("Gates over unreleased items"), Permission.SEE_RELEASES, "d"),
    Page("dashboard:runs", _("Evaluation"), Permission.SEE_RESULTS, "x", ("evaluation:",)),
    Page("evaluation:results", _("Results"), Permission.SEE_RESULTS, "q", (
        "evaluation:result", "evaluation:result_items", "evaluation:replication",
    )),
    Page("release:reports", _("Error reports"), Permission.SEE_RELEASES, "b", ("release:answer_report",)),
))  # fmt: skip
_PROJECT: Final = Group("project", pgettext_lazy("navigation", "Project"), (
    Page("dashboard:members", _("Members"), Permission.SEE_PEOPLE, "m", ("projects:",)),
    Page("jobs:list", _("Jobs"), Permission.SEE_PROJECT, "j", ("jobs:",)),
    Page("dashboard:work_report", _("Work report"), MEMBER, "f"),
    Page("dashboard:exports", _("Export data"), Permission.SEE_PROJECT, "z", ("dashboard:export",)),
    Page("dashboard:project_activity", _("Activity"), Permission.MANAGE, "", (
        "dashboard:export_project_activity",
    )),
    Page("projects:settings", _("Settings"), Permission.SEE_PROJECT, "t"),
    Page("events:webhooks", _("Webhooks"), Permission.SEE_PROJECT, "", ("events:",)),
))  # fmt: skip
GROUPS: Final = (_WORK, _CONTENT, _QUALITY, _RELEASES, _PROJECT)


class Link(NamedTuple):
    """A link to a page. Its keyboard shortcut is the letter `g` and then the letter in `go`."""

    url: str
    label: str
    current: bool = False
    go: str = ""


class Section(NamedTuple):
    """A group of the navigation for one user: the address of its first page, and links to its pages."""

    name: str
    url: str
    label: str
    current: bool
    links: tuple[Link, ...]


def page_of(route: str) -> tuple[Group, Page] | None:
    """Return the group and the page that a route belongs to, or None."""
    fits = [(page.fit(route), group, page) for group in GROUPS for page in group.pages]
    fit, group, page = max(fits, key=lambda each: each[0])
    return (group, page) if fit else None


def pages_for(permissions: Permission) -> Iterator[tuple[Group, Page]]:
    """Yield the groups and pages that these permissions open, in the order of the menu."""
    for group in GROUPS:
        for page in group.pages:
            if page.is_open_to(permissions):
                yield group, page


@lru_cache(maxsize=1000)
def sections(permissions: Permission, slug: str, route: str, _language: str | None) -> tuple[Section, ...]:
    """Return the navigation of a project for these permissions; the page of `route` is current."""
    here = page_of(route)
    found = []
    for group in GROUPS:
        links = tuple(
            Link(reverse(page.opens, args=[slug]), str(page.label), here == (group, page), page.go)
            for page in group.pages
            if page.is_open_to(permissions)
        )
        if links:
            current = here is not None and here[0] is group
            found.append(Section(group.name, links[0].url, str(group.label), current, links))
    return tuple(found)
