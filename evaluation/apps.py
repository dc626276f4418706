"""Where Django meets this app."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class EvaluationConfig(AppConfig):
    """The app `evaluation`."""

    name = "evaluation"
    verbose_name = _("Measuring")
    default_auto_field = "django.db.models.BigAutoField"
