"""Addresses of the JSON that pages of `release` use, under /api/v1/."""

from django.urls import URLPattern, path

from release import api

urlpatterns: list[URLPattern] = [
    path("score/<str:token>/", api.team_score, name="api_score"),
    path("projects/<slug:slug>/releases/", api.release_list, name="api_releases"),
    path("projects/<slug:slug>/releases/<str:version>/", api.release_detail, name="api_release"),
    path(
        "projects/<slug:slug>/releases/<str:before>/compare/<str:after>/",
        api.release_comparison,
        name="api_release_comparison",
    ),
]
