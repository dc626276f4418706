"""Middleware for refusals, limits on forms, caching, compression and users' profiles."""

import logging
from collections.abc import Callable
from http import HTTPStatus
from typing import Final

import psycopg
from django.contrib.auth.middleware import get_user
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.db import DataError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect, JsonResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.middleware.security import SecurityMiddleware
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.defaults import bad_request, page_not_found

from config.parsers import STACKED
from config.refusals import PROBLEM, problem
from core.errors import Busy, ParableError
from core.marks import has_stacked_marks
from projects.authentication import API, token_of
from projects.models import AccessToken
from projects.request_cache import within_request
from web.requests import is_step

logger = logging.getLogger(__name__)

SAFE_METHODS: Final = {"GET", "HEAD", "OPTIONS"}
REFUSED: Final = "parable.refused"
"""The key of the WSGI environ with the status to return if the server refused the request's body."""
MINUTE: Final = 60
_TOO_LARGE: Final = gettext_lazy(
    "The request is larger than this page accepts. Nothing was changed. Send less at once."
)
_BODY_REFUSALS: Final = {
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: _TOO_LARGE,
    HTTPStatus.INSUFFICIENT_STORAGE: gettext_lazy(
        "The server's disk is full, so nothing was saved. Keep your text, tell your"
        " administrator, and try again later."
    ),
    HTTPStatus.TOO_MANY_REQUESTS: gettext_lazy(
        "Many people are signing in right now. Try again in a few seconds."
    ),
    HTTPStatus.SERVICE_UNAVAILABLE: gettext_lazy(
        "The database does not respond, so nothing was saved. Try again in a minute."
    ),
}
LONGEST_FORM: Final = 200_000
"""The most characters of all fields of a form together, without files: twice the longest story."""
MOST_ESCAPES: Final = 3 * LONGEST_FORM
"""The most percent signs of a form: a Chinese character has three bytes, each escaped by a percent sign.

Decoding an escape takes 150 bytes of memory.
"""
_TOO_MUCH: Final = (RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent)


class TransportMiddleware(SecurityMiddleware):
    """Django's headers and redirects to TLS. Programs are refused instead of redirected.

    A redirect would work, and nobody would notice that a token crosses the network unencrypted.
    """

    def process_request(self, request: HttpRequest) -> HttpResponse | None:  # type: ignore[override]
        """Return a redirect or a refusal for a request without TLS, else None."""
        if self.redirect and request.path.startswith(API) and not request.is_secure():
            reason = _("Use an https:// address. Revoke a token that was sent without it.")
            return JsonResponse(problem(403, reason), status=403, content_type=PROBLEM)
        return super().process_request(request)


