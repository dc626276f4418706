"""Queries of the command palette: search in one project and in all of a user's projects."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple
from urllib.parse import urlencode

from django.conf import settings
from django.db.models import OuterRef
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.text import Truncator
from django.utils.translation import get_language, gettext_lazy, override, pgettext_lazy
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.queries.search import items_named
from corpus.models import Story
from corpus.queries import named
from dashboard.queries.inbox import Mine, my_projects
from dashboard.queries.navigation import pages_for
from projects.models import Membership, Project
from projects.permissions import MEMBER, Permission, may_create_project, roles_of
from projects.queries import first_of_each, projects_of
from release.queries.release import items_released_as

LONGEST_STEM: Final = 80
MOST: Final = 5
MOST_AT_REST: Final = 8
"""The maximum number of results of each kind in one project is `MOST`.

Before anything is typed, up to `MOST_AT_REST` actions and as many pages are listed.
"""
MOST_ACROSS: Final = 3
MOST_GROUPS: Final = 8
"""A search of several projects returns up to `MOST_ACROSS` results of each kind in each of `MOST_GROUPS`
projects.
"""


class Action(NamedTuple):
    """An action that can be started from the palette; `post` is True if it claims a request or a story."""

    route: str
    label: Promise
    permission: Permission
    post: bool = False


ACTIONS: Final = (
    Action("review:claim", gettext_lazy("Review next item"), Permission.REVIEW, post=True),
    Action("review:claim_verify", gettext_lazy("Verify next item"), Permission.VERIFY, post=True),
    Action("review:claim_adjudicate", gettext_lazy("Adjudicate next item"), Permission.ADJUDICATE, post=True),
    Action("annotation:take_next", gettext_lazy("Take next story"), Permission.TAKE_STORIES, post=True),
    Action("corpus:import_stories", gettext_lazy("Import stories"), Permission.CHANGE_STORIES),
    Action("annotation:import_items", gettext_lazy("Import items"), Permission.CHANGE_ITEMS),
    Action("generation:batch", gettext_lazy("Generate candidates"), Permission.WRITE),
    Action("projects:invite", gettext_lazy("Invite people"), Permission.CHANGE_PEOPLE),
    Action("release:build", gettext_lazy("Create release"), Permission.CHANGE_RELEASES),
    Action("evaluation:start", gettext_lazy("Start evaluation"), Permission.CHANGE_RESULTS),
    Action("evaluation:import", gettext_lazy("Import responses"), Permission.CHANGE_RESULTS),
    Action("evaluation:new_panel", gettext_lazy("Create panel"), Permission.CHANGE_RESULTS),
    Action("projects:publish_guideline", gettext_lazy("Publish guideline"), Permission.CHANGE_PROJECT),
    Action("annotation:start_pilot", gettext_lazy("Start pilot"), Permission.CHANGE_WRITING),
)
MORE_PAGES: Final = (
    Action("generation:prompts", gettext_lazy("Prompts"), Permission.SEE_CANDIDATES),
    Action("generation:endpoints", gettext_lazy("Models"), Permission.SEE_MODELS),
    Action("generation:yield", pgettext_lazy("of candidates", "Yield"), Permission.SEE_CANDIDATES),
    Action("corpus:similar", gettext_lazy("Similar stories"), Permission.SEE_STORIES),
    Action("evaluation:calibrations", gettext_lazy("Suspect items"), Permission.SEE_RESULTS),
    Action("dashboard:handover", gettext_lazy("Hand over work"), Permission.CHANGE_WRITING),
    Action("projects:guideline_changes", gettext_lazy("Changes of the guideline"), MEMBER),
)
"""Pages that the palette finds although the menu does not list them."""
ACCOUNT_PAGES: Final = (
    ("dashboard:home", gettext_lazy("Your work")),
    ("accounts:profile", gettext_lazy("Profile")),
    ("projects:create", gettext_lazy("New project")),
)
"""Pages that belong to no project."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One result: its name, what distinguishes it from similar ones, its address, and an item's stem."""

    label: str
    url: str
    detail: str = ""
    lang: str = ""
    post: bool = False
    words: str = ""
    words_lang: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """The results of one kind, or in one project; `lang` is the language of the label."""

    kind: str
    label: str
    hits: tuple[Hit, ...]
    lang: str = ""


Hits = dict[int, list[Hit]]
"""The results of one kind, by project id."""


def search(user: User, project: Project | None, q: str) -> list[Found]:
    """Return the pages, stories, items and people that match `q` and that the user may open.

    With an empty `q`, return actions and pages. The search covers `project`, or the user's only project;
    otherwise all of the user's projects.
    """
    q = q.strip()
    mine = [Mine(project, roles_of(user, project))] if project else my_projects(user)
    found: list[Found] = []
    if len(mine) == 1:
        project, kinds = mine[0].project, _kinds(user, mine, q, MOST)
        found = [Found(kind, label, tuple(hits[project.pk])) for kind, label, hits in kinds]
    elif q:
        kinds = _kinds(user, mine, q, MOST_ACROSS)
        by_project = [
            Found(
                f"in{one.project.pk}", one.project.name,
                tuple(hit for _kind, _label, hits in kinds for hit in hits[one.project.pk][:MOST_ACROSS]),
                one.project.lang,
            )
            for one in mine
        ]  # fmt: skip
        found = [each for each in by_project if each.hits][:MOST_GROUPS]
    found.append(Found("project", _("Projects"), tuple(_projects(user, project, q))))
    of_the_site = tuple(
        Hit(str(label), reverse(route))
        for route, label in ACCOUNT_PAGES
        if (route != "projects:create" or may_create_project(user)) and _is_named(label, q)
    )
    found.append(Found("site", _("Your account"), of_the_site))
    return [each for each in found if each.hits]


