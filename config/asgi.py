"""The door for servers that speak ASGI."""

from __future__ import annotations

import os

from django.core.asgi import get_asgi_application

from config.timeouts import limit_requests

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_asgi_application()
limit_requests()
