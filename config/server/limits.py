"""The limits of a request that depend on its view: the size of its body, and hashing of passwords."""

from io import BytesIO

from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.handlers.wsgi import WSGIRequest, get_path_info
from django.db import close_old_connections
from django.http import HttpRequest, HttpResponse
from django.urls import Resolver404, resolve

from accounts.addresses import client_address, network_of
from projects.authentication import token_of
from web.files import declared_files
from web.passwords import does_hash_password


def largest_body(environ: dict[str, object]) -> int:
    """Return how many bytes the user of a request may send to its URL.

    Call it in a thread, since it may query the database.
    """
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


def hashes_password(environ: dict[str, object]) -> bool:
    """Return whether the request makes the view hash a password, which takes a third of a second."""
    if environ["REQUEST_METHOD"] in ("GET", "HEAD", "OPTIONS"):
        return False
    try:
        return does_hash_password(resolve(get_path_info(environ)).func)
    except Resolver404:
        return False


def address_of(environ: dict[str, object]) -> str:
    """Return the client's address for limits, as reported by our proxies or the connection."""
    return network_of(
        client_address(WSGIRequest({**environ, "wsgi.input": BytesIO(), "CONTENT_LENGTH": "0"}))
    )


def _request(environ: dict[str, object]) -> HttpRequest:
    """Return the request with its session and user, but without its body."""
    request = WSGIRequest({**environ, "wsgi.input": BytesIO(), "CONTENT_LENGTH": "0"})
    SessionMiddleware(_no_response).process_request(request)
    AuthenticationMiddleware(_no_response).process_request(request)
    if token := token_of(request):
        request.user = token.user
    return request


def _no_response(request: HttpRequest) -> HttpResponse:
    """Raise NotImplementedError. The middleware needs a view, but `process_request` does not call it."""
    raise NotImplementedError
