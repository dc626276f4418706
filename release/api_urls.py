"""Addresses of the JSON that pages of `release` use, under /api/v1/."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
