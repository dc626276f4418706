"""Routes of the app `release`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from release.views import comparing, files, gates, life, pages, reports, teams

app_name = "release"

urlpatterns: list[URLPattern | URLResolver] = [
    path("p/<slug:slug>/gates", gates.show, name="gates"),
    path("p/<slug:slug>/gates/check", gates.check, name="check_gates"),
    path("report", reports.report, name="report"),
    path("report/<str:token>", reports.status, name="report_status"),
    path("p/<slug:slug>/reports", reports.show_list, name="reports"),
    path("p/<slug:slug>/reports/<int:pk>", reports.answer, name="answer_report"),
    path("p/<slug:slug>/releases", pages.show_list, name="list"),
    path("p/<slug:slug>/releases/new", pages.build, name="build"),
    path("score/<str:token>", teams.score, name="score"),
    path("p/<slug:slug>/releases/<str:version>/teams", teams.show, name="teams"),
    path("p/<slug:slug>/releases/<str:version>/teams/<int:pk>/revoke", teams.revoke, name="revoke_team"),
    path("p/<slug:slug>/releases/compare", comparing.choose, name="choose"),
    path("p/<slug:slug>/releases/<str:before>/compare/<str:after>", comparing.compare, name="compare"),
    path("p/<slug:slug>/releases/<str:version>/downloads", life.show_downloads, name="downloads"),
    path(
        "p/<slug:slug>/releases/<str:version>/downloads.<str:kind>",
        life.export_downloads,
        name="export_downloads",
    ),
    path("p/<slug:slug>/releases/<str:version>", pages.detail, name="detail"),
    path("p/<slug:slug>/releases/<str:version>/progress", pages.progress, name="progress"),
    path("p/<slug:slug>/releases/<str:version>/retry", pages.retry, name="retry"),
    path("p/<slug:slug>/releases/<str:version>/withdraw", pages.withdraw, name="withdraw"),
    path("p/<slug:slug>/releases/<str:version>/all.zip", files.everything, name="everything"),
    path("p/<slug:slug>/releases/<str:version>/test-answers.jsonl", files.answers, name="answers"),
    path("p/<slug:slug>/releases/<str:version>/items.jsonl", files.items, name="items"),
    path("p/<slug:slug>/releases/<str:version>/files/<path:name>", files.one, name="file"),
]
