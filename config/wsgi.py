"""The WSGI application for gunicorn."""

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
    """Request the sign-in page once, so that URLs and templates are loaded before gunicorn forks.

    Web processes forked later share everything that this request loads. The page needs neither database nor
    Redis. If it cannot be rendered, for example before `collectstatic`, the next request shows and logs the
    error.
    """
    environ = {"HTTP_HOST": "localhost", "PATH_INFO": "/accounts/login/", "wsgi.url_scheme": "https"}
    setup_testing_defaults(environ)
    with contextlib.suppress(Exception):
        application.get_response(WSGIRequest(environ)).close()


load_pages()
