"""Queries of the overview's counts, cached in large projects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from annotation.models import Item
from dashboard.queries.coverage import Coverage, coverage
from dashboard.queries.overview import (
    GROUPS,
    STORY,
    TYPE,
    Oldest,
    causes_of_rejection,
    funnel,
    funnel_by,
    oldest_waiting,
    submitted_items,
    waiting_items,
)
from dashboard.queries.pace import ReviewTime, Stay, Throughput, review_time, stays, throughput
from projects.models import Project
from projects.queries import current_types
from web.cached_counts import CACHE_SECONDS, COUNTED_ANEW, cached, forget, named, recount


@dataclass(frozen=True, slots=True)
class OverviewCounts:
    """The overview's counts: items by state, the work done on them, and waiting requests.

    `groups` is None if items are grouped by story, as stories are read page by page. `coverage` and
    `review_time` are None if a filter is set, as these statistics describe all items.
    """

    counted: dict[str, int]
    done: Throughput
    stays: dict[str, Stay]
    waiting: int
    first: int
    oldest: list[Oldest]
    causes: list[tuple[str, int]]
    groups: list[dict[str, Any]] | None
    coverage: Coverage | None
    review_time: ReviewTime | None
    at: datetime

    @property
    def age(self) -> int:
        """The age of the counts in whole seconds; more than 0 only if they come from the cache."""
        return int((timezone.now() - self.at).total_seconds())

    @property
    def is_old(self) -> bool:
        """Return whether the counts are older than a minute; new ones are then being made."""
        return self.age >= CACHE_SECONDS


def count_overview(
    project: Project,
    items: QuerySet[Item],
    *,
    wanted: Mapping[str, Any],
    group: str,
    renew: Callable[[], object] | None = None,
) -> OverviewCounts:
    """Return the counts of these items.

    Counts of many items are cached for a minute; with `renew`, which orders `recount_overview`, they are
    returned for some minutes longer.
    """
    return cached(
        _name(project, wanted, group),
        lambda: _count(project, items, wanted, group),
        is_large=_is_large,
        renew=renew,
    )


def recount_overview(project: Project, *, wanted: Mapping[str, Any], group: str) -> None:
    """Count anew what `count_overview` returns for these filters."""
    items = submitted_items(project, **wanted)
    recount(_name(project, wanted, group), lambda: _count(project, items, wanted, group), is_large=_is_large)


def count_all(
    project: Project, *, renew: Callable[[], object] | None = None
) -> tuple[OverviewCounts, Coverage]:
    """Return the counts of all items, and the coverage of the project's current types.

    `renew` orders `recount_overview` without filters, by type.
    """
    found = count_overview(project, submitted_items(project), wanted={}, group=TYPE, renew=renew)
    kinds = list(current_types(project).values_list("pk", flat=True))
    covered = found.coverage
    if covered is None or [one.type.pk for one in covered.types] != kinds:
        covered = coverage(project)
    return found, covered


def forget_counts(project: Project, wanted: Mapping[str, Any]) -> None:
    """Delete the cached counts for the filters `wanted`, so that a change just made is visible at once."""
    forget(_name(project, wanted, group) for group in GROUPS)


def _is_large(found: OverviewCounts) -> bool:
    return found.counted["all"] > COUNTED_ANEW


def _name(project: Project, wanted: Mapping[str, Any], group: str) -> str:
    narrowed = "&".join(f"{name}={value}" for name, value in sorted(wanted.items()) if value)
    return named("overview:4", project, group, narrowed)


def _count(project: Project, items: QuerySet[Item], wanted: Mapping[str, Any], group: str) -> OverviewCounts:
    waiting, first = waiting_items(items)
    return OverviewCounts(
        counted=funnel(items),
        done=throughput(items),
        stays=stays(items),
        waiting=waiting,
        first=first,
        oldest=oldest_waiting(project),
        causes=causes_of_rejection(items),
        groups=None if group == STORY else list(funnel_by(items, group)),
        coverage=None if wanted else coverage(project),
        review_time=None if wanted else review_time(project),
        at=timezone.now(),
    )
