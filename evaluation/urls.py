"""Routes of the app `evaluation`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from evaluation.views import imports, items, panels, results, runs

app_name = "evaluation"

urlpatterns: list[URLPattern | URLResolver] = [
    path("p/<slug:slug>/measure", runs.show_list, name="runs"),
    path("p/<slug:slug>/measure/new", runs.start, name="start"),
    path("p/<slug:slug>/measure/import", imports.bring, name="import"),
    path("p/<slug:slug>/measure/import/<int:pk>", imports.show, name="brought"),
    path("p/<slug:slug>/measure/import/<int:pk>/again", imports.retry, name="bring_again"),
    path("p/<slug:slug>/measure/runs/<int:pk>", runs.show, name="run"),
    path("p/<slug:slug>/measure/runs/<int:pk>/answers", runs.answers, name="answers"),
    path("p/<slug:slug>/measure/runs/<int:pk>/answers.jsonl", runs.download, name="download"),
    path("p/<slug:slug>/measure/panels/new", panels.start, name="panel_new"),
    path("p/<slug:slug>/measure/panels/<int:pk>", panels.show, name="panel"),
    path("p/<slug:slug>/measure/panels/<int:pk>/withdraw/<int:seat>", panels.withdraw, name="withdraw_seat"),
    path("p/<slug:slug>/measure/results", results.choose, name="results"),
    path("p/<slug:slug>/measure/results/<int:pk>", results.show, name="result"),
    path("p/<slug:slug>/measure/results/<int:pk>/again", results.recount, name="recount"),
    path(
        "p/<slug:slug>/measure/results/<int:pk>/<slug:table>.<slug:ending>",
        results.download,
        name="result_file",
    ),
    path("p/<slug:slug>/measure/items", items.show_list, name="calibrations"),
    path("p/<slug:slug>/measure/items/<int:pk>", items.show, name="calibration"),
    path("p/<slug:slug>/measure/items/<int:pk>/all", items.show_items, name="calibrated_items"),
    path("p/<slug:slug>/measure/items/<int:pk>/one/<str:name>", items.show_item, name="calibrated_item"),
    path("p/<slug:slug>/measure/items/<int:pk>/<slug:plot>.svg", items.plot_file, name="calibration_plot"),
    path(
        "p/<slug:slug>/measure/items/<int:pk>/one/<str:name>/curve.svg", items.curve_file, name="item_curve"
    ),
    path("solve/<str:token>", panels.solve, name="solve"),
]
