"""Routes of the app `corpus`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver

app_name = "corpus"

urlpatterns: list[URLPattern | URLResolver] = []
