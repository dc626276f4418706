"""Middleware about signing in: forms posted after a session has ended, and a required second factor."""

from collections.abc import Callable
from functools import wraps
from inspect import getclosurevars, isfunction
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import Resolver404, resolve, reverse
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.permissions import needs_second_factor
from accounts.queries import has_second_factor
from config.middleware import SAFE_METHODS
from config.refusals import PROBLEM, problem
from projects.authentication import API
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


def begun_here(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Return the view, open only from pages of this site or a typed address; others lead to the sign-in page.

    A provider may sign somebody in without asking, so a page of another site could do it unnoticed.
    """

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            return redirect("account_login")
        return view(request, *args, **kwargs)

    return checked


SECOND_FACTOR: Final = "parable_second_factor"
"""The key of a session of a user who has the second factor that the site requires."""
_OPEN: Final = ("mfa_activate_totp", "account_logout", "account_reauthenticate", "mfa_reauthenticate")
"""The pages that a user needs to add a second factor, or to leave."""


class SecondFactorMiddleware:
    """Makes users add a second factor if the site requires one (PARABLE_REQUIRE_TOTP).

    Who has one cannot sign in without it, so that only its existence is checked, once a session. Access
    tokens were created in such a session, and are let through.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the view's response, or redirect to the page on which a second factor is added."""
        if settings.REQUIRE_TOTP == "nobody" or _may_go_on(request):
            return self.get_response(request)
        if request.path.startswith(API):
            reason = _("This site requires a second factor. Add one on your profile.")
            return JsonResponse(problem(403, reason), status=403, content_type=PROBLEM)
        return redirect("mfa_activate_totp")


def _may_go_on(request: HttpRequest) -> bool:
    user = request.user
    if not isinstance(user, User) or not needs_second_factor(user):
        return True
    if getattr(request, "access_token", None) is not None or request.session.get(SECOND_FACTOR):
        return True
    if has_second_factor(user):
        request.session[SECOND_FACTOR] = True
        return True
    return request.path in map(reverse, _OPEN)
