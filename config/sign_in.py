"""Middleware for users who post a form after their session has ended: they return to the form's page."""

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
    """Makes users who posted a form while signed out return to the form's page after signing in.

    `login_required` sets `next` to the URL of the posted form, which often accepts no GET. It is replaced by
    the page with the form.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the view's response. If it redirects a posted form to the sign-in page, replace `next`."""
        response = self.get_response(request)
        if request.method in SAFE_METHODS or not isinstance(response, HttpResponseRedirect):
            return response
        is_asked = response.url.startswith(f"{reverse('account_login')}?next=")
        return redirect_to_login(_page_of_form(request)) if is_asked else response


def _page_of_form(request: HttpRequest) -> str:
    """Return the path of the page from which a form was posted, or its nearest parent that accepts GET.

    A refused form is displayed at the URL that it was posted to, which may accept no GET.
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
    """Return whether the path has a view that accepts GET, according to `require_http_methods`."""
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
