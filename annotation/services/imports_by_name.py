"""Items from files whose writer is only a name."""

from collections.abc import Sequence
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import get_or_create_placeholder
from annotation.services.imports import import_items
from core.errors import Unusable, require
from corpus.imports import ImportResult
from parable.formats.records import ItemRecord, Reading
from projects.models import Project
from projects.permissions import may_manage

LONGEST_NAME: Final = 150


@transaction.atomic
def import_items_as(
    *,
    actor: User,
    project: Project,
    readings: Sequence[Reading[ItemRecord]],
    state: str,
    writer_name: str,
    dry_run: bool = False,
) -> ImportResult:
    """As `import_items`, for a writer who cannot sign in and is made when first needed.

    Where nothing is imported, no writer is left behind either.
    """
    require(may_manage(actor, project))
    if len(writer_name) > LONGEST_NAME:
        message = _("The writer's name is too long: at most %(limit)d characters.") % {"limit": LONGEST_NAME}
        raise Unusable(message, {"writer": message})
    writer = get_or_create_placeholder(actor=actor, name=writer_name)
    result = import_items(
        actor=actor, project=project, readings=readings, state=state, writer=writer, dry_run=dry_run
    )
    if dry_run or result.is_broken:
        transaction.set_rollback(True)
    return result
