"""Pages of groups of similar stories, where managers confirm, reject and split groups."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.models import User
from core.errors import Unusable
from core.numbers import whole_number
from corpus import services
from corpus.models import Story
from corpus.page import posted_groups
from corpus.queries import (
    SEARCH,
    Suggestion,
    confirmed_groups,
    last_search,
    rejected_pairs,
    stories_by_key,
    suggestions,
)
from corpus.services import order_search
from jobs.hooks import dispatch
from parable.reading.differences import Part, word_diff
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from web.requests import MemberRequest

GROUPS: Final = 20
MOST_DIFFS: Final = 10
"""The most stories of a group that the page compares with the first; it only links to the others."""
SUGGESTED, CONFIRMED, REJECTED = "suggested", "confirmed", "rejected"


@dataclass(frozen=True, slots=True)
class Wording:
    """A story of a group with the differences between its text and the first story's.

    `parts` is None for the first story, and for those beyond `MOST_DIFFS`.
    """

    story: Story
    parts: list[Part] | None


@dataclass(frozen=True, slots=True)
class GroupView:
    """A group of stories for the template.

    `number` is the id of a confirmed group, `pair` that of a rejected pair; otherwise they are 0.
    """

    wordings: list[Wording]
    suggestion: Suggestion | None = None
    number: int = 0
    pair: int = 0
    by: str = ""

    @property
    def first(self) -> int:
        """The id of the first story; a posted decision identifies the group by it."""
        return self.wordings[0].story.pk

    @property
    def percent(self) -> int:
        """The lowest similarity of a suggestion's pairs, in per cent; 0 for other groups."""
        return round(self.suggestion.similarity * 100) if self.suggestion else 0


@project_page(Permission.SEE_STORIES, change=Permission.CHANGE_STORIES)
@require_http_methods(["GET", "POST"])
def similar(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the suggested, confirmed or rejected groups, with the differences between their stories.

    POST orders another search.
    """
    if request.method == "POST":
        order_search(actor=request.user, project=project)
        dispatch(SEARCH, project.pk)
        messages.info(request, _("Comparing stories; suggested groups will appear here."))
        return redirect("corpus:similar", project.slug)
    suggested, confirmed, rejected = suggestions(project), confirmed_groups(project), rejected_pairs(project)
    show = request.GET.get("show", SUGGESTED)
    listed: dict[str, Any] = {SUGGESTED: suggested, CONFIRMED: confirmed, REJECTED: rejected}
    show = show if show in listed else SUGGESTED
    page = Paginator(listed[show], GROUPS).get_page(request.GET.get("page"))
    context = {
        "project": project,
        "section": "stories",
        "search": last_search(project),
        "show": show,
        "counts": {SUGGESTED: len(suggested), CONFIRMED: confirmed.count(), REJECTED: rejected.count()},
        "page_obj": page,
        "groups": _SHOWN[show](page),
    }
    return render(request, "corpus/similar.html", context)


@project_page(Permission.CHANGE_STORIES)
@require_POST
def decide(request: MemberRequest, project: Project) -> HttpResponse:
    """Confirm, split or reject a group, or undo the rejection of a pair."""
    data = request.POST
    verb, _dash, about = data.get("decision", "").partition("-")
    try:
        if verb in _DECISIONS:
            messages.success(request, _DECISIONS[verb](request.user, project, data, whole_number(about) or 0))
    except Unusable as refused:
        messages.error(request, str(refused))
    if story := whole_number(data.get("back", "")):
        return redirect("corpus:story", project.slug, story)
    address = reverse("corpus:similar", args=[project.slug])
    show = data.get("show", "")
    return redirect(f"{address}?show={show}" if show in (CONFIRMED, REJECTED) else address)


def _confirm(user: User, project: Project, data: QueryDict, story: int) -> str:
    chosen, others = _group_with(story, data)
    group = services.confirm_group(actor=user, project=project, stories=chosen, others=others)
    return _("Group confirmed: %(n)d stories now count as one.") % {"n": group.stories.count()}


def _reject(user: User, project: Project, data: QueryDict, story: int) -> str:
    chosen, others = _group_with(story, data)
    services.reject_group(actor=user, project=project, stories=chosen | others)
    return _("Group rejected. These stories will not be suggested again.")


def _split(user: User, project: Project, _said: QueryDict, group: int) -> str:
    services.split_group(actor=user, project=project, group=group)
    return _("Group split. Each story counts by itself.")


def _reopen(user: User, project: Project, _said: QueryDict, pair: int) -> str:
    services.reopen_pair(actor=user, project=project, pair=pair)
    return _("These stories may be suggested again.")


_DECISIONS: Final[dict[str, Callable[[User, Project, QueryDict, int], str]]] = {
    "confirm": _confirm,
    "reject": _reject,
    "split": _split,
    "reopen": _reopen,
}
"""The function for each posted verb, which returns a message for the user.

Its last argument is the id of a story in the group (confirm, reject), a group (split) or a pair (reopen).
"""


def _group_with(story: int, data: QueryDict) -> tuple[set[int], set[int]]:
    """Return (ticked story ids, other story ids) of the posted group that contains this story.

    Return two empty sets if there is no such group.
    """
    found = (group for group in posted_groups(data) if story in group[0] | group[1])
    return next(found, (set(), set()))


def _suggested(page: Sequence[Suggestion]) -> list[GroupView]:
    stories = stories_by_key(pk for one in page for pk in one.stories)
    return [GroupView(_wordings([stories[pk] for pk in one.stories]), suggestion=one) for one in page]


def _confirmed(page: Any) -> list[GroupView]:
    return [
        GroupView(_wordings(list(group.stories.all())), number=group.pk, by=str(group.confirmed_by))
        for group in page
    ]


def _rejected(page: Any) -> list[GroupView]:
    return [
        GroupView(_wordings([pair.first, pair.second]), pair=pair.pk, by=str(pair.rejected_by))
        for pair in page
    ]


_SHOWN: Final[dict[str, Callable[[Any], list[GroupView]]]] = {
    SUGGESTED: _suggested,
    CONFIRMED: _confirmed,
    REJECTED: _rejected,
}


def _wordings(stories: Sequence[Story]) -> list[Wording]:
    first = _text(stories[0])
    return [
        Wording(story, word_diff(first, _text(story)) if 0 < index <= MOST_DIFFS else None)
        for index, story in enumerate(stories)
    ]


def _text(story: Story) -> str:
    return story.current.text if story.current else ""
