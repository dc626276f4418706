"""Page of the list of candidates. Users who may still solve an item do not see its candidates' texts."""

from collections.abc import Sequence
from typing import Final

from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

from accounts.models import User
from annotation.queries.item import items_seen_by
from dashboard.queries.candidate_list import (
    CANDIDATES,
    candidates_asked,
    candidates_listing,
    items_using,
)
from dashboard.views.list_page import EXPORT, ListPage
from generation.models import Candidate, Purpose
from generation.queries.candidate import known_among
from generation.resources import CandidateResource
from generation.services import record_candidates_exported
from projects.models import Project
from projects.permissions import Permission
from web.long_list import Action, Asked, Page, excerpt, marked
from web.requests import signed_in

LONGEST: Final = 300
ACTIONS: Final = (
    Action(
        EXPORT,
        gettext_lazy("Export"),
        title=ngettext_lazy("Export %(n)d candidate", "Export %(n)d candidates", "n"),
        note=gettext_lazy(
            "The file contains the text of all of them."
            " Exporting ends your blind status for the items that they are for."
        ),
        for_all=True,
    ),
)


def _context(request: HttpRequest, project: Project, asked: Asked, page: Page) -> dict[str, object]:
    """Return the rows of the page's candidates, in the page's order.

    The number of statements is constant.
    """
    user, pks = signed_in(request), page.pks
    candidates = Candidate.objects.select_related("story__current", "template").defer("story__current__moral")
    found, known, using = candidates.in_bulk(pks), known_among(user, pks), items_using(pks)
    items = {item for those in using.values() for item in those}
    opened = set(items_seen_by(user, project).filter(pk__in=items).values_list("pk", flat=True))
    rows = [
        {
            "candidate": found[pk],
            "text": _text(found[pk].text, asked) if pk in known else SafeString(),
            "is_for_stem": found[pk].template.purpose == Purpose.WRONG_OPTIONS,
            # the ids of the items that use it, and whether this user may open each
            "items": [(item, item in opened) for item in using.get(pk, ())],
        }
        for pk in pks
        if pk in found
    ]
    return {"rows": rows}


def _text(text: str, asked: Asked) -> SafeString:
    if len(text) <= LONGEST:
        return marked(text, asked.terms)
    return excerpt(text, asked.terms, around=LONGEST // 4) or marked(f"{text[:LONGEST]}…", ())


def _tabs(_held: Permission) -> list[tuple[str, str]]:
    return [
        (_("All"), ""),
        (_("Used"), "used=yes"),
        (_("Not used"), "used=no"),
    ]


def _record(*, actor: User, project: Project, kind: str, rows: Sequence[int]) -> None:
    chosen = Candidate.objects.filter(project=project, pk__in=rows)
    record_candidates_exported(actor=actor, project=project, kind=kind, candidates=chosen)


CANDIDATE_LIST: Final = ListPage(
    CANDIDATES,
    listing=lambda _user, project: candidates_listing(project),
    asked=candidates_asked,
    context=_context,
    tabs=_tabs,
    actions=ACTIONS,
    resource=CandidateResource,
    label=gettext_lazy("Candidates"),
    record=_record,
    permission=Permission.SEE_CANDIDATES,
)
