"""Template tags: the last bulk action on a list, for pages of other apps."""

from django import template
from django.template import Context

from dashboard.models import Verb
from dashboard.queries.bulk import last_bulk
from dashboard.views.long_list import done_context
from dashboard.views.story_list import STORY_LIST

register = template.Library()


@register.inclusion_tag("dashboard/_last_grouping.html", takes_context=True)
def last_grouping(context: Context) -> dict[str, object]:
    """Return the context of the undo button for the manager's last grouping of stories, or {}."""
    request, project = context["request"], context["project"]
    done = last_bulk(request.user, project, STORY_LIST.name)
    if done is None or done.verb != Verb.GROUP:
        return {}
    shown = {"done": done, "project": project, "csrf_token": context.get("csrf_token")}
    return {**shown, **done_context(STORY_LIST, done)}
