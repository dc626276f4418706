"""Nudges of this app. The rows say what is to be done."""

from __future__ import annotations

import logging

from celery import shared_task

from corpus import services
from corpus.queries import silent_searches
from jobs.hooks import enqueue
from jobs.outages import find_outage

logger = logging.getLogger(__name__)


@shared_task
def run_search(search_id: int) -> None:
    """Look for similar stories; a fault of ours ends the search, not the worker."""
    try:
        services.run_search(search_id=search_id)
    except Exception as error:
        if find_outage(error):
            raise  # the sweep comes back to it
        logger.exception("the search for similar stories %d could not be run", search_id)
        services.fail_search(search_id=search_id)


@shared_task
def sweep_searches() -> None:
    """Nudge the searches that a killed worker or a lost message left behind."""
    for search in silent_searches():
        services.retake_search(search=search)
        enqueue(run_search, search.pk, project_id=search.project_id)
