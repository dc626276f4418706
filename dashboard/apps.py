"""Configuration of this Django app."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class DashboardConfig(AppConfig):
    """The app `dashboard`."""

    name = "dashboard"
    verbose_name = _("Dashboard")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the function that accounts call when an account is closed."""
        from accounts.hooks import follow_closings
        from dashboard.services import forget_views

        follow_closings(forget_views)
