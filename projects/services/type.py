"""Services that add, rename, retire and restore commonsense types of a project."""

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from core.errors import Conflict, Unusable, require
from projects.models import CommonsenseType, Project
from projects.permissions import Permission, has_permission


def _clean(kind: CommonsenseType) -> None:
    try:
        kind.full_clean(validate_constraints=False)
    except ValidationError as error:
        fields = {name: " ".join(messages) for name, messages in error.message_dict.items()}
        raise Unusable(fields) from error


def _lock(project: Project) -> None:
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)


@transaction.atomic
def add_type(
    *,
    actor: User,
    project: Project,
    name_zh: str,
    name_en: str,
    meaning_zh: str = "",
    meaning_en: str = "",
    code: str = "",
) -> CommonsenseType:
    """Add a type at the end of the list. Without a code, it gets one derived from its English name.

    If only one name is given, it is used in both languages. Raises `Unusable`, naming the invalid fields, for
    example a code that the project has or had.
    """
    require(has_permission(actor, project, Permission.CHANGE_PROJECT))
    _lock(project)
    name_zh, name_en = name_zh.strip(), name_en.strip()
    if not (name_zh or name_en):
        raise Unusable(_("Give the type a name."), "name_en")
    theirs = CommonsenseType.objects.filter(project=project)
    order = (theirs.aggregate(last=Max("order"))["last"] or 0) + 1
    kind = CommonsenseType(
        project=project,
        code=code.strip() or slugify(name_en)[:30].strip("-") or f"type-{order + 1}",
        name_zh=name_zh or name_en,
        name_en=name_en or name_zh,
        meaning_zh=meaning_zh.strip(),
        meaning_en=meaning_en.strip(),
        order=order,
    )
    _clean(kind)
    if theirs.filter(code=kind.code).exists():
        message = _("The code “%(code)s” is, or was, used by another type.") % {"code": kind.code}
        raise Unusable(message, "code")
    kind.save()
    record_event(actor=actor, verb="add_type", subject=kind)
    return kind


@transaction.atomic
def rename_type(*, actor: User, kind: CommonsenseType, name_zh: str, name_en: str) -> CommonsenseType:
    """Change the names of a type. Its code and definition stay unchanged.

    Raises `Unusable`, naming the invalid fields.
    """
    require(has_permission(actor, kind.project, Permission.CHANGE_PROJECT))
    before = [kind.name_zh, kind.name_en]
    kind.name_zh, kind.name_en = name_zh.strip(), name_en.strip()
    _clean(kind)
    kind.save(update_fields=["name_zh", "name_en"])
    record_event(actor=actor, verb="rename_type", subject=kind, detail={"before": before})
    return kind


@transaction.atomic
def retire_type(*, actor: User, kind: CommonsenseType) -> None:
    """Retire a type, so that new items cannot have it. Existing items are not changed.

    Raises `Conflict` for the last type that is not retired.
    """
    require(has_permission(actor, kind.project, Permission.CHANGE_PROJECT))
    _lock(kind.project)
    others = CommonsenseType.objects.filter(project=kind.project, retired_at=None).exclude(pk=kind.pk)
    if not others.exists():
        raise Conflict(_("Commonsense items need at least one type. Add another first."))
    kind.retired_at = kind.retired_at or timezone.now()
    kind.save(update_fields=["retired_at"])
    record_event(actor=actor, verb="retire_type", subject=kind)


@transaction.atomic
def restore_type(*, actor: User, kind: CommonsenseType) -> None:
    """Restore a retired type, so that new items can have it again."""
    require(has_permission(actor, kind.project, Permission.CHANGE_PROJECT))
    kind.retired_at = None
    kind.save(update_fields=["retired_at"])
    record_event(actor=actor, verb="restore_type", subject=kind)
