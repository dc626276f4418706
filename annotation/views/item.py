"""Lists of items, and what other pages show of them by fragment."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.views.decorators.http import require_GET

from annotation.content import from_json
from annotation.forms import ItemFilter
from annotation.models import Item
from annotation.permissions import may_see_moral
from annotation.queries.item import by_story, find_items, item_writers, lacking, spec_of, story_was_reworded
from annotation.queries.pilot import stories_kept_from
from annotation.services import describe
from annotation.views.sheet import WITH_WRITER
from core.errors import require
from corpus.queries import get_story
from projects.models import CommonsenseType, Project
from projects.permissions import may_manage
from projects.queries import current_types, get_project
from web.requests import MemberRequest

PAGE = 50


@login_required
@require_GET
def items(request: MemberRequest, slug: str) -> HttpResponse:
    """One's own items, a manager's all, narrowed by what stands in the address."""
    project = get_project(user=request.user, slug=slug)
    manages = bool(may_manage(request.user, project))
    kinds = list(current_types(project))
    narrowing = ItemFilter(request.GET, kinds=kinds, writers=item_writers(project) if manages else None)
    wanted = narrowing.wanted()
    found = find_items(user=request.user, project=project, **wanted)
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    context = {
        "project": project,
        "section": "items",
        "filter": narrowing,
        "narrowed": bool(wanted),
        "page_obj": page,
        "rows": [_row(item, project, kinds) for item in page],
        "may_manage": manages,
    }
    return render(request, "annotation/items.html", context)


def _row(item: Item, project: Project, kinds: list[CommonsenseType]) -> dict[str, Any]:
    language = get_language() or ""
    row: dict[str, Any] = {
        "item": item,
        "with_writer": item.state in WITH_WRITER,
        "reworded": story_was_reworded(item),
    }
    if item.current is not None:
        types = [kind.name_in(language) for kind in item.current.types.all()]
        return row | {"stem": item.current.stem, "types": types, "lacks": []}
    drafts = sorted(item.drafts.all(), key=lambda draft: draft.pk)
    content = from_json(drafts[0].content if drafts else None)
    found = lacking(content, task=item.task, spec=spec_of(project, kinds))
    names = {kind.code: kind.name_in(language) for kind in kinds}
    types = [names.get(code, code) for code in content.types]
    return row | {"stem": content.stem, "types": types, "lacks": [describe(finding) for finding in found]}


@login_required
@require_GET
def story_items(request: MemberRequest, slug: str, pk: int) -> HttpResponse:
    """The items of one story that this person may see: a fragment of the story's page."""
    project = get_project(user=request.user, slug=slug)
    require(may_see_moral(request.user, project))  # writers and managers: their items show their state
    story = get_story(user=request.user, project=project, pk=pk)
    found = find_items(user=request.user, project=project).filter(story=story)
    context = {"project": project, "story": story, "items": found[:PAGE]}
    return render(request, "annotation/_story_items.html", context)


@login_required
@require_GET
def story_counts(request: MemberRequest, slug: str) -> HttpResponse:
    """How many items and writers each of some stories has: a fragment of the list of stories."""
    project = get_project(user=request.user, slug=slug)
    wanted = [
        int(text) for text in request.GET.getlist("story")[:PAGE] if text.isdecimal() and len(text) < 19
    ]
    # in a pilot that runs, how many others have written is not told
    kept = [] if may_manage(request.user, project) else stories_kept_from(request.user, project)
    context = {"project": project, "stories": by_story(project).filter(pk__in=wanted).exclude(pk__in=kept)}
    return render(request, "annotation/_story_counts.html", context)