class RefusalMiddleware:
    """Turns a `ParableError` of a view, or a method that the view refuses, into a page with the reason.

    Without it, opening the URL of a button, for example from the browser's history, would give a blank page.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the view's response, or a refusal if the server has refused the body."""
        if status := request.META.get(REFUSED):
            return _refuse(request, str(_BODY_REFUSALS[status]), status)
        response = self.get_response(request)
        if isinstance(response, HttpResponseNotAllowed) and not response.content:
            return _say_what_is_allowed(request, response)
        return response

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Return an error page for a refusal, a database time-out or a value that cannot be stored.

        Return None for other errors.
        """
        if isinstance(error, ParableError):
            return _refuse(request, str(error), error.status)
        if _took_too_long(error):
            logger.warning("gave up a statement at %s: %s", request.path, str(error).partition("\n")[0])
            reason = _("The database took too long. Nothing was changed. Try again in a minute.")
            return _refuse(request, reason, 503)
        if not _cannot_be_kept(error):
            return None
        logger.warning("refused what cannot be kept, at %s", request.path, exc_info=error)
        reason = _("The request contains a character or number that cannot be stored. Nothing was changed.")
        return _refuse(request, reason, 400)


def _cannot_be_kept(error: Exception) -> bool:
    """Return whether input that no column can store caused the error: NUL, a surrogate or a huge number."""
    endless = isinstance(error, ValueError) and str(error).startswith("Exceeds the limit")
    return endless or isinstance(error, DataError | UnicodeEncodeError)


def _took_too_long(error: Exception) -> bool:
    """Return whether PostgreSQL cancelled a statement because of a time limit in our settings."""
    ended = psycopg.errors.QueryCanceled, psycopg.errors.LockNotAvailable
    return isinstance(error, OperationalError) and isinstance(error.__cause__, ended)


def _refuse(request: HttpRequest, reason: str, status: int) -> HttpResponse:
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return too_many_requests(request, reason=reason, retry_after=Busy.retry_after)
    if request.path.startswith(API):
        return JsonResponse(problem(status, reason), status=status, content_type=PROBLEM)
    if is_step(request):  # displayed beside the form, which stays
        return render(request, "_refusal.html", {"reason": reason}, status=status)
    page = "404.html" if status == HTTPStatus.NOT_FOUND else "refusal.html"
    return render(request, page, {"reason": reason}, status=status)


def too_many_requests(request: HttpRequest, *, reason: str = "", retry_after: int = MINUTE) -> HttpResponse:
    """Return a response with status 429 and the header `Retry-After`, in seconds.

    Without a reason, it says that a limit on sign-in attempts was reached. The page has the sign-in form with
    the user name, so that only the password must be typed again.
    """
    reason = reason or _("Sign-in attempts are limited per minute. Wait a minute, then try again.")
    if request.path.startswith(API):
        response: HttpResponse = JsonResponse(problem(429, reason), status=429, content_type=PROBLEM)
    else:
        is_sign_in = request.path == reverse("account_login")
        typed = {name: request.POST.get(name, "")[:200] for name in ("login", "next")} if is_sign_in else None
        response = render(request, "429.html", {"reason": reason, "typed": typed}, status=429)
    response["Retry-After"] = str(retry_after)
    return response


def _say_what_is_allowed(request: HttpRequest, blank: HttpResponse) -> HttpResponse:
    if request.method in ("GET", "HEAD"):
        reason = _("This address only accepts submitted forms.")
    else:
        reason = _("This address only shows a page and accepts no forms.")
    refused = _refuse(request, reason, blank.status_code)
    blank.content, blank["Content-Type"] = refused.content, refused["Content-Type"]
    return blank  # the same response object, which is marked as logged


def refuse_bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return a page for status 413 if a form has too much data, else Django's page for status 400."""
    if isinstance(exception, _TOO_MUCH):
        return _refuse(request, str(_TOO_LARGE), HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    if request.path.startswith(API):
        return _refuse(request, _("The request cannot be read."), HTTPStatus.BAD_REQUEST)
    return bad_request(request, exception)


def refuse_missing(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return a refusal for a program if no address of the programming interface is meant, else a page."""
    if request.path.startswith(API):
        return _refuse(request, _("There is no such address."), HTTPStatus.NOT_FOUND)
    return page_not_found(request, exception)


class BoundedFormMiddleware:
    """Refuses forms with far too much text, or with text that is costly to process, before a view reads them.

    A field that is merely too long gets an error beside it, and its text is shown again to be shortened. Text
    far longer than any field allows is not from one of our pages; checking and showing it would cost more
    than sending it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the view's response, or a refusal of the form."""
        if request.method != "POST":
            return self.get_response(request)
        is_encoded = request.content_type == "application/x-www-form-urlencoded"
        if is_encoded and request.body.count(b"%") > MOST_ESCAPES:
            return _refuse(request, str(_TOO_LARGE), HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        texts = [text for name, values in request.POST.lists() for text in (name, *values)]
        if sum(map(len, texts)) > LONGEST_FORM:
            return _refuse(request, str(_TOO_LARGE), HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        if any(map(has_stacked_marks, texts)):
            return _refuse(request, str(STACKED), HTTPStatus.BAD_REQUEST)
        return self.get_response(request)


class CompressionMiddleware(GZipMiddleware):
    """Compresses pages and JSON, but not downloads, which are streamed and mostly compressed already.

    Django adds random bytes, so that the length of a compressed page reveals nothing about its content
    (BREACH).
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Compress the response if it is not streamed and the browser accepts compressed responses."""
        return response if response.streaming else super().process_response(request, response)


class NoStoreMiddleware:
    """Adds a header to pages, which forbids browsers and proxies to store them.

    Pages contain keys, names and single-use links. Static files are served before this middleware, and a
    view's own caching headers are unchanged.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the view's response.

        If the view sets no `Cache-Control` header, add one that forbids storing the response.
        """
        response = self.get_response(request)
        if "Cache-Control" not in response:
            add_never_cache_headers(response)
        return response


class QueuedFormMiddleware:
    """Replaces redirects by responses that our script for submitting forms (static/js/queue.js) can read.

    The script cannot see an ordinary redirect: the browser follows it and returns the next page, including
    its one-time messages.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the view's response. For the script, a redirect becomes 204 with its URL in `X-Location`."""
        response = self.get_response(request)
        if "X-Queued-Form" in request.headers and isinstance(response, HttpResponseRedirect):
            response.status_code = int(HTTPStatus.NO_CONTENT)
            response["X-Location"] = response.url
            del response["Location"]
        return response


class OnceMiddleware:
    """Caches projects and users' roles for the duration of a request."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the view's response, computed with a cache of projects and roles for this request."""
        token: AccessToken | None = getattr(request, "access_token", None)
        with within_request(changes=request.method not in SAFE_METHODS, token=token):
            return self.get_response(request)


class ProfileMiddleware:
    """Finds the request's user, and activates the language and time zone of the user's profile.

    A program's access token is looked up here rather than by the framework of the programming interface, so
    that all that asks for the user before the view, as limits on uploads do, knows it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the view's response, in the user's language and time zone."""
        # the user itself in place of the lazy object, which would query again with each use
        token = token_of(request)
        request.user = user = token.user if token else get_user(request)
        vars(request)["access_token"] = token
        if isinstance(user, AnonymousUser):
            return self.get_response(request)
        if user.language:
            translation.activate(user.language)
            request.LANGUAGE_CODE = user.language
        if user.time_zone:
            timezone.activate(user.time_zone)
        try:
            return self.get_response(request)
        finally:
            timezone.deactivate()
