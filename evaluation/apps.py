"""Configuration of this Django app."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class EvaluationConfig(AppConfig):
    """The app `evaluation`."""

    name = "evaluation"
    verbose_name = _("Evaluation")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the function that dispatches the calls of runs."""
        from evaluation.queries.run import MEASURE
        from evaluation.tasks import enqueue_call
        from jobs import hooks

        hooks.serve(MEASURE, enqueue_call)
