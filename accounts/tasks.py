"""Celery tasks of the app `accounts`."""

from __future__ import annotations

from celery import shared_task

from accounts import services


@shared_task
def clean_up() -> None:
    """Delete expired sessions, responses to repeated requests, and addresses of old sign-ins."""
    services.forget_ended_sessions()
    services.forget_responses()
    services.forget_addresses()
