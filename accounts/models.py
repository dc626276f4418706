"""Models of users, sessions and the audit trail. They do not depend on projects and items."""

from importlib import import_module
from typing import ClassVar, cast

from django.conf import settings
from django.contrib.auth.models import AbstractUser, UserManager
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.base_session import AbstractBaseSession, BaseSessionManager
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _


class User(AbstractUser):
    """A user of the site, or an imported writer's name without an account.

    An imported name (`is_placeholder`) cannot sign in. A closed account keeps its row and id, so that the
    user's authorship remains known.
    """

    first_name = None  # type: ignore[assignment]  # one name, in the order its owner writes it
    last_name = None  # type: ignore[assignment]  # as above

    name = models.CharField(_("name"), max_length=150)
    language = models.CharField(
        _("language"), max_length=10, blank=True, help_text=_("Empty: same as browser.")
    )
    time_zone = models.CharField(_("time zone"), max_length=64, blank=True)
    may_create_projects = models.BooleanField(_("may create projects"), default=False)
    is_placeholder = models.BooleanField(_("cannot sign in"), default=False)
    is_system = models.BooleanField(_("runs commands"), default=False)
    # part of the token of every password link, so that incrementing it makes all earlier links invalid
    reset_links_revoked = models.PositiveIntegerField(default=0, editable=False)
    closed_at = models.DateTimeField(_("closed at"), null=True, blank=True)
    # the inbox: when it was last opened, since when events count as new, and until when they are read
    inbox_seen_at = models.DateTimeField(null=True, blank=True, editable=False)
    inbox_new_since = models.DateTimeField(null=True, blank=True, editable=False)
    inbox_read_at = models.DateTimeField(null=True, blank=True, editable=False)
    wants_mail = models.BooleanField(_("gets a daily mail"), default=False)
    mailed_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects: ClassVar[UserManager["User"]] = UserManager()  # type: ignore[assignment]  # stubs say Self

    REQUIRED_FIELDS: ClassVar[list[str]] = ["name"]

    class Meta:
        verbose_name = _("person")
        verbose_name_plural = _("people")
        constraints = [
            models.UniqueConstraint(Lower("username"), name="accounts_user_username_ci"),
            models.UniqueConstraint(
                fields=["is_system"], condition=models.Q(is_system=True), name="accounts_one_system_account"
            ),
            models.CheckConstraint(
                condition=models.Q(is_placeholder=False) | models.Q(is_active=False),
                name="accounts_placeholder_cannot_sign_in",
            ),
        ]

    def __str__(self) -> str:
        return self.name or self.username

    def get_full_name(self) -> str:
        """Return the user's only name."""
        return self.name

    def get_short_name(self) -> str:
        """Return the user's only name."""
        return self.name


class UserSession(AbstractBaseSession):
    """A session with its user and the data that the list of sessions displays."""

    user = models.ForeignKey(
        User, on_delete=models.CASCADE, null=True, related_name="sessions", verbose_name=_("person")
    )
    address = models.CharField(_("address"), max_length=64, blank=True)
    user_agent = models.CharField(_("browser"), max_length=200, blank=True)
    since = models.DateTimeField(_("since"), null=True)
    seen_at = models.DateTimeField(_("last seen"), null=True)

    objects: ClassVar[BaseSessionManager["UserSession"]] = BaseSessionManager()  # type: ignore[assignment]  # the stubs give it to the base

    class Meta:
        verbose_name = _("session")
        verbose_name_plural = _("sessions")

    @classmethod
    def get_session_store_class(cls) -> type[SessionBase]:
        """Return the class of the configured session store, as Django's session manager requires."""
        return cast("type[SessionBase]", import_module(settings.SESSION_ENGINE).SessionStore)


class Scope(models.TextChoices):
    """A part of the programming interface that an access token opens."""

    READ = "read", _("read")
    WRITE = "write", _("write items and stories")
    REVIEW = "review", _("review items")
    MANAGE = "manage", _("manage projects")


class IdempotencyKey(models.Model):
    """A request that a client may repeat without further effect, and its first response."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=255)
    operation = models.CharField(max_length=300)
    digest = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True)
    body = models.JSONField(null=True)
    headers = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="accounts_idempotency_key")]

    def __str__(self) -> str:
        return f"{self.operation} {self.key}"


class AuditEvent(models.Model):
    """An event of the audit trail. Append-only: a trigger refuses changes.

    Only addresses and browsers are removed from the details of events, after 90 days.
    """

    actor = models.ForeignKey(
        User, on_delete=models.PROTECT, related_name="audit_events", verbose_name=_("actor")
    )
    verb = models.CharField(_("action"), max_length=64)
    subject_type = models.CharField(_("object type"), max_length=64)
    subject_id = models.BigIntegerField(_("object id"))
    detail = models.JSONField(_("detail"), default=dict)
    at = models.DateTimeField(_("when"), auto_now_add=True)

    class Meta:
        verbose_name = _("audit event")
        verbose_name_plural = _("audit events")
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["subject_type", "subject_id"], name="accounts_audit_subject"),
            models.Index(
                fields=["id"],
                condition=models.Q(detail__has_any_keys=["address", "browser"]),
                name="accounts_audit_addresses",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.verb} {self.subject_type} {self.subject_id}"
