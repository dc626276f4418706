"""The number of unanswered error reports in several projects, with one query."""

from collections.abc import Iterable

from django.db.models import Count

from release.models import ErrorReport


def unanswered_in(projects: Iterable[int]) -> dict[int, int]:
    """Return the number of unanswered error reports by project id; projects without reports are omitted."""
    waiting = ErrorReport.objects.filter(released__release__project__in=list(projects), answered_at=None)
    return dict(waiting.order_by().values_list("released__release__project").annotate(n=Count("pk")))
