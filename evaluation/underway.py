"""Long work as pages and sweeps read it: files of responses, and what gives no sign of life."""

from datetime import datetime, timedelta
from typing import Final

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from core.errors import Hidden
from evaluation.models import FileState, ResponseFile, Underway
from evaluation.permissions import may_measure
from projects.models import Project

SILENT: Final = timedelta(minutes=1)
"""So long a worker may take to begin before another is told."""
LOST: Final = timedelta(minutes=2)
"""So long who is at it may keep silent before another begins anew."""


def silent(ordered: str) -> Q:
    """Rows that wait for a worker or have lost theirs; `ordered` names the moment they were ordered at."""
    now = timezone.now()
    unbegun = Q(("heartbeat_at", None), (f"{ordered}__lt", now - SILENT))
    return unbegun | Q(heartbeat_at__lt=now - LOST)


def is_silent(row: Underway, ordered_at: datetime) -> bool:
    """Whether unfinished work gives no sign of life, or nobody has begun it."""
    if row.heartbeat_at is None:
        return timezone.now() - ordered_at > SILENT
    return timezone.now() - row.heartbeat_at > LOST


def response_files(project: Project) -> QuerySet[ResponseFile]:
    """The files of responses that were brought into a project, newest first."""
    found = ResponseFile.objects.filter(release__project=project).defer("problems")
    return found.select_related("release__project", "created_by").order_by("-pk")


def get_response_file(*, user: User, project: Project, pk: int) -> ResponseFile:
    """One file of responses as far as it exists for this person; else `Hidden`."""
    found = response_files(project).defer(None).filter(pk=pk).first()
    if found is None or not may_measure(user, project):
        raise Hidden(_("There is no such file here."))
    return found


def silent_files() -> QuerySet[ResponseFile]:
    """The files that wait for a worker, or have lost theirs."""
    return ResponseFile.objects.filter(silent("ordered_at"), state=FileState.WAITING).order_by("pk")
