"""Configuration of this Django app."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ProjectsConfig(AppConfig):
    """The app `projects`."""

    name = "projects"
    verbose_name = _("Projects")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the functions that accounts call when accounts change."""
        from accounts import hooks
        from projects.services import follow_groups, leave_projects, revoke_tokens

        hooks.follow_groups(follow_groups)
        hooks.follow_resets(revoke_tokens)
        hooks.follow_closings(leave_projects)
        hooks.follow_closings(revoke_tokens)
