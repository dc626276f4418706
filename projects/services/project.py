"""Services that create projects, change their settings, and archive them."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from core.errors import Unusable, require
from core.names import is_displayed, one_line
from projects import hooks
from projects.defaults import COMMONSENSE_TYPES, MORAL_STEMS
from projects.models import CommonsenseType, Membership, Project, Role
from projects.permissions import Permission, has_permission, manages, may_create_project
from projects.queries import current_guideline, current_types
from projects.request_cache import forget
from projects.services.guideline import publish_guideline

EDITABLE = (
    "name",
    "description",
    "currency",
    "licence",
    "moral_stem",
    "tasks",
    "writers_per_story",
    "items_per_writer",
    "most_stories_in_hand",
    "most_items_per_person",
    "days_to_write",
    "days_to_review",
    "options_per_item",
    "machine_items_per_story",
    "reviews_per_item",
    "plan_overlap",
    "solve_together",
    "gold_rate",
    "pass_rating",
    "reviewer_may_verify",
    "lease_minutes",
    "split_rule",
    "train_share",
    "dev_share",
    "rate_item",
    "rate_verified",
    "rate_review",
    "rate_hour",
)


def _clean(project: Project) -> None:
    try:
        # without the table's constraints, each of which takes a query: the fields and the two checks below
        # cover them
        project.full_clean(validate_constraints=False)
        _check_scale(project)
        _check_shares(project)
    except ValidationError as error:
        fields = {name: " ".join(messages) for name, messages in error.message_dict.items()}
        raise Unusable(fields) from error


def _check_scale(project: Project) -> None:
    if project.pass_rating > project.max_rating:
        message = _("The highest rating is %(most)d, so no item could pass.") % {"most": project.max_rating}
        raise ValidationError({"pass_rating": message})


def _check_shares(project: Project) -> None:
    if project.train_share + project.dev_share >= 1:
        raise ValidationError({"train_share": _("Train and dev must leave a share for test.")})


@transaction.atomic
def create_project(
    *,
    actor: User,
    slug: str,
    name: str,
    language: str,
    settings: Mapping[str, Any] | None = None,
    like: Project | None = None,
) -> Project:
    """Create a project with default types and settings. The actor becomes its manager.

    `like` is a project managed by the actor, whose settings, types, guideline and prompts are copied instead
    of the defaults; `settings` override them. People, stories and items are not copied. Raises `Forbidden` if
    the actor may not create projects, `Unusable`, naming the invalid fields.
    """
    require(may_create_project(actor))
    if like:
        require(manages(actor, like))
    project = Project(
        slug=slug, name=name, language=language, moral_stem=MORAL_STEMS.get(language, ""), created_by=actor
    )
    copied = {field: getattr(like, field) for field in EDITABLE} if like else {}
    if like and like.language != language:
        del copied["moral_stem"]
    for field, value in {**copied, **(settings or {}), "name": name}.items():
        _set(project, field, value)
    _clean(project)
    project.save()
    fields = ("code", "name_zh", "name_en", "meaning_zh", "meaning_en")
    named = current_types(like).values(*fields) if like else [each._asdict() for each in COMMONSENSE_TYPES]
    CommonsenseType.objects.bulk_create(
        CommonsenseType(project=project, order=order, **one) for order, one in enumerate(named)
    )
    if not actor.is_system:
        Membership.objects.create(project=project, user=actor, role=Role.MANAGER)
        forget()
    record_event(
        actor=actor, verb="create_project", subject=project, detail={"like": like.slug} if like else {}
    )
    if like:
        guideline = current_guideline(like)
        if guideline is not None:
            publish_guideline(actor=actor, project=project, text=guideline.text)
        hooks.announce_copy(actor, project, like)
    return project


@transaction.atomic
def set_archived(*, actor: User, project: Project, archived: bool) -> None:
    """Archive a project, which makes it read-only, or restore it. Only managers may."""
    require(manages(actor, project))
    held = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    if (held.archived_at is not None) == archived:
        return
    project.archived_at = held.archived_at = timezone.now() if archived else None
    held.save(update_fields=["archived_at"])
    forget()
    verb = "archive_project" if archived else "restore_project"
    record_event(actor=actor, verb=verb, subject=project)


def _set(project: Project, field: str, value: Any) -> None:
    if field not in EDITABLE:
        raise Unusable(_("Unknown setting: %(field)s.") % {"field": field})
    if field == "name":
        value = one_line(str(value))
        if not is_displayed(value):
            raise Unusable(_("This name has characters that are not displayed. Remove them."), "name")
    setattr(project, field, value)


@transaction.atomic
def update_project(*, actor: User, project: Project, changes: Mapping[str, Any]) -> Project:
    """Change settings of the project. Only managers may. Raise `Unusable`, naming the invalid fields."""
    require(has_permission(actor, project, Permission.CHANGE_PROJECT))
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
    """Return the value in a form that the JSON of the audit trail can store."""
    return str(value) if isinstance(value, Decimal) else value
