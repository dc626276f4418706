"""The long work of this app, and its nudges."""

from __future__ import annotations

from celery import shared_task

from annotation import services
from annotation.importer import ITEMS
from corpus.queries import SEARCH
from corpus.upload import register_jobs
from jobs.hooks import dispatch


@shared_task
def empty_bin() -> None:
    """Delete for good the drafts that have lain in the bin for 30 days."""
    services.empty_bin()


@shared_task
def index_words() -> None:
    """Index the words of stories and items that imports brought; searches read them in the meantime."""
    services.index_words()


register_jobs(
    ITEMS,
    address="annotation:import_items",
    after=lambda project_id: dispatch(SEARCH, project_id),  # if the import has added stories
)
