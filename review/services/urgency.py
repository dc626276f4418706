"""What a manager wants reviewed first."""

from collections.abc import Mapping

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from annotation.models import Item
from core.errors import Unusable, require
from projects.models import Project
from projects.permissions import may_manage
from review.models import PlaceState, Priority, ReviewRequest

WAITING = (PlaceState.OPEN, PlaceState.CLAIMED)


@transaction.atomic
def set_priority(
    *,
    actor: User,
    project: Project,
    items: QuerySet[Item],
    priority: int,
    chosen_by: Mapping[str, str | int] | None = None,
) -> int:
    """Have those of these items that wait reviewed first, or in turn again; how many changed. Managers only.

    What an item is given stays with it through later stages and revisions. `chosen_by`: the filter that
    the items were chosen by, for the audit trail.
    """
    require(may_manage(actor, project))
    if priority not in Priority.values:
        raise Unusable(_("Say when these items shall be reviewed."), {"priority": _("unknown")})
    places = ReviewRequest.objects.filter(state__in=WAITING).exclude(priority=priority)
    waiting = Item.objects.filter(Exists(places.filter(item=OuterRef("pk"))), project=project)
    # items before places, and by number, as everywhere: nobody waits in a circle
    locked = (
        waiting.filter(pk__in=items.order_by().values("pk")).order_by("pk").select_for_update(of=("self",))
    )
    changed = list(locked.values_list("pk", flat=True))
    places.filter(item__in=changed).update(priority=priority)
    if changed:
        detail = {"priority": priority, "items": len(changed), "chosen_by": dict(chosen_by or {})}
        record_event(actor=actor, verb="set_priority", subject=project, detail=detail)
    return len(changed)
