"""Pages for drafting with models: overview, batches, endpoints, prompts, and a story's candidates."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest

LONGEST_SEARCH = 200


@dataclass(frozen=True, slots=True)
class Narrowing:
    """The filters of the list of stories, from the query string."""

    show: str = ""
    search: str = ""

    @classmethod
    def of(cls, request: HttpRequest) -> "Narrowing":
        """Return the filters in the query string, shortened to their maximum length."""
        search = request.GET.get("q", "").replace("\x00", "").strip()[:LONGEST_SEARCH]
        return cls(request.GET.get("show", "")[:10], search)

    @property
    def address(self) -> str:
        """Return the filters as a query string with a question mark, or "" without filters."""
        data = {name: value for name, value in (("show", self.show), ("q", self.search)) if value}
        return f"?{urlencode(data)}" if data else ""
