"""Page that lists the stories with the number of their items of each type, linked to the items."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.http import require_GET

from dashboard.queries.coverage import BUCKETS, COVERING, MOST_ITEMS, Covered, CoveredStories, TypeCoverage
from dashboard.queries.overview import STORY, TYPE
from dashboard.views.figures import bucket_names
from dashboard.views.item_links import ItemLinks
from projects.models import CommonsenseType, Project
from projects.page import project_page
from projects.permissions import Permission
from projects.queries import current_types
from web.requests import MemberRequest

PAGE: Final = 50


@project_page(Permission.SEE_PROJECT)
@require_GET
def show(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the stories with their number of items by type.

    They can be filtered by the number of items of one type.
    """
    kinds, language = list(current_types(project)), get_language() or "en"
    kind = next((one for one in kinds if one.code == request.GET.get("kind")), None)
    least, most = _number(request, "least", 0), _number(request, "most", MOST_ITEMS)
    found = CoveredStories(project, kinds, kind, least, most)
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    links = ItemLinks(project, {one.pk: one for one in kinds})
    context = {
        "project": project,
        "section": "overview",
        "names": [one.name_in(language) for one in kinds],
        "rows": [(one, *story_cells(links, one, kinds)) for one in page],
        "page_obj": page,
        "narrowed": f"{kind.name_in(language)}: {_said(least, most)}" if kind else "",
    }
    return render(request, "dashboard/coverage.html", context)


def _number(request: HttpRequest, name: str, default: int) -> int:
    asked = request.GET.get(name, "")
    return min(int(asked), MOST_ITEMS) if asked.isdecimal() and len(asked) < 12 else default


def _said(least: int, most: int) -> str:
    exact = dict(zip(BUCKETS, bucket_names(), strict=True))
    if least == most and least in BUCKETS[:-1]:
        return exact[least]
    return f"{least}–{most}" if most < MOST_ITEMS else f"≥ {least}"


def story_cells(
    links: ItemLinks, one: Covered, kinds: Sequence[CommonsenseType]
) -> tuple[str, list[tuple[int, str]]]:
    """Return a link to the story's items, and for each type the number of items with a link.

    The links select items in the states that count for coverage.
    """
    links = links.narrowed(STORY, one.story.pk)
    cells = [
        (n, links.narrowed(TYPE, kind.pk).to(state=COVERING))
        for n, kind in zip(one.by_type, kinds, strict=True)
    ]
    return links.to(state=COVERING), cells


def stories_url(project: Project, kind: CommonsenseType, least: int, most: int | None = None) -> str:
    """Return the address of the stories with at least `least` and at most `most` items of a type."""
    query = {"kind": kind.code, "least": least} | ({} if most is None else {"most": most})
    return f"{reverse('dashboard:coverage', args=[project.slug])}?{urlencode(query)}"


def type_cells(project: Project, one: TypeCoverage) -> list[tuple[int, str]]:
    """Return how many stories have 0, 1, 2, and 3 or more items of a type, each number with a link."""
    *exact, last = BUCKETS
    urls = [stories_url(project, one.type, n, n) for n in exact]
    return list(zip(one.stories, [*urls, stories_url(project, one.type, last)], strict=True))
