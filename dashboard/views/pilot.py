"""Page of a pilot that compares the writers' items about the same story, for its manager."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from annotation.models import Item, Pilot
from annotation.queries.pilot import get_pilot, items_of_pilot
from annotation.services import record_key_exposures
from core.errors import Hidden
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from review.queries.verdict import verdicts_by_item
from web.requests import MemberRequest


@project_page(Permission.SEE_WRITING)
@require_GET
def pilot(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Show a pilot's items about one story, by writer.

    `?story=` selects the story; by default it is the first.
    """
    user = request.user
    found = get_pilot(project=project, pk=pk)
    story = request.GET.get("story", "")
    link = next((one for one in found.links.all() if not story or str(one.story_id) == story), None)
    if link is None:
        raise Hidden(_("This story is not part of the pilot."))
    items = list(items_of_pilot(found, link.story_id))
    record_key_exposures(actor=user, items=[item.pk for item in items])
    context = {
        "project": project,
        "section": "items",
        "pilot": found,
        "link": link,
        "columns": _columns(found, items),
        "notes": [each for each in found.links.all() if each.note and each != link],
    }
    return render(request, "dashboard/pilot.html", context)


def _columns(found: Pilot, items: list[Item]) -> list[dict[str, object]]:
    """Return the items by writer, with an empty list for writers without items."""
    language = get_language() or ""
    verdicts = verdicts_by_item(items)

    def row(item: Item) -> dict[str, object]:
        types = item.current.types.all() if item.current else []
        names = [kind.name_in(language) for kind in types]
        return {"item": item, "types": names, "reviews": verdicts.get(item.pk, [])}

    return [
        {"writer": writer, "items": [row(item) for item in items if item.writer_id == writer.pk]}
        for writer in sorted(found.writers.all(), key=lambda person: (person.name, person.pk))
    ]
