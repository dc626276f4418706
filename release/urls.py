"""Routes of the app `release`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from release.views import files, gates, pages

app_name = "release"

urlpatterns: list[URLPattern | URLResolver] = [
    path("p/<slug:slug>/gates", gates.show, name="gates"),
    path("p/<slug:slug>/gates/check", gates.check, name="check_gates"),
    path("p/<slug:slug>/releases", pages.show_list, name="list"),
    path("p/<slug:slug>/releases/new", pages.build, name="build"),
    path("p/<slug:slug>/releases/<str:version>", pages.detail, name="detail"),
    path("p/<slug:slug>/releases/<str:version>/progress", pages.progress, name="progress"),
    path("p/<slug:slug>/releases/<str:version>/retry", pages.retry, name="retry"),
    path("p/<slug:slug>/releases/<str:version>/withdraw", pages.withdraw, name="withdraw"),
    path("p/<slug:slug>/releases/<str:version>/all.zip", files.everything, name="everything"),
    path("p/<slug:slug>/releases/<str:version>/test-answers.jsonl", files.answers, name="answers"),
    path("p/<slug:slug>/releases/<str:version>/files/<path:name>", files.one, name="file"),
]
