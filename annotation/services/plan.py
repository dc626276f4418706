"""Services that set the targets of a project's types."""

from collections.abc import Mapping

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from annotation.models import TypeTarget
from annotation.models.plan import MOST_PER_STORY
from annotation.plan import Target
from core.errors import Unusable, require
from projects.models import Project
from projects.permissions import Permission, has_permission
from projects.queries import current_types

WHOLE = 100


@transaction.atomic
def set_type_targets(*, actor: User, project: Project, targets: Mapping[str, Target]) -> None:
    """Set the targets of the project's current types, by code of the type. Types left out get no target.

    Only managers may. Without any target, `take_next_story` considers only the numbers of writers. Raise
    `Unusable` naming the type.
    """
    require(has_permission(actor, project, Permission.CHANGE_WRITING))
    kinds = {kind.code: kind for kind in current_types(project)}
    faults = {code: _("Not a current type of this project.") for code in targets if code not in kinds}
    for code, target in targets.items():
        if not 0 <= target.per_story <= MOST_PER_STORY:
            faults[code] = _("Enter 0 to %(most)d items per story.") % {"most": MOST_PER_STORY}
        if not 0 <= target.share <= WHOLE:
            faults[code] = _("Enter a share of 0 to 100 percent.")
    if sum(target.share for target in targets.values()) > WHOLE:
        faults["share"] = _("The shares add up to more than 100 percent.")
    if faults:
        raise Unusable(faults)
    TypeTarget.objects.filter(type__project=project).delete()  # set anew below
    TypeTarget.objects.bulk_create(
        TypeTarget(type=kinds[code], per_story=target.per_story, share=target.share)
        for code, target in targets.items()
    )
    detail = {code: [target.per_story, target.share] for code, target in targets.items()}
    record_event(actor=actor, verb="set_type_targets", subject=project, detail=detail)


def copy_targets(actor: User, project: Project, like: Project) -> None:
    """Copy the targets of the project `like` to the types of `project` with the same codes."""
    found = TypeTarget.objects.filter(type__project=like, type__retired_at=None).order_by("pk")
    rows = found.values_list("type__code", "per_story", "share")
    if targets := {code: Target(per_story, share) for code, per_story, share in rows}:
        set_type_targets(actor=actor, project=project, targets=targets)
