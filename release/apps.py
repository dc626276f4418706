"""Configuration of this Django app."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ReleaseConfig(AppConfig):
    """The app `release`."""

    name = "release"
    verbose_name = _("Releases")
    default_auto_field = "django.db.models.BigAutoField"
