"""Projects and their settings."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from core.errors import Unusable, require
from projects.defaults import COMMONSENSE_TYPES, MORAL_STEMS
from projects.models import CommonsenseType, Membership, Project, Role
from projects.permissions import may_create_project, may_manage
from projects.request_cache import forget

EDITABLE = (
    "name",
    "description",
    "currency",
    "licence",
    "moral_stem",
    "writers_per_story",
    "items_per_writer",
    "most_stories_in_hand",
    "most_items_per_person",
    "days_to_write",
    "options_per_item",
    "machine_items_per_story",
    "reviews_per_item",
    "plan_overlap",
    "gold_rate",
    "pass_rating",
    "reviewer_may_verify",
    "lease_minutes",
    "split_rule",
    "rate_item",
    "rate_verified",
    "rate_review",
    "rate_hour",
)


def _clean(project: Project) -> None:
    try:
        project.full_clean(validate_constraints=False)
        _check_scale(project)
        project.validate_constraints()
    except ValidationError as error:
        fields = {name: " ".join(messages) for name, messages in error.message_dict.items()}
        raise Unusable(" ".join(fields.values()), fields) from error


def _check_scale(project: Project) -> None:
    if project.pass_rating > project.max_rating:
        message = _("The highest rating is %(most)d; no item could pass.") % {"most": project.max_rating}
        raise ValidationError({"pass_rating": message})


@transaction.atomic
def create_project(
    *, actor: User, slug: str, name: str, language: str, settings: Mapping[str, Any] | None = None
) -> Project:
    """Create a project with the default types and targets; its creator becomes its manager.

    Raises `Forbidden` where the actor may not, `Unusable` naming the fields that will not do.
    """
    require(may_create_project(actor))
    project = Project(
        slug=slug, name=name, language=language, moral_stem=MORAL_STEMS.get(language, ""), created_by=actor
    )
    for field, value in (settings or {}).items():
        _set(project, field, value)
    _clean(project)
    project.save()
    CommonsenseType.objects.bulk_create(
        CommonsenseType(project=project, order=order, **default._asdict())
        for order, default in enumerate(COMMONSENSE_TYPES)
    )
    if not actor.is_system:
        Membership.objects.create(project=project, user=actor, role=Role.MANAGER)
        forget()
    record_event(actor=actor, verb="create_project", subject=project)
    return project


def _set(project: Project, field: str, value: Any) -> None:
    if field not in EDITABLE:
        raise Unusable(_("There is no such setting: %(field)s.") % {"field": field})
    setattr(project, field, value)


@transaction.atomic
def update_project(*, actor: User, project: Project, changes: Mapping[str, Any]) -> Project:
    """Change settings of the project; only managers. Raises `Unusable` naming the fields."""
    require(may_manage(actor, project))
    before = {field: getattr(project, field) for field in changes if field in EDITABLE}
    for field, value in changes.items():
        _set(project, field, value)
    _clean(project)
    project.save(update_fields=list(changes))
    changed = {
        field: [_plain(old), _plain(getattr(project, field))]
        for field, old in before.items()
        if old != getattr(project, field)
    }
    if changed:
        record_event(actor=actor, verb="update_project", subject=project, detail=changed)
    return project


def _plain(value: Any) -> Any:
    """The value as the audit trail, which is JSON, can hold it."""
    return str(value) if isinstance(value, Decimal) else value
