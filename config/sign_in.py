"""Redirect after sign-in to the page of a form that was posted while signed out."""

from collections.abc import Callable
from inspect import getclosurevars, isfunction
from typing import Any
from urllib.parse import unquote, urlsplit

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import Resolver404, resolve, reverse

from config.middleware import SAFE_METHODS
from web.requests import own_address


class SignInMiddleware:
    """Replaces the `next` that `login_required` gives a form: the form's own address takes no GET."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on; change the answer only where it sends a form to the sign-in page."""
        response = self.get_response(request)
        if request.method in SAFE_METHODS or not isinstance(response, HttpResponseRedirect):
            return response
        is_asked = response.url.startswith(f"{reverse('account_login')}?next=")
        return redirect_to_login(_page_of_form(request)) if is_asked else response


def _page_of_form(request: HttpRequest) -> str:
    """Return the page that a form was sent from, or the nearest page above that can be opened.

    A refused form is displayed at the address that it was posted to, which accepts no GET.
    """
    site = request.build_absolute_uri("/").removesuffix("/")
    page = own_address(request, request.headers.get("Referer", "").removeprefix(site))
    above = unquote(urlsplit(page).path) or request.path
    if page and _takes_get(above):
        return page
    while not _takes_get(above):
        above = above.rpartition("/")[0] or "/"
    return above


def _takes_get(path: str) -> bool:
    """Return whether a page exists at this address, judging by Django's `require_http_methods`."""
    if path == "/":
        return True
    try:
        view: Callable[..., Any] | None = resolve(path).func
    except Resolver404:
        return False
    while view is not None:
        known = getclosurevars(view).nonlocals if isfunction(view) else {}
        if "request_method_list" in known:
            return "GET" in known["request_method_list"]
        view = getattr(view, "__wrapped__", None)
    return True
