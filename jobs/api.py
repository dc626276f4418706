"""The JSON API for the progress of jobs."""

from dataclasses import asdict

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from jobs.errors import sentence
from jobs.queries import get_job, progress
from jobs.serializers import ProgressSerializer
from web.requests import signed_in


@extend_schema(responses=ProgressSerializer, operation_id="job_progress", tags=["jobs"])
@api_view(["GET"])
def job(request: Request, pk: int) -> Response:
    """Return the progress of a job: calls by state, cost, speed, remaining time, and failures by reason."""
    found = get_job(user=signed_in(request), pk=pk)
    seen = progress(found)
    body = asdict(seen) | {
        "id": found.pk,
        "title": found.title,
        "state": found.state,
        "reason": sentence(found.reason),
        "finished": seen.finished,
        "currency": found.project.currency,
    }
    return Response(ProgressSerializer(body).data)
