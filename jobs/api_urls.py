"""URLs of the JSON API that pages of `jobs` use, below /api/v1/."""

from django.urls import URLPattern, path

from jobs import api

urlpatterns: list[URLPattern] = [path("jobs/<int:pk>/", api.job, name="api_job")]
