"""Services for ready releases: downloads and withdrawal."""

from collections.abc import Iterable
from typing import Final

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from annotation.models import Item
from annotation.services import record_key_exposures
from core.errors import Conflict, Unusable, require
from events.models import EventKind
from events.services import NewEvent, publish
from parable.formats.format import foreign_formats
from release.models import Release, ReleaseItem, ReleaseState, Split
from release.permissions import may_open_release, may_withdraw_release

WITHHELD_ANSWERS: Final = "withheld answers"
EVERYTHING: Final = "*"
FINE_TUNING: Final = "fine-tuning.zip"
KEYLESS: Final = ("MANIFEST.json", "croissant.json")


@transaction.atomic
def withdraw_release(*, actor: User, release: Release, reason: str) -> Release:
    """Withdraw a release: it remains listed with the reason, but its files cannot be downloaded.

    Raise `Unusable` without a reason, `Conflict` if the release is not ready.
    """
    require(may_withdraw_release(actor, release))
    if not reason.strip():
        raise Unusable(_("Enter a reason; it stays visible."), "reason")
    release = Release.objects.select_for_update(of=("self",)).select_related("project").get(pk=release.pk)
    if release.state != ReleaseState.READY:
        raise Conflict(_("Only a finished release can be withdrawn."))
    release.state, release.reason, release.withdrawn_at = (
        ReleaseState.WITHDRAWN,
        reason.strip(),
        timezone.now(),
    )
    release.save(update_fields=["state", "reason", "withdrawn_at"])
    record_event(actor=actor, verb="withdraw_release", subject=release, detail={"reason": release.reason})
    publish_release(release, EventKind.RELEASE_WITHDRAWN)
    return release


def publish_release(release: Release, kind: str) -> None:
    """Publish an event of this kind about a locked release."""
    publish([NewEvent(release.project_id, kind, release.pk, {"version": release.version})])


@transaction.atomic
def record_download(*, actor: User, release: Release, name: str) -> None:
    """Record that the actor downloads a file of a release, or all files. Managers only.

    A user who downloads keys can no longer answer these items blind, nor the moral items of their stories.
    """
    require(may_open_release(actor, release))
    record_event(actor=actor, verb="download_release", subject=release, detail={"file": name})
    record_file_exposure(actor=actor, release=release, name=name)


def record_file_exposure(*, actor: User, release: Release, name: str) -> None:
    """Record that the actor has seen the keys in a file of a release; do nothing for a file without keys."""
    if not _has_keys(name):
        return
    released = ReleaseItem.objects.filter(release=release)
    has_dev_alone = name == FINE_TUNING or release.recipe["withhold_test"]
    if has_dev_alone and name != WITHHELD_ANSWERS:
        released = released.exclude(split=Split.TEST)
    record_released_key_exposures(actor=actor, released=released)


def record_released_key_exposures(*, actor: User, released: Iterable[int] | QuerySet[ReleaseItem]) -> None:
    """Record that the actor has seen the keys of these released items, given by ids or as a queryset."""
    if not isinstance(released, QuerySet):
        released = ReleaseItem.objects.filter(pk__in=list(released))
    numbers = released.order_by().values_list("item", flat=True)
    record_key_exposures(actor=actor, items=Item.objects.filter(pk__in=numbers))


def _has_keys(name: str) -> bool:
    """Return whether a file or download of this name may contain items with keys."""
    if name in (EVERYTHING, FINE_TUNING, WITHHELD_ANSWERS):
        return True
    if name.endswith(tuple(one.writer.suffix for one in foreign_formats() if one.writer is not None)):
        return True
    return name.endswith((".jsonl", ".json")) and not name.endswith(KEYLESS)
