"""The URLs of the site.

Each app defines its routes in its `urls` module, in a namespace with the app's name, relative to the root of
the site: pages below a path of their own, JSON for pages and scripts below `api/v1/`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from allauth.account import views as sign_in
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import URLPattern, URLResolver, include, path, re_path
from django.urls.resolvers import RoutePattern
from django.utils.module_loading import import_string
from django.views.decorators.http import require_GET
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerSplitView

import config.schema  # noqa: F401 - the schema asks for what it registers
from accounts.views.profile import no_password
from config.sign_in import begun_here
from web.passwords import hashes_password

# The pages of allauth that work without a mail server and with sign-up closed. The names are allauth's own,
# since its code looks them up.
SIGN_IN: list[URLPattern | URLResolver] = [
    path("login/", hashes_password(sign_in.login), name="account_login"),
    path("logout/", sign_in.logout, name="account_logout"),
    path("inactive/", sign_in.account_inactive, name="account_inactive"),
    path("password/change/", hashes_password(sign_in.password_change), name="account_change_password"),
    path("password/set/", no_password, name="account_set_password"),
    path("reauthenticate/", hashes_password(sign_in.reauthenticate), name="account_reauthenticate"),
]


def _when_asked(name: str) -> Callable[..., HttpResponseBase]:
    """Return a view of allauth by its dotted name, imported when first requested: its modules are large."""

    def view(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        found: HttpResponseBase = import_string(name)(request, *args, **kwargs)
        return found

    return view


SECOND_FACTOR: list[URLPattern | URLResolver] = [
    path(route, _when_asked(f"allauth.mfa.{view}"), name=f"mfa_{name}")
    for route, view, name in (
        ("", "base.views.index", "index"),
        ("authenticate/", "base.views.authenticate", "authenticate"),
        ("reauthenticate/", "base.views.reauthenticate", "reauthenticate"),
        ("app/activate/", "totp.views.activate_totp", "activate_totp"),
        ("app/deactivate/", "totp.views.deactivate_totp", "deactivate_totp"),
        ("recovery-codes/", "recovery_codes.views.view_recovery_codes", "view_recovery_codes"),
        ("recovery-codes/new/", "recovery_codes.views.generate_recovery_codes", "generate_recovery_codes"),
        ("recovery-codes/file/", "recovery_codes.views.download_recovery_codes", "download_recovery_codes"),
    )
]

PROVIDER: list[URLPattern | URLResolver] = [
    path(
        "login/",
        begun_here(_when_asked("allauth.socialaccount.providers.openid_connect.views.login")),
        {"provider_id": "oidc"},
        name="openid_connect_login",
    ),
    path(
        "callback/",
        _when_asked("allauth.socialaccount.providers.openid_connect.views.callback"),
        {"provider_id": "oidc"},
        name="openid_connect_callback",
    ),
    path(
        "cancelled/",
        _when_asked("allauth.socialaccount.views.login_cancelled"),
        name="socialaccount_login_cancelled",
    ),
]

# Former addresses of pages, for bookmarks and links in mails.
MOVED = {
    r"measure/items/(?P<pk>\d+)/(?:all|one)": "evaluation/item-analysis/%(pk)s/items",
    r"measure/items": "evaluation/item-analysis",
    r"measure/runs/(?P<pk>\d+)/answers": "evaluation/runs/%(pk)s/responses",
    r"measure": "evaluation",
    r"statement": "work-report",
    r"tables": "export",
    r"hand-over": "handover",
    r"write/left": "write/without-writer",
    r"review/lessons": "review/practice/mine",
}

# The same for models in the admin.
MOVED_IN_ADMIN = {
    "jobs/work": "jobs/job",
    "review/deputy": "review/substitute",
    "review/golditem": "review/practiceitem",
}


def _moved(old: str, new: str) -> URLPattern:
    """Return a permanent redirect from an old URL of a project, and from the URLs below it."""
    there = RedirectView.as_view(url=f"/p/%(slug)s/{new}%(rest)s", permanent=True, query_string=True)
    return re_path(rf"^p/(?P<slug>[-\w]+)/{old}(?P<rest>(?:[/.].*)?)$", require_GET(there))


def _moved_in_admin(old: str, new: str) -> URLPattern:
    """Return a permanent redirect from the former URLs of a model in the admin."""
    there = RedirectView.as_view(url=f"/admin/{new}/%(rest)s", permanent=True, query_string=True)
    return re_path(rf"^admin/{old}/(?P<rest>.*)$", require_GET(there))


class WhenAsked(URLResolver):
    """A resolver for URLs that imports its module when one of them is first requested or reversed."""

    def _populate(self) -> None:
        """Do nothing, so that Django does not import the module to collect the names of all URLs."""


WITH_API = (
    *("projects", "jobs", "events", "corpus", "annotation", "review", "generation", "release"),
    *("evaluation", "dashboard"),
)

handler400 = "config.middleware.refuse_bad_request"
handler404 = "config.middleware.refuse_missing"

urlpatterns: list[URLPattern | URLResolver] = [
    # first, since its pages are requested most and Django searches this list in order; no two apps share a
    # route
    path("", include("review.urls")),
    path("", include("dashboard.urls")),
    path("", include("accounts.urls")),
    path("", include("projects.urls")),
    path("", include("jobs.urls")),
    path("", include("corpus.urls")),
    path("", include("events.urls")),
    path("", include("annotation.urls")),
    path("", include("generation.urls")),
    path("", include("release.urls")),
    path("", include("evaluation.urls")),
    *(_moved(old, new) for old, new in MOVED.items()),
    path("accounts/", include(SIGN_IN)),
    path("accounts/second-factor/", include(SECOND_FACTOR)),
    path("accounts/oidc/", include(PROVIDER)),
    path("language/", include("django.conf.urls.i18n")),
    # Django's own page would not record the change in the audit trail.
    path("admin/password_change/", RedirectView.as_view(pattern_name="account_change_password")),
    *(_moved_in_admin(old, new) for old, new in MOVED_IN_ADMIN.items()),
    # for administrators only, and it imports openpyxl
    WhenAsked(RoutePattern("admin/"), "config.admin_urls", app_name="admin", namespace="admin"),
    *(path("api/v1/", include(f"{app}.api_urls")) for app in WITH_API),
    path("api/v1/schema/", SpectacularJSONAPIView.as_view(), name="api-schema"),
    path("api/v1/docs/", SpectacularSwaggerSplitView.as_view(url_name="api-schema"), name="api-docs"),
]

handler429 = "config.middleware.too_many_requests"  # required by allauth
handler500 = "config.outages.show_error"
