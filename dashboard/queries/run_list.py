"""Queries of the list of runs, with its columns and filters."""

from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from dashboard.models import Verb
from evaluation.models import ExamineeKind, Portion, Run
from evaluation.queries.run import measurable_releases
from jobs.models import OPEN, UNFINISHED, Call, CallState, JobState
from projects.models import Project
from web.long_list import Asked, Column, Filter, Listing, containing

RUNS: Final = "runs"
SEARCHED: Final = ("examinee__name", "examinee__model", "release__version", "created_by__name")


def runs_listing(project: Project) -> Listing:
    """Return the columns and filters of the list of runs."""
    releases = measurable_releases(project).values_list("version", flat=True)
    return Listing(
        RUNS,
        columns=(
            Column("examinee", _("Examinee"), ("examinee__name", "-pk"), always=True),
            Column("release", _("Release"), ("release__pk", "-pk")),
            Column("split", _("Split"), ("split", "-pk")),
            Column("repeats", _("Repeats"), ("repeats", "-pk"), number=True),
            Column("state", _("State"), ("job__state", "-pk")),
            Column("answers", _("Answers"), ("asked", "-pk"), number=True),
            Column("accuracy", _("Accuracy"), number=True),
            Column("started", _("Started"), ("pk",), number=True),
            Column("order", _("Order of options"), ("order", "-pk"), shown=False),
            Column("person", _("Started by"), ("created_by__name", "-pk"), shown=False),
            Column("number", _("ID"), ("pk",), shown=False, number=True),
        ),
        filters=(
            Filter("state", _("State"), tuple(JobState.choices)),
            Filter("kind", _("Kind"), tuple(ExamineeKind.choices)),
            Filter("release", _("Release"), tuple((version, version) for version in releases)),
            Filter("split", _("Split"), tuple(Portion.choices)),
        ),
        sort="-started",
    )


def runs_asked(_user: User, project: Project, asked: Asked) -> QuerySet[Run]:
    """Return the runs that match the query string."""
    found = Run.objects.filter(release__project=project)
    paths = {"state": "job__state", "kind": "examinee__kind", "release": "release__version", "split": "split"}
    for name, path in paths.items():
        if values := asked.values.get(name):
            found = found.filter(**{f"{path}__in": values})
    return found.filter(containing(asked.terms, SEARCHED))


_STATES: Final[dict[str, tuple[str, ...]]] = {
    Verb.PAUSE: OPEN,
    Verb.RESUME: (JobState.PAUSED,),
    Verb.CANCEL: UNFINISHED,
}


def runs_able(project: Project, verb: str) -> QuerySet[Run]:
    """Return the runs to which this bulk action can be applied: runs whose job's state permits it.

    `RETRY` needs a job with failed calls.
    """
    found = Run.objects.filter(release__project=project)
    if verb == Verb.RETRY:
        failed = Call.objects.filter(job=OuterRef("job"), state=CallState.FAILED)
        return found.filter(Q(job__isnull=False) & Exists(failed))
    return found.filter(job__state__in=_STATES[verb])
