"""Routes of the app `review`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver

app_name = "review"

urlpatterns: list[URLPattern | URLResolver] = []
