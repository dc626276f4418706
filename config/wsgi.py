"""The door for gunicorn."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

from config.timeouts import limit_requests

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()
limit_requests()
