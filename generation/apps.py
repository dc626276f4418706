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
        """Take over the calls of jobs that ask for proposals."""
        from generation.queries import GENERATE  # noqa: PLC0415 - models are loaded only now
        from generation.tasks import run_call  # noqa: PLC0415
        from jobs import hooks  # noqa: PLC0415

        # Not `run_call.delay` itself: looking that up now would close the list of tasks too early.
        hooks.serve(GENERATE, lambda call_id: run_call.delay(call_id))  # noqa: PLW0108
