"""Configuration of this Django app."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class EventsConfig(AppConfig):
    """The app `events`."""

    name = "events"
    verbose_name = _("Events")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the function that publishes the ends of jobs."""
        from events.services import publish_job_end, reseal_secrets
        from jobs.hooks import follow_reseals
        from jobs.job_types import follow_ends

        follow_ends(publish_job_end)
        follow_reseals(reseal_secrets)
