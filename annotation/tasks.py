"""Celery tasks of the app `annotation`."""

from __future__ import annotations

from celery import shared_task

from annotation import services
from annotation.importer import ITEMS
from corpus.queries import SEARCH
from corpus.upload import register_jobs
from jobs.hooks import dispatch


@shared_task
def empty_bin() -> None:
    """Delete the drafts that were discarded more than 30 days ago."""
    services.empty_bin()


@shared_task
def index_words() -> None:
    """Index the texts of imported stories and items. Until then, searches read their whole texts."""
    services.index_words()


register_jobs(
    ITEMS,
    address="annotation:import_items",
    after=lambda project_id: dispatch(SEARCH, project_id),  # if the import has added stories
)
