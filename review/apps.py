"""Configuration of this Django app."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ReviewConfig(AppConfig):
    """The app `review`."""

    name = "review"
    verbose_name = _("Review")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the functions that accounts, annotation and jobs call.

        They follow an account that is closed, an item that changes state, and a call that waits.
        """
        from accounts.hooks import follow_closings
        from annotation import hooks
        from jobs import hooks as calls
        from review.queries.model_rater import JUDGE
        from review.queries.verdict import judgements_on
        from review.services import close_requests, open_requests, release_all_leases
        from review.tasks import enqueue_call

        for state in ("in_review", "in_verification", "in_adjudication"):
            hooks.subscribe(state, open_requests)
        for state in ("returned", "rejected", "verified", "withdrawn", "retired"):
            hooks.subscribe(state, close_requests)
        hooks.provide_judgements(judgements_on)
        calls.serve(JUDGE, enqueue_call)
        follow_closings(release_all_leases)
