"""Queries for the data that a release inherits from the releases that it extends, directly or indirectly."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Max, QuerySet
from django.utils.translation import gettext as _

from annotation.models import Item, State
from core.errors import Conflict
from projects.models import Project
from release.assembly.comparison import Comparison, compare
from release.assembly.records import FrozenItem
from release.assembly.versions import step
from release.card.changes import Before, Changes
from release.models import Comparison as ComparisonRow
from release.models import Erratum, Release, ReleaseItem, ReleaseState
from release.queries.release import STANDING, frozen_items, releases


def bases(project: Project) -> QuerySet[Release]:
    """Return the releases that can be extended, including withdrawn releases, newest first."""
    return releases(project).filter(state__in=STANDING)


def chain(release: Release) -> Iterator[Release]:
    """Yield the releases that this one extends, directly or indirectly, nearest first."""
    base = release.extends
    while base is not None:
        yield base
        base = base.extends


def last_extension(release: Release) -> Release | None:
    """Return the newest release that extends this one, directly or indirectly, or None."""
    ready = Release.objects.filter(project=release.project_id, state=ReleaseState.READY)
    newest = release
    while (later := ready.filter(extends=newest).order_by("-pk").first()) is not None:
        newest = later
    return None if newest == release else newest


def chain_numbers(base: Release) -> list[int]:
    """Return the ids of a release and its ancestors, with one query."""
    parents = dict(releases(base.project).values_list("pk", "extends"))
    found = [base.pk]
    while (parent := parents[found[-1]]) is not None:
        found.append(parent)
    return found


@dataclass(frozen=True, slots=True)
class Inherited:
    """The inherited items by item id, the highest item number in use, and the extended release."""

    unchanged: dict[int, FrozenItem]
    last_number: int
    before: Before


def inherited(release: Release) -> Inherited | None:
    """Return the data that a release inherits, or None if it extends no release."""
    base = release.extends
    if base is None:
        return None
    items = _frozen(base)
    unchanged = dict(items)
    for one in chain(base):
        unchanged = _frozen(one) | unchanged
    return Inherited(unchanged, _last_number(base), _before(release, base, items, frozenset(unchanged)))


COMPARE: Final = "compare_releases"
"""The kind of the jobs that compare two releases."""


def require_comparable(before: Release, after: Release) -> None:
    """Raise `Conflict` if one of the two releases is not ready."""
    for one in (before, after):
        if one.state not in STANDING:
            words = _("%(version)s is not ready and cannot be compared.")
            raise Conflict(words % {"version": one.version})


def find_comparison(before: Release, after: Release) -> ComparisonRow | None:
    """Return the comparison of two releases; None if it has never been ordered."""
    return ComparisonRow.objects.filter(before=before, after=after).first()


def compared(before: Release, after: Release, items: Iterable[int] | None = None) -> Comparison:
    """Compare two releases of a project: all items, or only the items with these ids."""
    return compare(_frozen(before, items), _frozen(after, items))


def comparison(before: Release, after: Release, found: Mapping[str, Any]) -> dict[str, object]:
    """Return a stored comparison of two releases as JSON, with public ids and without texts."""
    counts = {one.version: one.manifest["counts"] for one in (before, after)}
    return {"before": before.version, "after": after.version, "counts": counts, **found}


def _frozen(release: Release, items: Iterable[int] | None = None) -> dict[int, FrozenItem]:
    return {one.handle: one for one in frozen_items(release, items)}


def _before(
    release: Release, base: Release, items: Mapping[int, FrozenItem], known: frozenset[int]
) -> Before:
    earlier = Changes.from_json(base.manifest.get("since"))
    gone = Item.objects.filter(project=release.project, state=State.RETIRED, pk__in=items)
    found = Erratum.objects.filter(released__release__project=release.project, created_at__gte=base.ready_at)
    return Before(
        version=base.version,
        kind=step(base.version, release.version),
        items=items,
        known=known,
        retired=frozenset(gone.values_list("pk", flat=True)),
        notes=dict(found.order_by("pk").values_list("released__item", "note")),
        errata=earlier.errata if earlier else (),
    )


def _last_number(release: Release) -> int:
    """Return the highest item number in all releases with the same first ancestor, so that no id is reused.

    `release` must be saved.
    """
    parents = dict(releases(release.project).values_list("pk", "extends"))
    root = _root(release.pk, parents)
    family = [pk for pk in parents if _root(pk, parents) == root]
    return ReleaseItem.objects.filter(release__in=family).aggregate(last=Max("number"))["last"] or 0


def _root(pk: int, parents: dict[int, int | None]) -> int:
    while (parent := parents[pk]) is not None:
        pk = parent
    return pk
