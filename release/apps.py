"""Configuration of this Django app."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ReleaseConfig(AppConfig):
    """The app `release`."""

    name = "release"
    verbose_name = _("Releases")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the function that checks a project's items after an import."""
        from jobs.job_types import follow_ends
        from release.tasks import check_after_import

        follow_ends(check_after_import)
