"""Routes of the API views that pages of `generation` use, under /api/v1/."""

from django.urls import URLPattern, path

from generation import api

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/stories/<int:pk>/slots/", api.slots, name="api_slots"),
]
