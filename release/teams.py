"""Teams outside the project, and what they have had scored. Reads only."""

from datetime import timedelta
from typing import Final

from django.db.models import Count, Max, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.errors import Conflict, Hidden
from release.models import Release, ReleaseItem, ReleaseState, Split, Team, Upload, UploadState
from release.queries import SILENT_AFTER, hashed
from release.scoring import Keyed

WEEK: Final = timedelta(days=7)


def teams(release: Release) -> QuerySet[Team]:
    """The teams of a release, with how much each has had scored and when last."""
    counted = Count("uploads", filter=Q(uploads__state=UploadState.DONE))
    found = Team.objects.filter(release=release).select_related("created_by")
    return found.annotate(scored=counted, last=Max("uploads__created_at")).order_by("pk")


def get_team(release: Release, pk: int) -> Team:
    """A team of this release; else `Hidden`."""
    found = Team.objects.filter(release=release, pk=pk).first()
    if found is None:
        raise Hidden(_("There is no such team."))
    return found


def team_of(token: str) -> Team:
    """The team that holds this link. Raises `Hidden` for a wrong one, `Conflict` for one past use."""
    found = Team.objects.select_related("release__project").filter(token_hash=hashed(token)).first()
    if found is None:
        raise Hidden(_("This link is not known."))
    if found.revoked_at is not None:
        raise Conflict(_("This link has been withdrawn. Ask for a new one."))
    if found.release.state != ReleaseState.READY:
        raise Conflict(_("This release has been withdrawn; nothing is scored on it any more."))
    return found


def is_team(request: object, *, token: str) -> bool:
    """Whether this is the link of a team that may still use it, whoever asks."""
    try:
        team_of(token)
    except (Hidden, Conflict):
        return False
    return True


def uploads(team: Team) -> QuerySet[Upload]:
    """What a team has uploaded, the newest first."""
    return Upload.objects.filter(team=team).order_by("-pk")


def all_uploads(release: Release) -> QuerySet[Upload]:
    """What all teams of a release have uploaded, the newest first."""
    return Upload.objects.filter(team__release=release).select_related("team").order_by("-pk")


def left_this_week(team: Team) -> int:
    """How many uploads the team has left: those that were refused or not scored do not count."""
    since = timezone.now() - WEEK
    counted = uploads(team).filter(created_at__gt=since).exclude(state=UploadState.FAILED)
    return max(0, team.per_week - counted.count())


def withheld_items(release: Release) -> list[Keyed]:
    """The items whose answers are withheld, with them."""
    rows = ReleaseItem.objects.filter(release=release, split=Split.TEST).order_by("number")
    return [
        Keyed(public_id, record["task"], tuple(record["choices"]), record["answer"])
        for public_id, record in rows.values_list("public_id", "record")
    ]


def numbers_of_options(release: Release) -> dict[str, int]:
    """How many options each item has, by id, dev and test."""
    rows = ReleaseItem.objects.filter(release=release).values_list("public_id", "order")
    return {public_id: len(order) for public_id, order in rows}


def silent_uploads() -> QuerySet[Upload]:
    """The uploads that wait for a worker, or have lost theirs."""
    limit = timezone.now() - SILENT_AFTER
    silent = Q(heartbeat_at__lt=limit) | Q(heartbeat_at=None, created_at__lt=limit)
    return Upload.objects.filter(silent, state=UploadState.WAITING).order_by("pk")
