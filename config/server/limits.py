"""How large a body an address takes: files from those whom its view admits, little from everybody else."""

from io import BytesIO

from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.handlers.wsgi import WSGIRequest, get_path_info
from django.db import close_old_connections
from django.http import HttpRequest, HttpResponse
from django.urls import Resolver404, resolve

from web.files import declared_files


def largest_body(environ: dict[str, object]) -> int:
    """Return how many bytes this sender may send to this address; asks the database, so in a thread."""
    try:
        match = resolve(get_path_info(environ))
    except Resolver404:
        return settings.SMALL_BODY
    files = declared_files(match.func)
    if files is None:
        return settings.SMALL_BODY
    close_old_connections()
    try:
        admitted = files.admits(_request(environ), **match.kwargs)
    finally:
        close_old_connections()
    return files.most + settings.SMALL_BODY if admitted else settings.SMALL_BODY


def _request(environ: dict[str, object]) -> HttpRequest:
    """The request without its body, with its session and its user."""
    request = WSGIRequest({**environ, "wsgi.input": BytesIO(), "CONTENT_LENGTH": "0"})
    SessionMiddleware(_no_response).process_request(request)
    AuthenticationMiddleware(_no_response).process_request(request)
    return request


def _no_response(request: HttpRequest) -> HttpResponse:
    """Stand in for the view: `process_request` of neither middleware calls it."""
    raise NotImplementedError
