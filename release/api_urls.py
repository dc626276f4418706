"""Routes of the programming interface of this app, under /api/v1/."""

from django.urls import URLPattern, path

from release.api import draft, file, gate, push, release, report, team

DRAFT = "projects/<slug:slug>/releases/drafts/<int:pk>/"
RELEASE = "projects/<slug:slug>/releases/<str:version>/"

urlpatterns: list[URLPattern] = [
    path("score/<str:token>/", team.team_score, name="api_score"),
    path("projects/<slug:slug>/gates/", gate.gates, name="api_gates"),
    path("projects/<slug:slug>/gates/check/", gate.check, name="api_gates_check"),
    path("projects/<slug:slug>/reports/", report.report_list, name="api_reports"),
    path("projects/<slug:slug>/reports/<int:pk>/", report.report, name="api_report"),
    path("projects/<slug:slug>/reports/<int:pk>/reply/", report.reply, name="api_report_reply"),
    path("projects/<slug:slug>/releases/", release.releases, name="api_releases"),
    path("projects/<slug:slug>/releases/drafts/", draft.drafts, name="api_release_drafts"),
    path(DRAFT, draft.draft, name="api_release_draft"),
    path(f"{DRAFT}findings/", draft.findings, name="api_release_draft_findings"),
    path(f"{DRAFT}items/", draft.items, name="api_release_draft_items"),
    path(f"{DRAFT}check/", draft.check, name="api_release_draft_check"),
    path(f"{DRAFT}exclude/", draft.exclude, name="api_release_draft_exclude"),
    path(f"{DRAFT}include/", draft.include, name="api_release_draft_include"),
    path(f"{DRAFT}return/", draft.send_back, name="api_release_draft_return"),
    path(f"{DRAFT}overrides/", draft.overrides, name="api_release_draft_overrides"),
    path(f"{DRAFT}overrides/<slug:gate>/", draft.override, name="api_release_draft_override"),
    path(f"{DRAFT}build/", draft.build, name="api_release_draft_build"),
    path(f"{DRAFT}discard/", draft.discard, name="api_release_draft_discard"),
    path(f"{DRAFT}restore/", draft.restore, name="api_release_draft_restore"),
    path(RELEASE, release.release, name="api_release"),
    path(f"{RELEASE}withdraw/", release.withdraw, name="api_release_withdraw"),
    path(f"{RELEASE}retry/", release.retry, name="api_release_retry"),
    path(f"{RELEASE}rebuild/", release.rebuild, name="api_release_rebuild"),
    path(f"{RELEASE}gates/", release.gates, name="api_release_gates"),
    path(f"{RELEASE}errata/", report.errata, name="api_release_errata"),
    path(f"{RELEASE}files/", file.files, name="api_release_files"),
    path(f"{RELEASE}files/<path:name>/", file.file, name="api_release_file"),
    path(f"{RELEASE}archive/", file.archive, name="api_release_archive"),
    path(f"{RELEASE}fine-tuning/", file.fine_tuning, name="api_release_fine_tuning"),
    path(f"{RELEASE}items/", file.items, name="api_release_items"),
    path(f"{RELEASE}as/<slug:code>/", file.converted, name="api_release_converted"),
    path(f"{RELEASE}test-answers/", file.answers, name="api_release_test_answers"),
    path(f"{RELEASE}downloads/", file.download_list, name="api_release_downloads"),
    path(f"{RELEASE}teams/", team.team_list, name="api_teams"),
    path(f"{RELEASE}teams/<int:pk>/revoke/", team.revoke, name="api_team_revoke"),
    path(f"{RELEASE}uploads/", team.upload_list, name="api_release_uploads"),
    path(f"{RELEASE}upload-limit/", team.upload_limit, name="api_release_upload_limit"),
    path(f"{RELEASE}pushes/", push.push_list, name="api_release_pushes"),
    path(
        "projects/<slug:slug>/releases/<str:before>/compare/<str:after>/",
        release.compare,
        name="api_release_comparison",
    ),
]
