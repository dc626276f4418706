"""Where Django meets this app."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class GenerationConfig(AppConfig):
    """The app `generation`."""

    name = "generation"
    verbose_name = _("Generation")
    default_auto_field = "django.db.models.BigAutoField"
