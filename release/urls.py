"""Routes of the app `release`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from release.views import comparison, download, draft, draft_action, file, gate, push, release, report, team

app_name = "release"

urlpatterns: list[URLPattern | URLResolver] = [
    path("p/<slug:slug>/gates", gate.show, name="gates"),
    path("p/<slug:slug>/gates/check", gate.check, name="check_gates"),
    path("report", report.report, name="report"),
    path("report/<str:token>", report.status, name="report_status"),
    path("p/<slug:slug>/reports", report.show_list, name="reports"),
    path("p/<slug:slug>/reports/<int:pk>", report.answer, name="answer_report"),
    path("p/<slug:slug>/releases", release.show_list, name="list"),
    path("p/<slug:slug>/releases/new", draft.create, name="build"),
    path("p/<slug:slug>/releases/drafts/<int:pk>/contents", draft.contents, name="draft_contents"),
    path("p/<slug:slug>/releases/drafts/<int:pk>/gates", draft.gates, name="draft_gates"),
    path("p/<slug:slug>/releases/drafts/<int:pk>/settings", draft.settings, name="draft_settings"),
    path("p/<slug:slug>/releases/drafts/<int:pk>/build", draft.build, name="draft_build"),
    path("p/<slug:slug>/releases/drafts/<int:pk>/items", draft.items, name="draft_items"),
    path("p/<slug:slug>/releases/drafts/<int:pk>/check", draft_action.check, name="check_draft"),
    path("p/<slug:slug>/releases/drafts/<int:pk>/exclude", draft_action.exclude, name="exclude_items"),
    path("p/<slug:slug>/releases/drafts/<int:pk>/include", draft_action.include, name="include_items"),
    path("p/<slug:slug>/releases/drafts/<int:pk>/return", draft.send_back, name="return_items"),
    path("p/<slug:slug>/releases/drafts/<int:pk>/override", draft.override, name="override_gate"),
    path(
        "p/<slug:slug>/releases/drafts/<int:pk>/override/remove",
        draft_action.remove_override,
        name="remove_override",
    ),
    path("p/<slug:slug>/releases/drafts/<int:pk>/discard", draft_action.discard, name="discard_draft"),
    path("p/<slug:slug>/releases/drafts/<int:pk>/restore", draft_action.restore, name="restore_draft"),
    path("score/<str:token>", team.score, name="score"),
    path("p/<slug:slug>/releases/<str:version>/teams", team.show, name="teams"),
    path("p/<slug:slug>/releases/<str:version>/teams/<int:pk>/revoke", team.revoke, name="revoke_team"),
    path("p/<slug:slug>/releases/compare", comparison.choose, name="choose"),
    path("p/<slug:slug>/releases/<str:before>/compare/<str:after>", comparison.compare, name="compare"),
    path("p/<slug:slug>/releases/<str:version>/downloads", download.show_downloads, name="downloads"),
    path(
        "p/<slug:slug>/releases/<str:version>/downloads.<str:kind>",
        download.export_downloads,
        name="export_downloads",
    ),
    path("p/<slug:slug>/releases/<str:version>", release.detail, name="detail"),
    path("p/<slug:slug>/releases/<str:version>/gates", release.gates, name="release_gates"),
    path("p/<slug:slug>/releases/<str:version>/card", release.show_card, name="card"),
    path("p/<slug:slug>/releases/<str:version>/reports", release.reports, name="release_reports"),
    path("p/<slug:slug>/releases/<str:version>/progress", release.progress, name="progress"),
    path("p/<slug:slug>/releases/<str:version>/retry", release.retry, name="retry"),
    path("p/<slug:slug>/releases/<str:version>/push", push.show, name="push"),
    path("p/<slug:slug>/releases/<str:version>/withdraw", release.withdraw, name="withdraw"),
    path("p/<slug:slug>/releases/<str:version>/all.zip", file.everything, name="everything"),
    path("p/<slug:slug>/releases/<str:version>/fine-tuning.zip", file.fine_tuning, name="fine_tuning"),
    path("p/<slug:slug>/releases/<str:version>/test-answers.jsonl", file.answers, name="answers"),
    path("p/<slug:slug>/releases/<str:version>/items.jsonl", file.items, name="items"),
    path("p/<slug:slug>/releases/<str:version>/as/<slug:code>", file.converted, name="converted"),
    path("p/<slug:slug>/releases/<str:version>/files/<path:name>", file.one, name="file"),
]
