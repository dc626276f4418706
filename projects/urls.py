"""Routes of the app `projects`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver

app_name = "projects"

urlpatterns: list[URLPattern | URLResolver] = []
