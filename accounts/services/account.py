"""Services for accounts, passwords and profiles of users, and for the audit trail of all apps."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext as _

from accounts.hooks import announce_reset
from accounts.lookalikes import is_lookalike
from accounts.models import AuditEvent, User
from accounts.permissions import may_administer
from accounts.queries import ONE_VISIT, find_mailed_user, find_reset_user, subject_type_of, time_zones
from accounts.tokens import reset_tokens
from core.errors import Conflict, NameTaken, Unusable, require
from core.names import is_displayed, one_line

SYSTEM_USERNAME = "parable-system"


def record_event(
    *, actor: User, verb: str, subject: Any, detail: Mapping[str, Any] | None = None
) -> AuditEvent:
    """Add an event to the audit trail. `subject` is the saved model instance that the event is about."""
    return AuditEvent.objects.create(
        actor=actor,
        verb=verb,
        subject_type=subject_type_of(subject),
        subject_id=subject.pk,
        detail=dict(detail or {}),
    )


def system_account() -> User:
    """Return the account that acts instead of a user, such as for commands.

    Create it if needed.
    """
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
    password: str | None,
    may_create_projects: bool = False,
    is_administrator: bool = False,
    language: str = "",
    time_zone: str = "",
) -> User:
    """Create a user who can sign in. An unknown time zone is ignored.

    Without a password, the user can sign in after setting one with a link from a manager. Raises `Forbidden`
    if the actor may not create an administrator, `NameTaken` if the user name is taken or looks like an
    existing one, `Unusable` if name or password is not valid.
    """
    if is_administrator:
        require(may_administer(actor))
    user = User(
        username=unicodedata.normalize("NFKC", username.strip()),
        name=one_line(name) or username,
        may_create_projects=may_create_projects,
        is_staff=is_administrator,
        is_superuser=is_administrator,
        language=language,
        time_zone=time_zone if time_zone in time_zones() else "",
    )
    if password is not None:
        _check_password(password, user)
    user.set_password(password)
    taken = User.objects.values_list("username", flat=True)
    if any(is_lookalike(user.username, name) for name in taken.iterator()):
        text = _("The user name “%(name)s” is too similar to an existing one. Choose another.")
        raise NameTaken(text % {"name": user.username})
    _refuse_lookalike_name(user)
    _check_fields(user)
    try:
        with transaction.atomic():
            user.save()
    except IntegrityError as error:
        message = _("The user name “%(name)s” is already taken. Choose another.") % {"name": user.username}
        raise NameTaken(message) from error
    record_event(actor=actor, verb="create_user", subject=user)
    return user


def _check_password(password: str, user: User) -> None:
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise Unusable(" ".join(error.messages), "password") from error


def _refuse_lookalike_name(user: User) -> None:
    """Raise `Unusable` if another user's name looks the same, but consists of other characters."""
    others = User.objects.exclude(pk=user.pk).filter(is_placeholder=False).values_list("name", flat=True)
    if any(is_lookalike(user.name, name) for name in others.iterator()):
        message = _("This name is too similar to another person's name. Choose another spelling.")
        raise Unusable(message, "name")


def _check_fields(user: User) -> None:
    if not is_displayed(user.name):
        raise Unusable(_("This name has characters that are not displayed. Remove them."), "name")
    try:
        user.clean_fields(exclude=["password"])
    except ValidationError as error:
        fields = {name: " ".join(messages) for name, messages in error.message_dict.items()}
        raise Unusable(fields) from error


@transaction.atomic
def get_or_create_placeholder(*, actor: User, name: str) -> User:
    """Return the placeholder user for an imported writer's name; create it if needed.

    A placeholder cannot sign in. Raises `Unusable` if the name is empty.
    """
    name = " ".join(unicodedata.normalize("NFKC", name).split())
    if not name:
        raise Unusable(_("The writer's name is empty."), "writer")
    found = User.objects.filter(name=name, is_placeholder=True, is_system=False).first()
    if found:
        return found
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
    """Set a user's password. Raise `Unusable` if the password is too weak."""
    _check_password(password, user)
    user.set_password(password)
    user.save(update_fields=["password"])
    record_event(actor=actor, verb="set_password", subject=user)


@dataclass(frozen=True, slots=True)
class ResetLink:
    """The parts of a password link. The token is not stored anywhere."""

    uid: str
    token: str


