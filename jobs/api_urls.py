"""Routes of the JSON API of this app, below /api/v1/."""

from django.urls import URLPattern, path

from jobs import api

urlpatterns: list[URLPattern] = [path("jobs/<int:pk>/", api.job, name="api_job")]
