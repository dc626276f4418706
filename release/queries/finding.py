"""Queries for what the latest check found in items. A finding is open until its item is reworded."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from django.db.models import Exists, F, OuterRef, QuerySet

from annotation.models import Item
from parable.quality.finding import ERROR
from release.models import ItemFinding
from release.queries.gate import ON_THEIR_WAY

ANY: Final = "any"
"""The value of a filter for items with findings of whatever severity."""


def with_findings(items: QuerySet[Item], *, severity: str = ANY, code: str = "") -> QuerySet[Item]:
    """Return those of these items that have open findings, of a severity or of one check or gate."""
    found = ItemFinding.objects.filter(item=OuterRef("pk"), revision=OuterRef("current"))
    if severity != ANY:
        found = found.filter(severity=severity)
    if code:
        found = found.filter(code=code)
    return items.filter(Exists(found), state__in=ON_THEIR_WAY)


def findings_of(items: Iterable[int]) -> dict[int, list[ItemFinding]]:
    """Return the open findings of each of these items, errors first."""
    found = ItemFinding.objects.filter(
        item__in=list(items), revision=F("item__current"), item__state__in=ON_THEIR_WAY
    )
    by_item: defaultdict[int, list[ItemFinding]] = defaultdict(list)
    for one in sorted(found, key=lambda one: (one.severity != ERROR, one.pk)):
        by_item[one.item_id].append(one)
    return dict(by_item)
