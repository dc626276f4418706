"""Routes of the app `evaluation`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from evaluation.views import calibration, panel, publication, replication, result, run, short_form, upload

app_name = "evaluation"

urlpatterns: list[URLPattern | URLResolver] = [
    path("p/<slug:slug>/evaluation/new", run.start, name="start"),
    path("p/<slug:slug>/evaluation/import", upload.import_responses, name="import"),
    path("p/<slug:slug>/evaluation/import/<int:pk>", upload.show, name="imported"),
    path(
        "p/<slug:slug>/evaluation/import/uploads/<int:pk>",
        upload.import_team_upload,
        name="import_team_upload",
    ),
    path("p/<slug:slug>/evaluation/import/<int:pk>/retry", upload.retry, name="retry_import"),
    path("p/<slug:slug>/evaluation/runs/<int:pk>", run.show, name="run"),
    path("p/<slug:slug>/evaluation/runs/<int:pk>/probe", run.compare_partial_run, name="compare_probe"),
    path("p/<slug:slug>/evaluation/runs/<int:pk>/responses", run.show_responses, name="responses"),
    path("p/<slug:slug>/evaluation/runs/<int:pk>/responses.jsonl", run.download, name="download"),
    path("p/<slug:slug>/evaluation/panels/new", panel.start, name="new_panel"),
    path("p/<slug:slug>/evaluation/panels/<int:pk>", panel.show, name="panel"),
    path(
        "p/<slug:slug>/evaluation/panels/<int:pk>/withdraw/<int:seat>", panel.withdraw, name="withdraw_seat"
    ),
    path("p/<slug:slug>/evaluation/results", result.choose, name="results"),
    path("p/<slug:slug>/evaluation/results/<int:pk>", result.show, name="result"),
    path("p/<slug:slug>/evaluation/results/<int:pk>/items", result.show_items, name="result_items"),
    path("p/<slug:slug>/evaluation/results/<int:pk>/recalculate", result.recalculate, name="recalculate"),
    path("p/<slug:slug>/evaluation/results/<int:pk>/published", replication.show, name="replication"),
    path(
        "p/<slug:slug>/evaluation/results/<int:pk>/published/figures.csv",
        replication.template,
        name="figures_template",
    ),
    path(
        "p/<slug:slug>/evaluation/results/<int:pk>/published/comparison.<slug:ending>",
        replication.download,
        name="replication_file",
    ),
    path(
        "p/<slug:slug>/evaluation/results/<int:pk>/every-eval-ever.zip",
        result.download_records,
        name="result_records",
    ),
    path(
        "p/<slug:slug>/evaluation/results/<int:pk>/<slug:table>.<slug:ending>",
        result.download,
        name="result_file",
    ),
    path("p/<slug:slug>/evaluation/item-analysis", calibration.show_list, name="calibrations"),
    path("p/<slug:slug>/evaluation/item-analysis/<int:pk>", calibration.show, name="calibration"),
    path(
        "p/<slug:slug>/evaluation/item-analysis/<int:pk>/items",
        calibration.show_items,
        name="calibrated_items",
    ),
    path(
        "p/<slug:slug>/evaluation/item-analysis/<int:pk>/items/<str:name>",
        calibration.show_item,
        name="calibrated_item",
    ),
    path(
        "p/<slug:slug>/evaluation/item-analysis/<int:pk>/<slug:plot>.svg",
        calibration.plot_file,
        name="calibration_plot",
    ),
    path(
        "p/<slug:slug>/evaluation/item-analysis/<int:pk>/items/<str:name>/curve.svg",
        calibration.curve_file,
        name="item_curve",
    ),
    path("p/<slug:slug>/releases/<str:version>/short-form", short_form.show, name="short_form"),
    path("p/<slug:slug>/releases/<str:version>/short-form.json", short_form.download, name="short_form_file"),
    path("p/<slug:slug>/releases/<str:version>/dataset", publication.show_dataset, name="dataset"),
    path("p/<slug:slug>/releases/<str:version>/public", publication.settings, name="publication"),
    path("r/<slug:slug>/", publication.newest, name="newest_public"),
    path("r/<slug:slug>/<str:version>/", publication.show, name="public"),
    path("r/<slug:slug>/<str:version>/<path:name>", publication.show, name="public_file"),
    path("solve/<str:token>", panel.solve, name="solve"),
]
