"""Where Django meets this app."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ReviewConfig(AppConfig):
    """The app `review`."""

    name = "review"
    verbose_name = _("Review")
    default_auto_field = "django.db.models.BigAutoField"
