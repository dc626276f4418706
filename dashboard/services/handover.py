"""Service that hands over all work of a departing member, both as writer and as reviewer."""

from django.db import transaction

from accounts.models import User
from annotation.models import HandOver
from annotation.services import hand_over_work
from core.errors import require
from projects.models import Project
from projects.permissions import Permission, has_permission
from review.services import release_leases


@transaction.atomic
def hand_over(*, actor: User, project: Project, departing: User, receiver: User | None) -> HandOver:
    """Hand over a departing member's stories, items and drafts, and release the member's claimed requests.

    Raise the errors of `hand_over_work`; in that case nothing is changed.
    """
    require(has_permission(actor, project, Permission.CHANGE_WRITING))
    leases = release_leases(actor=actor, project=project, person=departing)
    return hand_over_work(actor=actor, project=project, departing=departing, receiver=receiver, leases=leases)
