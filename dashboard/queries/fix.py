"""Queries for the items to fix: those in which the last check found something, one after another."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.db.models import QuerySet

from accounts.models import User
from annotation.models import Item
from annotation.queries.item import items_seen_by
from projects.models import Project
from release.queries.finding import ANY, with_findings
from review.queries.item import without_those_to_solve
from web.long_list import count_rows


@dataclass(frozen=True, slots=True)
class FixQueue:
    """The items to fix in the order of their ids, or those with findings of one severity, check or gate."""

    severity: str = ANY
    code: str = ""

    @property
    def query(self) -> str:
        """The query string that selects these items in the list of items."""
        code = {"check": self.code} if self.code else {}
        return urlencode({"finding": self.severity, **code, "sort": "number"})

    def among(self, user: User, project: Project, items: QuerySet[Item]) -> QuerySet[Item]:
        """Return those of these items that are to be fixed, without those that the user may still solve.

        For those, a finding would be a hint about the key.
        """
        return without_those_to_solve(
            user, project, with_findings(items, severity=self.severity, code=self.code)
        )

    def items(self, user: User, project: Project) -> QuerySet[Item]:
        """Return the items to fix that this user may see."""
        return self.among(user, project, items_seen_by(user, project))

    def next_after(self, user: User, project: Project, after: int) -> int | None:
        """Return the id of the item after `after`, or of the first after the last; None without items."""
        others = self.items(user, project).exclude(pk=after).order_by("pk").values_list("pk", flat=True)
        return others.filter(pk__gt=after).first() or others.first()

    def count(self, user: User, project: Project, *, besides: int = 0) -> int:
        """Return the number of items to fix besides one; it is capped as that of the list of items."""
        found = self.items(user, project)
        return count_rows(found.exclude(pk=besides) if besides else found)
