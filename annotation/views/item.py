"""What pages of stories show of their items, by fragment."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotation.permissions import may_see_moral
from annotation.queries.item import by_story, find_items
from annotation.queries.pilot import stories_kept_from
from core.errors import require
from corpus.queries import get_story
from projects.permissions import may_manage
from projects.queries import get_project
from web.requests import MemberRequest

PAGE = 50


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
