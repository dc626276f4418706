"""Services that save and delete mappings from fields to columns for later imports."""

from collections.abc import Mapping
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from core.errors import Conflict, Unusable, require
from corpus.models import SavedMapping
from projects.models import Project
from projects.permissions import may_manage

MOST_MAPPINGS: Final = 50
LONGEST_NAME: Final = 80


@transaction.atomic
def save_mapping(
    *, actor: User, project: Project, purpose: str, name: str, columns: Mapping[str, str | list[str]]
) -> SavedMapping:
    """Save a mapping from fields to columns under a name, replacing an earlier one with the same name.

    Raises `Unusable` for an invalid `name`, `Conflict` if the project has too many mappings.
    """
    require(may_manage(actor, project))
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME:
        raise Unusable(_("Enter a name of at most %(most)d characters.") % {"most": LONGEST_NAME}, "name")
    saved = SavedMapping.objects.filter(project=project, purpose=purpose)
    if saved.exclude(name=name).count() >= MOST_MAPPINGS:
        message = _("At most %(most)d mappings can be saved. Delete one first.")
        raise Conflict(message % {"most": MOST_MAPPINGS})
    return saved.update_or_create(
        project=project,
        purpose=purpose,
        name=name,
        defaults={"columns": dict(columns), "created_by": actor},
    )[0]


@transaction.atomic
def delete_mapping(*, actor: User, mapping: SavedMapping) -> None:
    """Delete a saved mapping. Imports that used it do not change."""
    require(may_manage(actor, mapping.project))
    mapping.delete()  # a saved mapping
