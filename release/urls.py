"""Routes of the app `release`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver

app_name = "release"

urlpatterns: list[URLPattern | URLResolver] = []
