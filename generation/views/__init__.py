"""Pages of drafting: the overview, batches, endpoints, prompts, and a story's candidates."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest

LONGEST_SEARCH = 200


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What the list of stories is narrowed to, as the address says it."""

    show: str = ""
    search: str = ""

    @classmethod
    def of(cls, request: HttpRequest) -> "Narrowing":
        """Read it from an address; what it does not know narrows nothing."""
        search = request.GET.get("q", "").replace("\x00", "").strip()[:LONGEST_SEARCH]
        return cls(request.GET.get("show", "")[:10], search)

    @property
    def address(self) -> str:
        """What follows an address so that it says the same, with its question mark; or nothing."""
        said = {name: value for name, value in (("show", self.show), ("q", self.search)) if value}
        return f"?{urlencode(said)}" if said else ""
