"""Where Django meets this app."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class GenerationConfig(AppConfig):
    """The app `generation`."""

    name = "generation"
    verbose_name = _("Generation")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Take over the calls of jobs that ask for proposals, and of trials."""
        from annotation.hooks import follow_wordings
        from generation.queries.batch import GENERATE
        from generation.queries.trial import TRY
        from generation.services import keep_provenance
        from generation.tasks import tell, tell_of_trial
        from jobs import hooks

        follow_wordings(keep_provenance)

        hooks.serve(GENERATE, tell)
        hooks.serve(TRY, tell_of_trial)
