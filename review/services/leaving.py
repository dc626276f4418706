"""What somebody who leaves holds in the queue goes back to it."""

from django.db import transaction

from accounts.models import User
from core.errors import require
from projects.models import Project
from projects.permissions import may_manage
from review.models import PlaceState
from review.queries import places_held


@transaction.atomic
def release_leases(*, actor: User, project: Project, person: User) -> int:
    """Open the places that this person holds, for others to take; how many there were. Managers only.

    What they have answered already is kept, as it is where a lease runs out.
    """
    require(may_manage(actor, project))
    held = places_held(project, person).select_for_update(of=("self",))
    places = list(held)
    for place in places:
        place.state, place.claimed_by = PlaceState.OPEN, None
        place.claimed_at = place.lease_expires_at = None
        place.save(update_fields=["state", "claimed_by", "claimed_at", "lease_expires_at"])
    return len(places)
