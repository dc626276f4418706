"""Nudges of this app."""

from celery import shared_task

from annotation import services


@shared_task
def empty_bin() -> None:
    """Delete for good the drafts that have lain in the bin for 30 days."""
    services.empty_bin()
