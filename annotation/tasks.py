"""The long work of this app, and its nudges."""

from __future__ import annotations

from celery import shared_task

from annotation import services
from annotation.importer import ITEMS
from corpus.upload import register_jobs


@shared_task
def empty_bin() -> None:
    """Delete for good the drafts that have lain in the bin for 30 days."""
    services.empty_bin()


register_jobs(ITEMS, address="annotation:import_items")
