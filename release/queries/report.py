"""Queries for error reports about released items, and for errata."""

from django.db.models import Count, Q, QuerySet
from django.db.models.fields.json import KeyTextTransform
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.tokens import token_hash
from annotation.models import Item
from core.errors import Hidden, require
from projects.models import Project
from projects.permissions import Permission, has_permission
from release.assembly.identity import canary
from release.models import Erratum, ErrorReport, Release, ReleaseItem
from release.queries.release import STANDING


def named_item(*, item_id: str, release: str) -> ReleaseItem | None:
    """Return the released item with this id. `release` is the canary or the version of its release.

    If no release matches, the newest release is used: readers mistake a version more easily than an id, and a
    report without an item reaches no manager. Return None if no item has the id, or if several projects have
    it (as in anonymous releases) and `release` is not a canary.
    """
    found = ReleaseItem.objects.filter(public_id=item_id.strip(), release__state__in=STANDING)
    standing = list(
        found.select_related("release__project")
        .defer("release__manifest")
        .annotate(canary=KeyTextTransform("canary", "release__manifest"))
        .order_by("-release")
    )
    wanted = release.strip().casefold()
    marked = [one for one in standing if wanted and wanted == _canary(one)]
    if marked:
        return marked[0]
    fitting = [one for one in standing if wanted in {"", one.release.version.casefold()}]
    projects = {one.release.project_id for one in standing}
    return (fitting or standing)[0] if len(projects) == 1 else None


def _canary(one: ReleaseItem) -> str:
    """Return the canary of an item's release; in the oldest releases it is derived from slug and version."""
    kept: str | None = vars(one)["canary"]
    return kept or canary(one.release.project.slug, one.release.version)


def report_of(token: str) -> ErrorReport:
    """Return the report whose link has this token. Raise `Hidden` if the token is unknown."""
    found = ErrorReport.objects.filter(token_hash=token_hash(token)).first()
    if found is None:
        raise Hidden(_("Unknown link."))
    return found


def _whole() -> QuerySet[ErrorReport]:
    return ErrorReport.objects.select_related(
        "released__release__project", "released__item__story", "reporter", "answered_by", "erratum"
    ).defer("released__release__manifest", "released__release__recipe")


def reports(project: Project) -> QuerySet[ErrorReport]:
    """Return the reports about all releases of the project: unanswered reports first, then newest first."""
    return _whole().filter(released__release__project=project).order_by("answered_at", "-pk")


def reports_in(release: Release) -> QuerySet[ErrorReport]:
    """Return the reports about one release: unanswered reports first, then newest first."""
    return _whole().filter(released__release=release).order_by("answered_at", "-pk")


def waiting_reports(project: Project) -> int:
    """Return the number of unanswered reports in a project."""
    return ErrorReport.objects.filter(released__release__project=project, answered_at=None).count()


def get_report(*, user: User, project: Project, pk: int) -> ErrorReport:
    """Return a report. Raise `Hidden` if the project has no such report, `Forbidden` without permission."""
    require(has_permission(user, project, Permission.SEE_RELEASES))
    found = reports(project).filter(pk=pk).first()
    if found is None:
        raise Hidden(_("Report not found."))
    return found


def reports_on(item: Item) -> list[ErrorReport]:
    """Return the reports about an item in any release, newest first."""
    return list(_whole().filter(released__item=item).order_by("-pk"))


def errata_of(release: Release) -> QuerySet[Erratum]:
    """Return the errata of a release, newest first, annotated with `reported`, the number of reports."""
    found = Erratum.objects.filter(released__release=release)
    return found.select_related("released__item").annotate(reported=Count("reports")).order_by("-pk")


def errata_on(item: Item) -> QuerySet[Erratum]:
    """Return the errata of an item, newest first."""
    return Erratum.objects.filter(Q(released__item=item)).order_by("-pk")
