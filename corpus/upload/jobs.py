"""The preview job and the import job of each importer."""

from collections.abc import Callable, Mapping
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from corpus import services
from corpus.models import UploadStep
from corpus.services import Importer
from jobs.job_types import Report, job_type


def register_jobs(
    importer: Importer, *, address: str, after: Callable[[int], object] = lambda _project_id: None
) -> None:
    """Register the job types that preview and import the uploads of this importer.

    `address` is the route name of the import page. `after` is called with the project's id after each import.
    """

    def page(slug: str, _upload_id: int, about: Mapping[str, Any]) -> str:
        return f"{reverse(address, args=[slug])}?upload={about['token']}"

    def preview(upload_id: int, report: Report) -> None:
        services.preview_upload(upload_id=upload_id, importer=importer, report=report)

    def import_(upload_id: int, report: Report) -> None:
        if project_id := services.import_upload(upload_id=upload_id, importer=importer, report=report):
            after(project_id)

    for name, title, run in (
        (services.previewing(importer.purpose), _("Preview of %(name)s"), preview),
        (services.importing(importer.purpose), _("Import of %(name)s"), import_),
    ):
        job_type(name, title=title, steps=UploadStep, on_fault=services.fail_upload, page=page)(run)
