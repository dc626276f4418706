"""The door for gunicorn."""

from __future__ import annotations

import contextlib
import os
from wsgiref.util import setup_testing_defaults

from django.core.handlers.wsgi import WSGIRequest
from django.core.wsgi import get_wsgi_application

from config.timeouts import limit_requests

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()
limit_requests()


def load_pages() -> None:
    """Ask for the page of signing in, so that addresses and templates are loaded before somebody waits.

    What one request has loaded the processes of the web share. The page needs neither database nor Redis.
    Where it cannot be made, as before `collectstatic`, whoever asks for a page is told, and the log says it.
    """
    environ = {"HTTP_HOST": "localhost", "PATH_INFO": "/accounts/login/", "wsgi.url_scheme": "https"}
    setup_testing_defaults(environ)
    with contextlib.suppress(Exception):
        application.get_response(WSGIRequest(environ)).close()


load_pages()
