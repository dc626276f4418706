"""The job types of this app."""

from __future__ import annotations

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from corpus import services
from corpus.queries import SEARCH
from corpus.upload import STORIES, register_jobs
from jobs.hooks import dispatch
from jobs.job_types import Report, job_type


@job_type(
    SEARCH,
    title=_("Similar stories"),
    page=lambda slug, _project_id, _about: reverse("corpus:similar", args=[slug]),
)
def find_similar(project_id: int, _report: Report) -> dict[str, int]:
    """Compare all stories of a project, and save the similar pairs."""
    return {"stories": services.find_similar(project_id=project_id)}


register_jobs(
    STORIES,
    address="corpus:import_stories",
    after=lambda project_id: dispatch(SEARCH, project_id),  # ordered by the import
)
