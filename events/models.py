"""Models of events, of the webhooks that get them, and of their deliveries."""

from typing import ClassVar, Final

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from projects.models import Project


class EventKind(models.TextChoices):
    """The types of events. The part before the point is the kind of object, except for `ABOUT` (services)."""

    STORIES_IMPORTED = "stories.imported", _("stories imported")
    ITEMS_IMPORTED = "items.imported", _("items imported")
    ITEM_SUBMITTED = "item.submitted", _("item submitted for review")
    ITEM_TO_VERIFICATION = "item.sent_to_verification", _("item sent to verification")
    ITEM_TO_ADJUDICATION = "item.sent_to_adjudication", _("item sent to adjudication")
    ITEM_VERIFIED = "item.verified", _("item verified")
    ITEM_RETURNED = "item.returned", _("item returned")
    ITEM_REJECTED = "item.rejected", _("item rejected")
    ITEM_WITHDRAWN = "item.withdrawn", _("item withdrawn")
    ITEM_RETIRED = "item.retired", _("item retired")
    REVIEW_VERDICT = "review.verdict", _("verdict on an item")
    RELEASE_READY = "release.ready", _("release ready")
    RELEASE_FAILED = "release.failed", _("release failed")
    RELEASE_WITHDRAWN = "release.withdrawn", _("release withdrawn")
    RELEASE_PUBLISHED = "release.published", _("public page of a release opened")
    RELEASE_UNPUBLISHED = "release.unpublished", _("public page of a release closed")
    BATCH_FINISHED = "batch.finished", _("batch of candidates finished")
    JOB_FINISHED = "job.finished", _("job finished")
    JOB_FAILED = "job.failed", _("job failed")
    JOB_CANCELLED = "job.cancelled", _("job cancelled")


def event_kinds() -> list[tuple[str, str | Promise]]:
    """Return the choices of kinds, which a migration does not repeat."""
    return [(kind.value, kind.label) for kind in EventKind]


class Event(models.Model):
    """Something that happened in a project. Append-only: a trigger refuses changes.

    It is written in the transaction of the change, so its id is drawn before the commit, and a larger id may
    be seen earlier. `position` is given to committed events, one process at a time: no event ever appears
    before one that a reader has seen. It is the id of the event for readers, who see no event without one.
    """

    # no index of its own: projects are not deleted, and readers use `events_by_project`
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+", db_index=False)
    kind = models.CharField(_("kind"), max_length=40, choices=event_kinds)
    # the kind and id of what it is about, such as item and 12; apps above may not be named by a foreign key
    object_type = models.CharField(_("object"), max_length=20)
    object_id = models.BigIntegerField(_("object ID"))
    # never a key, moral, option, answer or name: receivers read these by the API, with their own rights
    data = models.JSONField(_("data"), default=dict)
    at = models.DateTimeField(_("time"), default=timezone.now)
    position = models.BigIntegerField(_("ID for readers"), null=True)

    class Meta:
        verbose_name = _("event")
        verbose_name_plural = _("events")
        ordering: ClassVar[list[str]] = ["-id"]
        indexes = [
            models.Index(fields=["id"], condition=Q(position=None), name="events_without_position"),
            models.Index(
                fields=["project", "position"],
                condition=Q(position__isnull=False),
                name="events_by_project",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["position"], condition=Q(position__isnull=False), name="events_position"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.object_id}"


class Webhook(models.Model):
    """An address of a project's own programs, to which events of these types are sent.

    `sealed` is the encrypted secret with which deliveries are signed. `busy_until`: until then, a worker
    sends its deliveries, or its server rests after errors.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="webhooks")
    url = models.CharField(_("URL"), max_length=400)
    types = ArrayField(models.CharField(max_length=40, choices=event_kinds), verbose_name=_("events"))
    sealed = models.TextField(editable=False)
    is_active = models.BooleanField(_("active"), default=True)
    busy_until = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("webhook")
        verbose_name_plural = _("webhooks")
        ordering: ClassVar[list[str]] = ["id"]
        constraints = [
            models.CheckConstraint(condition=~Q(types=[]), name="events_webhook_has_a_type"),
        ]

    def __str__(self) -> str:
        return self.url


class DeliveryState(models.TextChoices):
    """The state of a delivery."""

    WAITING = "waiting", _("waiting")
    SENDING = "sending", _("being sent")
    DELIVERED = "delivered", _("delivered")
    GIVEN_UP = "given_up", _("given up")


OPEN: Final = (DeliveryState.WAITING, DeliveryState.SENDING)
"""The states of a delivery before which no later event about the same object is sent."""


class Delivery(models.Model):
    """One event on its way to one webhook, in the order in which the deliveries of the webhook were made.

    `next_at` is when it is sent next; while it is being sent, when the worker counts as lost.
    """

    webhook = models.ForeignKey(Webhook, on_delete=models.PROTECT, related_name="deliveries", db_index=False)
    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="deliveries")
    # the object of the event, such as item/12
    about = models.CharField(max_length=44)
    state = models.CharField(_("state"), max_length=10, choices=DeliveryState, default=DeliveryState.WAITING)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    next_at = models.DateTimeField(null=True, blank=True)
    # of the last attempt
    status = models.PositiveSmallIntegerField(_("status"), null=True, blank=True)
    seconds = models.FloatField(_("seconds"), null=True, blank=True)
    reason_code = models.CharField(max_length=40, blank=True)
    response = models.CharField(_("beginning of the response"), max_length=500, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    # sent again by a person, as another delivery
    is_repeat = models.BooleanField(default=False)
    repeated_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("delivery")
        verbose_name_plural = _("deliveries")
        ordering: ClassVar[list[str]] = ["-id"]
        indexes = [
            models.Index(fields=["webhook", "-id"], name="events_delivery_newest"),
            models.Index(
                fields=["webhook", "next_at", "id"],
                condition=Q(state__in=["waiting", "sending"]),
                name="events_delivery_due",
            ),
            models.Index(
                fields=["webhook", "about", "id"],
                condition=Q(state__in=["waiting", "sending"]),
                name="events_delivery_about",
            ),
            models.Index(
                fields=["webhook", "-ended_at"],
                condition=Q(state="given_up", repeated_at=None),
                name="events_delivery_given_up",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["webhook", "event"], condition=Q(is_repeat=False), name="events_delivery_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.webhook_id}: {self.event_id}"
