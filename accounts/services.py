"""The only writer of people and of the audit trail."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from accounts.errors import Conflict, Unusable
from accounts.models import AuditEvent, User

SYSTEM_USERNAME = "parable-system"


def record_event(
    *, actor: User, verb: str, subject: Any, detail: Mapping[str, Any] | None = None
) -> AuditEvent:
    """Write one line of the audit trail about `subject`, a saved model instance."""
    return AuditEvent.objects.create(
        actor=actor,
        verb=verb,
        subject_type=subject._meta.label_lower,
        subject_id=subject.pk,
        detail=dict(detail or {}),
    )


def system_account() -> User:
    """The account that the audit trail names where no person acted; made when first needed."""
    user, _created = User.objects.get_or_create(
        is_system=True,
        defaults={
            "username": SYSTEM_USERNAME,
            "name": "Parable",
            "is_active": False,
            "is_placeholder": True,
            "password": "!",
        },
    )
    return user


@transaction.atomic
def create_user(
    *,
    actor: User,
    username: str,
    name: str,
    password: str,
    may_create_projects: bool = False,
    is_administrator: bool = False,
    language: str = "",
) -> User:
    """Create somebody who can sign in.

    Raises `Conflict` where the user name is taken, `Unusable` where name or password will not do.
    """
    user = User(
        username=unicodedata.normalize("NFKC", username.strip()),
        name=name.strip() or username,
        may_create_projects=may_create_projects,
        is_staff=is_administrator,
        is_superuser=is_administrator,
        language=language,
    )
    _check_password(password, user)
    user.set_password(password)
    _save_new(user)
    record_event(actor=actor, verb="create_user", subject=user)
    return user


def _check_password(password: str, user: User) -> None:
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise Unusable(" ".join(error.messages), {"password": " ".join(error.messages)}) from error


def _save_new(user: User) -> None:
    try:
        user.clean_fields(exclude=["password"])
    except ValidationError as error:
        fields = {name: " ".join(messages) for name, messages in error.message_dict.items()}
        raise Unusable(" ".join(fields.values()), fields) from error
    try:
        with transaction.atomic():
            user.save()
    except IntegrityError as error:
        message = _("The user name “%(name)s” is taken. Please choose another.") % {"name": user.username}
        raise Conflict(message) from error


@transaction.atomic
def get_or_create_placeholder(*, actor: User, name: str) -> User:
    """The person of this name that imports brought in; never an account that can sign in."""
    name = " ".join(unicodedata.normalize("NFKC", name).split())
    if not name:
        raise Unusable(_("The writer's name is empty."), {"writer": _("empty")})
    found = User.objects.filter(name=name, is_placeholder=True, is_system=False).first()
    if found:
        return found
    return _create_placeholder(actor=actor, name=name)


def _create_placeholder(*, actor: User, name: str) -> User:
    stem = re.sub(r"[^\w.@+-]+", "-", name).strip("-")[:100] or "writer"
    taken = set(
        User.objects.filter(username__startswith=f"imported-{stem}").values_list("username", flat=True)
    )
    username, number = f"imported-{stem}", 1
    while username in taken:
        number += 1
        username = f"imported-{stem}-{number}"
    user = User(username=username, name=name, is_active=False, is_placeholder=True)
    user.set_unusable_password()
    user.save()
    record_event(actor=actor, verb="import_writer", subject=user)
    return user


@transaction.atomic
def set_password(*, actor: User, user: User, password: str) -> None:
    """Give somebody a new password; raises `Unusable` where it is too weak."""
    _check_password(password, user)
    user.set_password(password)
    user.save(update_fields=["password"])
    record_event(actor=actor, verb="set_password", subject=user)


@transaction.atomic
def update_profile(*, actor: User, name: str, language: str, time_zone: str) -> None:
    """Change one's own name, interface language and time zone."""
    actor.name, actor.language, actor.time_zone = name.strip() or actor.name, language, time_zone
    actor.save(update_fields=["name", "language", "time_zone"])
    record_event(actor=actor, verb="update_profile", subject=actor)
