"""Queries of events, webhooks and deliveries."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Final
from urllib.parse import urlsplit

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.errors import Hidden, Unusable
from events.models import OPEN, Delivery, DeliveryState, Event, Webhook
from jobs.errors import KEY_UNREADABLE
from jobs.errors import sentence as sentence_of_jobs
from parable.llm.post import IN_THE_CLEAR
from projects.models import Project

GIVEN_UP_SHOWN: Final = timedelta(days=7)
"""A delivery that was given up is in the inbox of managers for so long."""
REFUSED: Final = "status"
HOST_NOT_ALLOWED: Final = "host_not_allowed"
SENTENCES: Final = {
    REFUSED: gettext_lazy("The receiver did not answer with a status 2xx."),
    HOST_NOT_ALLOWED: gettext_lazy("An administrator no longer allows this host."),
    KEY_UNREADABLE: gettext_lazy("The secret can no longer be decrypted. Replace it."),
    IN_THE_CLEAR: gettext_lazy("Events are sent over https:// only, or to this machine."),
    "address_inside": gettext_lazy(
        "The address is inside the network. An administrator can allow this host in the settings."
    ),
    "redirected": gettext_lazy("The receiver redirects, which is not followed. Check the URL."),
}
"""Why an attempt failed, by code, where the sentences of calls to models do not fit."""


def sentence(code: str) -> str:
    """Return why an attempt failed, in the current language; "" without a code."""
    known = SENTENCES.get(code)
    return str(known) if known is not None else sentence_of_jobs(code)


def events_after(project: Project, position: int) -> QuerySet[Event]:
    """Return the events of a project after a position that a reader has seen; 0 for all, oldest first.

    Raise `Unusable` if there is no such event: it was deleted, so that events may be missing in between.
    """
    found = Event.objects.filter(project=project, position__isnull=False)
    if position and not Event.objects.filter(position=position).exists():
        raise Unusable(
            _("There is no event %(id)d: events are kept for 90 days. Begin anew without “after”.")
            % {"id": position},
            "after",
        )
    return found.filter(position__gt=position).order_by("position")


def webhooks_of(project: Project) -> QuerySet[Webhook]:
    """Return the project's webhooks, oldest first."""
    return Webhook.objects.filter(project=project).select_related("created_by")


def get_webhook(*, project: Project, pk: int) -> Webhook:
    """Return a webhook of the project. Raise `Hidden` if there is none with this id."""
    webhook = webhooks_of(project).filter(pk=pk).first()
    if webhook is None:
        raise Hidden(_("Webhook not found."))
    webhook.project = project
    return webhook


def deliveries_of(webhook: Webhook) -> QuerySet[Delivery]:
    """Return the deliveries of a webhook with their events, newest first."""
    return Delivery.objects.filter(webhook=webhook).select_related("event")


def get_delivery(*, webhook: Webhook, pk: int) -> Delivery:
    """Return a delivery of the webhook. Raise `Hidden` if there is none with this id."""
    delivery = deliveries_of(webhook).filter(pk=pk).first()
    if delivery is None:
        raise Hidden(_("Delivery not found."))
    return delivery


def due_deliveries() -> QuerySet[Delivery]:
    """Return the deliveries to send now, those that have been due longest first.

    None is due while an earlier one of the same webhook, about the same object, is waiting or being sent.
    """
    earlier = Delivery.objects.filter(
        webhook=OuterRef("webhook"), about=OuterRef("about"), id__lt=OuterRef("id"), state__in=OPEN
    )
    found = Delivery.objects.filter(state__in=OPEN, next_at__lte=timezone.now()).exclude(Exists(earlier))
    return found.order_by("next_at", "id")


def free_webhooks() -> QuerySet[Webhook]:
    """Return the webhooks that are active, and that no worker sends to at present or has to let rest."""
    is_free = Q(busy_until=None) | Q(busy_until__lte=timezone.now())
    return Webhook.objects.filter(is_free, is_active=True)


def due_webhooks() -> list[int]:
    """Return the ids of the webhooks with deliveries to send now."""
    waiting = Delivery.objects.filter(webhook=OuterRef("pk"), state__in=OPEN, next_at__lte=timezone.now())
    return list(free_webhooks().filter(Exists(waiting)).order_by("pk").values_list("pk", flat=True))


def counts_of(webhooks: Iterable[Webhook]) -> dict[int, dict[str, int]]:
    """Return the numbers of waiting and of given-up deliveries by webhook, with one query."""
    found = Delivery.objects.filter(webhook__in=list(webhooks)).order_by()
    rows = found.values("webhook").annotate(
        waiting=Count("pk", filter=Q(state__in=OPEN)),
        given_up=Count("pk", filter=Q(state=DeliveryState.GIVEN_UP, repeated_at=None)),
    )
    return {row["webhook"]: {"waiting": row["waiting"], "given_up": row["given_up"]} for row in rows}


def given_up_in(projects: Iterable[int]) -> dict[int, int]:
    """Return the numbers of deliveries that were given up in the last days and not sent again, by project."""
    found = Delivery.objects.filter(
        webhook__project__in=list(projects),
        webhook__is_active=True,
        state=DeliveryState.GIVEN_UP,
        repeated_at=None,
        ended_at__gt=timezone.now() - GIVEN_UP_SHOWN,
    )
    rows = found.order_by().values(project=F("webhook__project")).annotate(n=Count("pk"))
    return {row["project"]: row["n"] for row in rows}


def host_of(webhook: Webhook) -> str:
    """Return the host of a webhook's URL, with its port if the URL has one."""
    return urlsplit(webhook.url).netloc


def payload(event: Event, slug: str) -> dict[str, object]:
    """Return an event as readers and receivers get it; `slug` is the short name of its project."""
    return {
        "id": event.position,
        "type": event.kind,
        "timestamp": event.at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "project": slug,
        "object": {"type": event.object_type, "id": event.object_id},
        "data": event.data,
    }
