"""What the palette finds in a project, and beyond it. Reads only."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from django.conf import settings
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy, override, pgettext_lazy
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.queries.search import items_named
from corpus.queries import find_stories
from dashboard.queries.navigation import EVERYBODY, pages_for
from projects.models import Project
from projects.permissions import Permission, may_create_project, permissions_of
from projects.queries import members, projects_of

MOST: Final = 5
MOST_AT_REST: Final = 8
"""Of each kind: with something typed, and of actions and pages before that."""


class Action(NamedTuple):
    """Something to do in a project; `post` where it takes a place in a queue or a story."""

    route: str
    label: Promise
    permission: Permission
    post: bool = False


ACTIONS: Final = (
    Action("review:claim", gettext_lazy("Review next item"), Permission.REVIEW, post=True),
    Action("review:claim_verify", gettext_lazy("Verify next item"), Permission.VERIFY, post=True),
    Action("review:claim_adjudicate", gettext_lazy("Adjudicate next item"), Permission.ADJUDICATE, post=True),
    Action("annotation:take_next", gettext_lazy("Take next story"), Permission.TAKE_STORIES, post=True),
    Action("corpus:import_stories", gettext_lazy("Import stories"), Permission.MANAGE),
    Action("annotation:import_items", gettext_lazy("Import items"), Permission.MANAGE),
    Action("generation:batch", gettext_lazy("Generate candidates"), Permission.WRITE),
    Action("projects:members", gettext_lazy("Invite people"), Permission.MANAGE),
    Action("release:build", gettext_lazy("Create release"), Permission.MANAGE),
    Action("evaluation:start", gettext_lazy("Start evaluation"), Permission.MANAGE),
    Action("evaluation:import", gettext_lazy("Import responses"), Permission.MANAGE),
    Action("evaluation:panel_new", gettext_lazy("Create panel"), Permission.MANAGE),
    Action("projects:publish_guideline", gettext_lazy("Publish guideline"), Permission.MANAGE),
    Action("annotation:start_pilot", gettext_lazy("Start pilot"), Permission.MANAGE),
)
MORE_PAGES: Final = (
    Action("generation:templates", gettext_lazy("Prompts"), Permission.WRITE),
    Action("generation:endpoints", gettext_lazy("Models"), Permission.MANAGE),
    Action("generation:yield", pgettext_lazy("of candidates", "Yield"), Permission.WRITE),
    Action("corpus:similar", gettext_lazy("Similar stories"), Permission.MANAGE),
    Action("dashboard:hand_over", gettext_lazy("Hand over work"), Permission.MANAGE),
    Action("projects:guideline_changes", gettext_lazy("Changes of the guideline"), EVERYBODY),
)
"""Pages that the menu does not list."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing found: what it is called, what tells it from others, and where it is."""

    label: str
    url: str
    detail: str = ""
    lang: str = ""
    post: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """What was found of one kind."""

    kind: str
    label: str
    hits: tuple[Hit, ...]


def search(user: User, project: Project | None, q: str) -> list[Found]:
    """What somebody may open that `q` names; with nothing typed, what can be done and opened here."""
    q = q.strip()
    kinds: list[tuple[str, str, Iterator[Hit]]] = []
    if project:
        permissions = permissions_of(user, project)
        kinds.append(("action", _("Actions"), _actions(permissions, project, q)))
        kinds.append(("page", _("Pages"), _pages(permissions, project, q)))
        if q:
            kinds.append(("story", _("Stories"), _stories(project, q)))
            kinds.append(("item", _("Items"), _items(user, project, q)))
            if Permission.MANAGE in permissions:
                kinds.append(("person", _("People"), _people(project, q)))
    kinds.append(("project", _("Projects"), _projects(user, project, q)))
    kinds.append(("site", _("Your account"), _of_the_site(user, q)))
    found = [Found(kind, label, tuple(hits)) for kind, label, hits in kinds]
    return [each for each in found if each.hits]


@lru_cache(maxsize=1000)
def _names(label: Promise, _language: str | None) -> tuple[str, ...]:
    """What a label reads in every language: who works in one may know a page by its name in another."""
    names = []
    for code, _name in settings.LANGUAGES:
        with override(code):
            names.append(str(label).casefold())
    return tuple(names)


def _is_named(label: Promise, q: str) -> bool:
    return not q or any(q.casefold() in name for name in _names(label, get_language()))


def _first(hits: Iterator[Hit], q: str) -> Iterator[Hit]:
    for number, hit in enumerate(hits):
        if number >= (MOST if q else MOST_AT_REST):
            return
        yield hit


def _actions(permissions: Permission, project: Project, q: str) -> Iterator[Hit]:
    return _first((
        Hit(str(action.label), reverse(action.route, args=[project.slug]), post=action.post)
        for action in ACTIONS
        if action.permission in permissions and _is_named(action.label, q)
    ), q)  # fmt: skip


def _pages(permissions: Permission, project: Project, q: str) -> Iterator[Hit]:
    def all_of_them() -> Iterator[Hit]:
        for group, page in pages_for(permissions):
            if _is_named(page.label, q):
                yield Hit(str(page.label), reverse(page.opens, args=[project.slug]), str(group.label))
        for more in MORE_PAGES:
            if q and more.permission in permissions and _is_named(more.label, q):
                yield Hit(str(more.label), reverse(more.route, args=[project.slug]))

    return _first(all_of_them(), q)


def _stories(project: Project, q: str) -> Iterator[Hit]:
    for story in find_stories(project, q=q)[:MOST]:
        url = reverse("corpus:story", args=[project.slug, story.pk])
        yield Hit(story.current.title if story.current else story.ref, url, story.ref, story.lang)


def _items(user: User, project: Project, q: str) -> Iterator[Hit]:
    for item in items_named(user, project, q, most=MOST):
        title = item.story.current.title if item.story.current else item.story.ref
        detail = f"{item.get_task_display()} · {item.get_state_display()}"
        url = reverse("dashboard:item", args=[project.slug, item.pk])
        yield Hit(_("%(number)d, %(story)s") % {"number": item.pk, "story": title}, url, detail)


def _people(project: Project, q: str) -> Iterator[Hit]:
    page = reverse("projects:members", args=[project.slug])
    for person in members(project).filter(name__icontains=q)[:MOST]:
        yield Hit(person.name, f"{page}#member-{person.pk}", person.username)


def _projects(user: User, project: Project | None, q: str) -> Iterator[Hit]:
    found = projects_of(user).order_by("name", "pk")
    if project:
        found = found.exclude(pk=project.pk)
    if q:
        found = found.filter(name__icontains=q)
    for one in found[:MOST]:
        yield Hit(one.name, reverse("dashboard:project", args=[one.slug]), "", one.lang)


def _of_the_site(user: User, q: str) -> Iterator[Hit]:
    pages = [("dashboard:home", _YOUR_WORK), ("accounts:profile", _PROFILE)]
    if may_create_project(user):
        pages.append(("projects:create", _NEW_PROJECT))
    for route, label in pages:
        if _is_named(label, q):
            yield Hit(str(label), reverse(route))


_YOUR_WORK: Final = gettext_lazy("Your work")
_PROFILE: Final = gettext_lazy("Profile")
_NEW_PROJECT: Final = gettext_lazy("New project")
