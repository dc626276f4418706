"""Settings, URLs and processes of the site. No app imports this package.

The Celery application is created here, so that every process that enqueues a task (the web server, a command)
uses our broker; otherwise, tasks would be bound to an application without settings.
"""

import config.lean_imports  # noqa: F401 - before redis is imported elsewhere
from config.celery import app as celery_app

__all__ = ["celery_app"]
