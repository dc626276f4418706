"""The WSGI application for gunicorn."""

from __future__ import annotations

import contextlib
import os
from wsgiref.util import setup_testing_defaults

from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.core.wsgi import get_wsgi_application
from django.template.loader import get_template

from config.timeouts import limit_requests

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()
limit_requests()


def load_pages() -> None:
    """Load URLs and all templates before gunicorn forks, so that web processes share them.

    Otherwise each process would load them on the first visits of its pages, of which some then took a second.
    Requesting the sign-in page loads the URLs and what middleware needs; it needs neither database nor Redis.
    If something cannot be loaded, for example before `collectstatic`, the next request shows and logs it.
    """
    environ = {"HTTP_HOST": "localhost", "PATH_INFO": "/accounts/login/", "wsgi.url_scheme": "https"}
    setup_testing_defaults(environ)
    with contextlib.suppress(Exception):
        application.get_response(WSGIRequest(environ)).close()
        folder = settings.BASE_DIR / "templates"
        for path in sorted(folder.rglob("*.html")):
            get_template(str(path.relative_to(folder)))


load_pages()
