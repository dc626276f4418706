"""Routes of the app `generation`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver

app_name = "generation"

urlpatterns: list[URLPattern | URLResolver] = []
