"""Links from a number on a page to the list of the items that it counts. No queries are needed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.queries.overview import SHOWN_STATES, STORY, TYPE
from projects.models import CommonsenseType, Project


@dataclass(frozen=True, slots=True)
class ItemLinks:
    """Links to the list of a project's items; `wanted` has the filters that all of them share."""

    project: Project
    types: Mapping[int, CommonsenseType] = field(default_factory=dict)
    wanted: Mapping[str, Any] = field(default_factory=dict)

    def narrowed(self, name: str, value: Any) -> "ItemLinks":
        """Return links with one more filter, for a row of the overview."""
        return ItemLinks(self.project, self.types, {**self.wanted, name: value})

    def submitted(self) -> str:
        """Return a link to all submitted items in any state."""
        return self.to(state=SHOWN_STATES)

    def to(self, **more: str | int | Iterable[str]) -> str:
        """Return a link to the list of items, filtered by `wanted` and these additional filters."""
        values = {
            name: self.types[value].code if name == TYPE and value in self.types else value
            for name, value in self.wanted.items()
        }
        renamed = {STORY: "of", TYPE: "kind"}
        query = {renamed.get(name, name): value for name, value in values.items()} | more
        address = reverse("dashboard:items", args=[self.project.slug])
        return f"{address}?{urlencode(query, doseq=True)}"
