"""Error pages for outages, such as an unavailable server or a full disk."""

from __future__ import annotations

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template import loader
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext as _
from django.views.defaults import server_error

from config.refusals import PROBLEM, problem
from jobs.outage import Outage, find_outage


def show_error(request: HttpRequest) -> HttpResponse:
    """Return the page for status 500; if an outage caused the error, return a page that explains it."""
    error = sys.exc_info()[1]
    outage = find_outage(error)
    if outage is None and isinstance(error, InterfaceError | OperationalError) and error.__cause__ is None:
        outage = Outage.DATABASE  # Django's own error for a closed connection
    return server_error(request) if outage is None else _answer(request, outage)


def _answer(request: HttpRequest, outage: Outage) -> HttpResponse:
    if outage is Outage.DISK:
        status, seconds = 507, 60
        happened = _("The server's disk is full, so nothing was saved.")
        meaning = _("Your text is still in this browser: go back and try again later.")
    else:
        status, seconds = 503, 10
        if outage is Outage.STATEMENT:
            happened = _("The database has just been upgraded, so the last step was not saved.")
        else:
            happened = _(
                "A server this site depends on does not respond, so the last step may not have been saved."
            )
        meaning = _("Your text is still in this browser: go back and try again in a minute.")
    answer: HttpResponse
    if request.path.startswith("/api/"):
        said = problem(status, f"{happened} {meaning}")
        answer = JsonResponse(said, status=status, content_type=PROBLEM)
    else:
        # Rendered without the request, since the context processors need the database.
        page = loader.get_template("outage.html").render({"happened": happened, "meaning": meaning})
        answer = HttpResponse(page, status=status)
    answer["Retry-After"] = str(seconds)
    add_never_cache_headers(answer)
    return answer
