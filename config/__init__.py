"""The house itself: settings, addresses and processes. Nobody imports it.

The Celery application is made here, so that whatever process enqueues a task (the web, a command)
hands it to our broker; without this, tasks would be bound to an application that knows no settings.
"""

from config.celery import app as celery_app

__all__ = ["celery_app"]
