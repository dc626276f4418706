"""Configuration of this Django app."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AnnotationConfig(AppConfig):
    """The app `annotation`."""

    name = "annotation"
    verbose_name = _("Items")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register functions that copy a project's type targets and record the readers of morals."""
        from annotation.services import copy_targets, record_moral_exposures
        from corpus.hooks import follow_morals
        from projects.hooks import follow_copies

        follow_copies(copy_targets)
        follow_morals(record_moral_exposures)
