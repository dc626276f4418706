"""The Celery application: tasks are found in each app's `tasks` module, settings in Django's."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("parable")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
