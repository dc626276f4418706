"""Fragments about items that pages of stories include."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotation.permissions import may_see_moral
from annotation.queries.item import find_items
from core.errors import require
from corpus.queries import get_story
from projects.queries import get_project
from web.requests import MemberRequest

PAGE = 50


@login_required
@require_GET
def story_items(request: MemberRequest, slug: str, pk: int) -> HttpResponse:
    """Show the items of one story that this user may see, as a fragment."""
    project = get_project(user=request.user, slug=slug)
    require(may_see_moral(request.user, project))  # users who solve items blind must not learn their state
    story = get_story(user=request.user, project=project, pk=pk)
    found = find_items(user=request.user, project=project).filter(story=story)
    context = {"project": project, "story": story, "items": found[:PAGE]}
    return render(request, "annotation/_story_items.html", context)
