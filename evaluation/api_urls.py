"""Routes of the programming interface of this app, under /api/v1/."""

from django.urls import URLPattern, path

from evaluation.api import calibration, examinee, panel, publication, replication, response_file, result, run

PROJECT = "projects/<slug:slug>/"

urlpatterns: list[URLPattern] = [
    path(f"{PROJECT}examinees/", examinee.examinee_list, name="api_examinees"),
    path(f"{PROJECT}examinees/<int:pk>/", examinee.examinee, name="api_examinee"),
    path(f"{PROJECT}runs/", run.run_list, name="api_runs"),
    path(f"{PROJECT}runs/estimate/", run.estimate, name="api_runs_estimate"),
    path(f"{PROJECT}runs/<int:pk>/", run.run, name="api_run"),
    path(f"{PROJECT}runs/<int:pk>/compare/", run.compare, name="api_run_compare"),
    path(f"{PROJECT}runs/<int:pk>/responses/", run.response_list, name="api_run_responses"),
    path(f"{PROJECT}runs/<int:pk>/responses/download/", run.download, name="api_run_download"),
    path(f"{PROJECT}response-files/", response_file.file_list, name="api_response_files"),
    path(f"{PROJECT}response-files/<int:pk>/", response_file.file, name="api_response_file"),
    path(f"{PROJECT}response-files/<int:pk>/retry/", response_file.retry, name="api_response_file_retry"),
    path(f"{PROJECT}results/", result.results_list, name="api_results_list"),
    path(f"{PROJECT}results/<int:pk>/", result.results, name="api_results"),
    path(f"{PROJECT}results/<int:pk>/recalculate/", result.recalculate, name="api_results_recalculate"),
    path(f"{PROJECT}results/<int:pk>/records/", result.records, name="api_results_records"),
    path(f"{PROJECT}results/<int:pk>/published/", replication.published, name="api_published_figures"),
    path(f"{PROJECT}results/<int:pk>/published/paper/", replication.paper, name="api_published_paper"),
    path(
        f"{PROJECT}results/<int:pk>/published/template/",
        replication.template,
        name="api_published_template",
    ),
    path(
        f"{PROJECT}results/<int:pk>/published/comparison/<slug:ending>/",
        replication.download,
        name="api_published_file",
    ),
    path(f"{PROJECT}results/<int:pk>/table/<slug:table>/", result.table, name="api_results_table"),
    path(
        f"{PROJECT}results/<int:pk>/table/<slug:table>/<slug:ending>/",
        result.download,
        name="api_results_table_file",
    ),
    path(f"{PROJECT}calibrations/", calibration.calibration_list, name="api_calibrations"),
    path(f"{PROJECT}calibrations/<int:pk>/", calibration.calibration, name="api_calibration"),
    path(f"{PROJECT}calibrations/<int:pk>/items/", calibration.item_list, name="api_calibration_items"),
    path(f"{PROJECT}calibrations/<int:pk>/items/<str:name>/", calibration.item, name="api_calibration_item"),
    path(f"{PROJECT}panels/", panel.panel_list, name="api_panels"),
    path(f"{PROJECT}panels/<int:pk>/", panel.panel, name="api_panel"),
    path(f"{PROJECT}panels/<int:pk>/people/", panel.people, name="api_panel_people"),
    path(f"{PROJECT}panels/<int:pk>/people/<int:seat>/withdraw/", panel.withdraw, name="api_panel_withdraw"),
    path(f"{PROJECT}releases/<str:version>/publication/", publication.publication, name="api_publication"),
    path(f"{PROJECT}releases/<str:version>/short-form/", calibration.short_form_of, name="api_short_form"),
]
