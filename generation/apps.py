"""Configuration of this Django app."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class GenerationConfig(AppConfig):
    """The app `generation`."""

    name = "generation"
    verbose_name = _("Drafting")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register functions that run calls, record where new wordings come from, and copy templates."""
        from annotation.hooks import follow_wordings
        from generation.queries.batch import GENERATE
        from generation.queries.trial import TRY
        from generation.services import copy_templates, keep_provenance, publish_batch_end
        from generation.tasks import enqueue_call, enqueue_trial
        from jobs import hooks
        from jobs.job_types import follow_ends
        from projects.hooks import follow_copies

        follow_wordings(keep_provenance)
        follow_copies(copy_templates)
        follow_ends(publish_batch_end)

        hooks.serve(GENERATE, enqueue_call)
        hooks.serve(TRY, enqueue_trial)
