"""Where Django meets this app."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AnnotationConfig(AppConfig):
    """The app `annotation`."""

    name = "annotation"
    verbose_name = _("Items")
    default_auto_field = "django.db.models.BigAutoField"