@transaction.atomic
def make_reset_link(*, actor: User, user: User, detail: Mapping[str, Any] | None = None) -> ResetLink:
    """Create a link with which a user can set a new password once. The caller must check permission.

    Raises `Conflict` for users who cannot sign in.
    """
    if not user.is_active or user.is_placeholder:
        raise Conflict(_("This person cannot sign in."))
    record_event(actor=actor, verb="issue_reset_link", subject=user, detail=detail)
    uid = urlsafe_base64_encode(force_bytes(user.pk))
    return ResetLink(uid, reset_tokens.make_token(user))


def issue_reset_link(*, actor: User, user: User) -> ResetLink:
    """Create a link with which a user can set a new password. Only administrators may."""
    require(may_administer(actor))
    return make_reset_link(actor=actor, user=user)


def revoke_reset_links(*, user: User) -> None:
    """Invalidate all password links of a user. Services call this when they give the user more rights."""
    User.objects.filter(pk=user.pk).update(reset_links_revoked=F("reset_links_revoked") + 1)


@transaction.atomic
def set_password_by_link(*, uid: str, token: str, password: str) -> User:
    """Set a new password with a link; return the user.

    The link becomes invalid, and the user's other sessions and access tokens end. Raises `Conflict` for an
    expired link, `Unusable` if the password is too weak.
    """
    user = find_reset_user(uid=uid, token=token, lock=True)
    set_password(actor=user, user=user, password=password)
    announce_reset(user, user)
    return user


@transaction.atomic
def allow_projects(*, actor: User, user: User, allowed: bool) -> None:
    """Allow a user to create projects, or withdraw this permission. Only administrators may."""
    require(may_administer(actor))
    user.may_create_projects = allowed
    user.save(update_fields=["may_create_projects"])
    revoke_reset_links(user=user)
    record_event(actor=actor, verb="allow_projects", subject=user, detail={"allowed": allowed})


@transaction.atomic
def update_profile(
    *,
    actor: User,
    name: str,
    language: str,
    time_zone: str,
    email: str | None = None,
    wants_mail: bool | None = None,
) -> None:
    """Change the actor's own profile. If not given, mail address and daily mail stay unchanged.

    Raises `Unusable`, naming the invalid fields.
    """
    if time_zone and time_zone not in time_zones():
        message = _("Unknown time zone “%(zone)s”.") % {"zone": time_zone}
        raise Unusable(message, "time_zone")
    if email is not None:
        actor.email = email.strip()
    if wants_mail is not None:
        actor.wants_mail = wants_mail
    if actor.wants_mail and not actor.email:
        message = _("Enter a mail address.")
        raise Unusable(message, "email")
    before, actor.name, actor.time_zone = actor.name, one_line(name) or actor.name, time_zone
    actor.language = _known_language(language)
    _check_fields(actor)
    if actor.name != before:
        _refuse_lookalike_name(actor)
    actor.save(update_fields=["name", "language", "time_zone", "email", "wants_mail"])
    record_event(actor=actor, verb="update_profile", subject=actor)


@transaction.atomic
def choose_language(*, actor: User, language: str) -> None:
    """Set the actor's interface language; "" uses the language that the browser requests."""
    actor.language = _known_language(language)
    actor.save(update_fields=["language"])


def open_inbox(*, actor: User) -> None:
    """Record that the user opens the inbox now, and since when its entries count as new."""
    now, before = timezone.now(), actor.inbox_seen_at
    if before is None or now - before >= ONE_VISIT:
        actor.inbox_new_since = before
    actor.inbox_seen_at = now
    actor.save(update_fields=["inbox_seen_at", "inbox_new_since"])


def mark_inbox_read(*, actor: User, until: datetime | None) -> None:
    """Set the jobs in the inbox to read if they ended at `until` or before.

    If `until` is None, set all jobs to unread.
    """
    actor.inbox_read_at = until
    actor.save(update_fields=["inbox_read_at"])


def mark_mailed(*, user: User, at: datetime) -> None:
    """Save the time up to which the daily mail has informed the user."""
    User.objects.filter(pk=user.pk).update(mailed_at=at)


@transaction.atomic
def stop_mail(*, token: str) -> User:
    """Stop the daily mail of the user that the token belongs to.

    Raise `Conflict` if the token is not valid.
    """
    user = find_mailed_user(token)
    if user.wants_mail:
        user.wants_mail = False
        user.save(update_fields=["wants_mail"])
        record_event(actor=user, verb="stop_mail", subject=user)
    return user


def _known_language(language: str) -> str:
    if language and language not in dict(settings.LANGUAGES):
        message = _("The interface is not available in “%(language)s”.") % {"language": language}
        raise Unusable(message, "language")
    return language
