"""Routes of the app `dashboard`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path, re_path

from dashboard.views.style import style, style_spread

app_name = "dashboard"

urlpatterns: list[URLPattern | URLResolver] = [
    path("style/", style, name="style"),
    re_path(r"^style/(?P<kind>desk|review)/$", style_spread, name="style_spread"),
]
