"""Where Django meets this app."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class CorpusConfig(AppConfig):
    """The app `corpus`."""

    name = "corpus"
    verbose_name = _("Stories")
    default_auto_field = "django.db.models.BigAutoField"
