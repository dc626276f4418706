"""The page that compares two releases of a project."""

from collections.abc import Mapping, Sequence
from typing import Final

from django.core.paginator import Paginator
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from annotation.services import record_key_exposures
from jobs.hooks import dispatch
from jobs.queries import job_of
from parable.reading.differences import word_diff
from projects.models import Language, Project
from projects.page import project_page
from projects.permissions import Permission
from release import services
from release.assembly.comparison import Changed
from release.assembly.records import FrozenItem
from release.models import Comparison, Release, Split
from release.queries.lineage import COMPARE, bases, compared, find_comparison
from release.views import opened_release, presentation
from release.views.release import LANGUAGES
from web.requests import MemberRequest

PAGE: Final = 50
KINDS: Final = {
    "reworded": gettext_lazy("Changed"),
    "moved": gettext_lazy("Moved"),
    "added": gettext_lazy("Added"),
    "retired": gettext_lazy("Retired or excluded"),
}
FIELDS: Final = {
    "title": gettext_lazy("Title"),
    "story": gettext_lazy("Story"),
    "question": gettext_lazy("Stem"),
    "explanation": gettext_lazy("Explanation"),
    "choices": gettext_lazy("Option"),
    "answer": gettext_lazy("Key"),
    "types": gettext_lazy("Types"),
    "ids": gettext_lazy("ID"),
    "split": gettext_lazy("Split"),
    "key": gettext_lazy("Key letter"),
    "order": gettext_lazy("Option order"),
}

NAME_THE_KEY: Final = frozenset({"answer", "explanation", "key"})


@project_page(Permission.SEE_RELEASES)
@require_GET
def choose(request: MemberRequest, project: Project) -> HttpResponse:
    """Redirect to the comparison of the two chosen versions."""
    names = [request.GET.get(name, "") for name in ("before", "after")]
    if not all(names) or any("/" in name for name in names):  # not a version, and not a path component
        return redirect("release:list", project.slug)
    return redirect("release:compare", project.slug, *names)


@project_page(Permission.SEE_RELEASES)
@require_GET
def compare(request: MemberRequest, project: Project, before: str, after: str) -> HttpResponse:
    """Show the differences between two releases, word by word."""
    old, new = (opened_release(request, project, version) for version in (before, after))
    found = _ordered(request, old, new)
    context = {
        "project": project,
        "section": "release",
        "before": old,
        "after": new,
        "found": found,
        "work": job_of(COMPARE, found.pk) if found.made_at is None else None,
        **(_changes(request, found, old, new) if found.made_at else {}),
        "counts": _side_by_side(_counts(old), _counts(new)),
        "gates": _side_by_side(_gates(old), _gates(new)),
        "versions": [one.version for one in bases(project)[:PAGE]],
        "lang": LANGUAGES[Language(project.language)],
    }
    return render(request, "release/compare.html", context)


def _ordered(request: MemberRequest, old: Release, new: Release) -> Comparison:
    """Return the comparison of two releases; enqueue its job if it has not been made yet.

    A polling page does not order a failed comparison again.
    """
    if request.headers.get("HX-Request") and (waited := find_comparison(old, new)):
        return waited
    with transaction.atomic():
        found = services.order_comparison(actor=request.user, before=old, after=new)
        dispatch(COMPARE, found.pk)
    return found


def _changes(request: MemberRequest, found: Comparison, old: Release, new: Release) -> dict[str, object]:
    """Return the context for one page of items with one kind of change.

    Differences are word by word.
    """
    counts = {name: len(found.items[name]) for name in KINDS}
    kind = request.GET.get("what", "")
    kind = kind if kind in KINDS else next((name for name in KINDS if counts[name]), "reworded")
    page = Paginator(found.items[kind], PAGE).get_page(request.GET.get("page"))
    changed = getattr(compared(old, new, page.object_list), kind)
    shows_key = [one.item.handle for one in changed if isinstance(one, Changed) and _shows_key(one)]
    record_key_exposures(actor=request.user, items=shows_key)
    return {
        "kind": kind,
        "kinds": [(name, label, counts[name]) for name, label in KINDS.items()],
        "page_obj": page,
        "rows": [_row(kind, one) for one in changed],
    }


def _shows_key(one: Changed) -> bool:
    """Return whether a change reveals or explains the key."""
    return any(name in NAME_THE_KEY for name, _was, _now in one.changes)


def _row(kind: str, one: Changed | FrozenItem) -> dict[str, object]:
    item = one.item if isinstance(one, Changed) else one
    row: dict[str, object] = {"item": item.handle, "id": item.public_id}
    if not isinstance(one, Changed):
        return row | {"split": Split(item.split).label, "text": item.record["question"]}
    if kind == "reworded":
        return row | {"texts": [(FIELDS[name], word_diff(was, now)) for name, was, now in one.changes]}
    return row | {"places": [(FIELDS[name], was, now) for name, was, now in one.changes]}


def _counts(release: Release) -> dict[str, str]:
    words = _("%(all)d (dev %(dev)d, test %(test)d)")
    three = _("%(all)d (train %(train)d, dev %(dev)d, test %(test)d)")
    return {
        row.task: (three if Split.TRAIN in row.of_split else words) % {"all": row.all, **row.of_split}
        for row in presentation.count_rows(release)
    }


def _gates(release: Release) -> dict[str, str]:
    return {gate.title: f"{gate.verdict} · {gate.figure}" for gate in presentation.gates(release)}


def _side_by_side(old: Mapping[str, str], new: Mapping[str, str]) -> Sequence[tuple[str, str, str]]:
    names = dict.fromkeys([*new, *old])
    return [(name, old.get(name, ""), new.get(name, "")) for name in names]
