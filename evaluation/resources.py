"""Export of runs with their settings and numbers of correct responses."""

from __future__ import annotations

from django.db.models import Count, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from evaluation.models import ReadingKind, Run
from jobs.models import Call, CallState
from web.tables import ExportResource, Rows, column, moment


class RunResource(ExportResource):
    """Export of runs, one row for each run, without the responses."""

    project_path = "release__project"
    project = column("release__project__slug")
    number = column("pk")
    examinee = column("examinee__name")
    kind = column("examinee__kind")
    model = column("examinee__model")
    release = column("release__version")
    split = column("split")
    repeats = column("repeats")
    order = column("order")
    seed = column("seed")
    sample_size = column("sample_size")
    state = column("job__state")
    asked = column("asked")
    answers = column("answers")
    correct = column("correct")
    started_by = column("created_by__name")
    started = moment("created_at")

    class Meta:
        model = Run
        fields = (
            "number", "examinee", "kind", "model", "release", "split", "repeats", "order", "seed",
            "sample_size", "state", "asked", "answers", "correct", "started_by", "started", "project",
        )  # fmt: skip
        export_order = fields

    def get_queryset(self) -> Rows:
        """Return all runs, oldest first. `answers` counts responses and refused calls, but not failures."""
        found = Run.objects.select_related("release__project", "examinee", "job", "created_by")
        refused = Call.objects.filter(job=OuterRef("job"), state=CallState.REFUSED).order_by()
        came = ~Q(responses__reading=ReadingKind.FAILED)
        counted = found.annotate(
            answers=Count("responses", filter=came)
            + Coalesce(Subquery(refused.values("job").annotate(n=Count("pk")).values("n")), 0),
            correct=Count("responses", filter=Q(responses__correct=True)),
        )
        return counted.order_by("pk")
