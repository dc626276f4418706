"""Every address of the site.

Each app names its own routes in its `urls` module, with its name as namespace, from the root of
the site: pages under a word of its own, JSON for pages and scripts under `api/v1/`.
"""

from __future__ import annotations

from allauth.account import views as sign_in
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerSplitView

# Of allauth's pages only those that work without a mail server and with sign-up closed.
# Their names are allauth's own, since its code looks them up.
SIGN_IN: list[URLPattern | URLResolver] = [
    path("login/", sign_in.login, name="account_login"),
    path("logout/", sign_in.logout, name="account_logout"),
    path("inactive/", sign_in.account_inactive, name="account_inactive"),
    path("password/change/", sign_in.password_change, name="account_change_password"),
    path("reauthenticate/", sign_in.reauthenticate, name="account_reauthenticate"),
]

WITH_API = ("jobs", "annotation", "review", "generation", "release")

handler400 = "config.middleware.refuse_bad_request"

urlpatterns: list[URLPattern | URLResolver] = [
    # first, since a request walks this list and its pages are asked for most; no two apps share a route
    path("", include("review.urls")),
    path("", include("dashboard.urls")),
    path("", include("accounts.urls")),
    path("", include("projects.urls")),
    path("", include("jobs.urls")),
    path("", include("corpus.urls")),
    path("", include("annotation.urls")),
    path("", include("generation.urls")),
    path("", include("release.urls")),
    path("", include("evaluation.urls")),
    path("accounts/", include(SIGN_IN)),
    path("language/", include("django.conf.urls.i18n")),
    # Django's own page for this leaves no line in the audit trail.
    path("admin/password_change/", RedirectView.as_view(pattern_name="account_change_password")),
    path("admin/", admin.site.urls),
    *(path("api/v1/", include(f"{app}.api_urls")) for app in WITH_API),
    path("api/v1/schema/", SpectacularJSONAPIView.as_view(), name="api-schema"),
    path("api/v1/docs/", SpectacularSwaggerSplitView.as_view(url_name="api-schema"), name="api-docs"),
]

handler500 = "config.outages.show_error"
