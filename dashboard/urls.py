"""Routes of the app `dashboard`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path, re_path

from dashboard.views import home
from dashboard.views.style import style, style_spread

app_name = "dashboard"

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home, name="home"),
    path("p/<slug:slug>", home.project_home, name="project"),
    path("p/<slug:slug>/items/<int:pk>", home.item, name="item"),
    path("style/", style, name="style"),
    re_path(r"^style/(?P<kind>desk|review)/$", style_spread, name="style_spread"),
]
