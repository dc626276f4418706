"""Middleware that gives each request an id, counts it, logs it, and traces it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from core import request_id, spans
from web.request_counts import METHODS, OTHER, count_request

logger = logging.getLogger(__name__)

ARRIVED: Final = "parable.arrived"
"""The key of the WSGI environ with the time at which the request had arrived, of `time.perf_counter`.

Only our server sets it, so only its requests are counted. The wait for a thread is part of their duration.
"""
STATIC: Final = "static"
UNMATCHED: Final = "unmatched"


class RequestMiddleware:
    """Gives the request an id, returns it in a header, and counts and logs the request by its route.

    An id is taken over from a proxy of ours, if it is well-formed, and from nobody else.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Return the response of the other middleware and the view, with the request's id."""
        arrived: float | None = request.META.get(ARRIVED)
        began = time.perf_counter() if arrived is None else arrived
        request_id.begin(request.headers.get(request_id.HEADER, "") if settings.PROXIES else "")
        with spans.span("request", "server") as span:
            response = self.get_response(request)
            if span is not None:
                _describe(span, request, response)
            response[request_id.HEADER] = request_id.current()
            seconds = time.perf_counter() - began
            _log(request, response, seconds)
        if arrived is not None:
            count_request(
                route=route_of(request),
                method=request.method or "",
                status=response.status_code,
                seconds=seconds,
            )
        if arrived is None:  # our server ends it when Django has logged and sent the response
            request_id.end()
        return response


def _describe(span: Any, request: HttpRequest, response: HttpResponseBase) -> None:
    """Name the span by the route: path and query may hold a secret link."""
    method = request.method if request.method in METHODS else OTHER
    span.update_name(f"{method} {route_of(request)}")
    span.set_attributes(
        {
            "http.request.method": method,
            "http.route": route_of(request),
            "http.response.status_code": response.status_code,
            "parable.request_id": request_id.current(),
        }
    )
    if response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        span.set_attribute("error.type", str(response.status_code))


def _log(request: HttpRequest, response: HttpResponseBase, seconds: float) -> None:
    """Log a line about the request, which has its route in place of its path."""
    if settings.LOG_FORMAT != "json":
        return
    about = {
        "method": request.method,
        "route": route_of(request),
        "status": response.status_code,
        "duration_ms": round(1000 * seconds),
    }
    logger.info("request answered", extra=about)


def route_of(request: HttpRequest) -> str:
    """Return the name of the request's route, which contains no part of its path."""
    if match := request.resolver_match:
        return match.view_name
    return STATIC if request.path.startswith(settings.STATIC_URL) else UNMATCHED
