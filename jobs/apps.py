"""Configuration of this Django app."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules
from django.utils.translation import gettext_lazy as _


class JobsConfig(AppConfig):
    """The app `jobs`."""

    name = "jobs"
    verbose_name = _("Jobs")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Import the `tasks` module of every installed app; these modules register the job types."""
        autodiscover_modules("tasks")
