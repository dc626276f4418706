"""Somebody leaves: what lies with them in the writers' and the reviewers' hands moves at once."""

from django.db import transaction

from accounts.models import User
from annotation.models import HandOver
from annotation.services import hand_over_work
from core.errors import require
from projects.models import Project
from projects.permissions import Permission, has_permission
from review.services import release_leases


@transaction.atomic
def hand_over(*, actor: User, project: Project, leaver: User, receiver: User | None) -> HandOver:
    """Pass the leaver's stories, items and drafts on, and put their places back into the queue.

    Raises what `hand_over_work` raises; then nothing has moved.
    """
    require(has_permission(actor, project, Permission.CHANGE_WRITING))
    leases = release_leases(actor=actor, project=project, person=leaver)
    return hand_over_work(actor=actor, project=project, leaver=leaver, receiver=receiver, leases=leases)