def _kinds(user: User, mine: Sequence[Mine], q: str, most: int) -> list[tuple[str, str, Hits]]:
    """Return (kind, label, results by project id) of each kind, in a constant number of statements."""
    kinds = [
        ("action", _("Actions"), {one.project.pk: list(_actions(one, q)) for one in mine}),
        ("page", _("Pages"), {one.project.pk: list(_pages(one, q)) for one in mine}),
    ]
    if q:
        kinds.append(("story", _("Stories"), _stories(mine, q, most)))
        kinds.append(("item", _("Items"), _items(user, mine, q, most)))
        kinds.append(("person", _("People"), _people(mine, q, most)))
    return kinds


@lru_cache(maxsize=1000)
def _names(label: Promise, _language: str | None) -> tuple[str, ...]:
    """Return a label in all languages, as users may know a page by its name in another language."""
    names = []
    for code, _name in settings.LANGUAGES:
        with override(code):
            names.append(str(label).casefold())
    return tuple(names)


def _is_named(label: Promise, q: str) -> bool:
    return not q or any(q.casefold() in name for name in _names(label, get_language()))


def _actions(mine: Mine, q: str) -> Iterator[Hit]:
    hits = (
        Hit(str(action.label), reverse(action.route, args=[mine.project.slug]), post=action.post)
        for action in ACTIONS
        if action.permission in mine.permissions and _is_named(action.label, q)
    )
    return islice(hits, MOST if q else MOST_AT_REST)


def _pages(mine: Mine, q: str) -> Iterator[Hit]:
    slug, permissions = mine.project.slug, mine.permissions

    def all_of_them() -> Iterator[Hit]:
        for group, page in pages_for(permissions):
            if _is_named(page.label, q):
                yield Hit(str(page.label), reverse(page.opens, args=[slug]), str(group.label))
        for more in MORE_PAGES:
            if q and more.permission in permissions and _is_named(more.label, q):
                yield Hit(str(more.label), reverse(more.route, args=[slug]))

    return islice(all_of_them(), MOST if q else MOST_AT_REST)


def _stories(mine: Sequence[Mine], q: str, most: int) -> Hits:
    rows = Story.objects.filter(named(q), project=OuterRef("pk")).order_by("pk")
    first = first_of_each([one.project for one in mine], rows, most)
    found = Story.objects.select_related("current").in_bulk([pk for each in first.values() for pk in each])
    hits: Hits = {one.project.pk: [] for one in mine}
    for one in mine:
        for pk in first[one.project.pk]:
            story = found[pk]
            title = story.current.title if story.current else story.ref
            url = reverse("corpus:story", args=[one.project.slug, pk])
            hits[one.project.pk].append(Hit(title, url, story.ref, story.lang))
    return hits


def _items(user: User, mine: Sequence[Mine], q: str, most: int) -> Hits:
    projects = [one.project for one in mine]
    released = items_released_as(user, projects, q)
    slugs = {project.pk: project.slug for project in projects}
    hits: Hits = {project.pk: [] for project in projects}
    for item in items_named(user, projects, q, released=released, most=most):
        slug = slugs[item.project_id]
        title = item.story.current.title if item.story.current else item.story.ref
        detail = f"{item.get_task_display()} · {item.get_state_display()}"
        url = reverse("dashboard:item", args=[slug, item.pk])
        stem = item.current.stem if item.current else ""
        label = _("%(number)d, %(story)s") % {"number": item.pk, "story": title}
        hits[item.project_id].append(
            Hit(label, url, detail, words=Truncator(stem).chars(LONGEST_STEM), words_lang=item.story.lang)
        )
    return hits


def _people(mine: Sequence[Mine], q: str, most: int) -> Hits:
    """Return the matching members by project. Projects whose members the user may not see have no results."""
    belongs = Membership.objects.filter(project=OuterRef(OuterRef("pk"))).values("user")
    rows = User.objects.filter(name__icontains=q, pk__in=belongs).order_by("name", "pk")
    seen = [one.project for one in mine if Permission.SEE_PEOPLE in one.permissions]
    first = first_of_each(seen, rows, most)
    found = User.objects.in_bulk([pk for each in first.values() for pk in each])
    hits: Hits = {one.project.pk: [] for one in mine}
    for one in mine:
        slug, opens_member = one.project.slug, Permission.CHANGE_PEOPLE in one.permissions
        for pk in first.get(one.project.pk, ()):
            person = found[pk]
            if opens_member:
                page = reverse("projects:member", args=[slug, pk])
            else:
                page = f"{reverse('dashboard:members', args=[slug])}?{urlencode({'q': person.username})}"
            hits[one.project.pk].append(Hit(person.name, page, person.username))
    return hits


def _projects(user: User, project: Project | None, q: str) -> Iterator[Hit]:
    found = projects_of(user).order_by("name", "pk")
    if project:
        found = found.exclude(pk=project.pk)
    if q:
        found = found.filter(name__icontains=q)
    for one in found[:MOST]:
        yield Hit(one.name, reverse("dashboard:project", args=[one.slug]), "", one.lang)
