"""Responses to requests that start long work."""

from __future__ import annotations

from django.urls import reverse
from django.utils.translation import gettext as _
from rest_framework.response import Response

from core.errors import Conflict
from jobs.hooks import dispatch
from jobs.queries import unfinished_jobs
from web.endpoint import accepted


def start(kind: str, subject: int, **more: object) -> Response:
    """Dispatch the ordered jobs of this kind about a row; return that the newest was accepted.

    Called in the transaction of the order. `more`: further fields of the response, such as the row's id.
    Raise `Conflict` if there is no such job.
    """
    dispatch(kind, subject)
    job = unfinished_jobs(kind, subject).order_by("-pk").first()
    if job is None:
        raise Conflict(_("This job has already ended."))
    return accepted(job.pk, reverse("api_job", args=[job.pk]), **more)
