"""Routes of the app `dashboard`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from dashboard.views import (
    begin,
    bulk,
    coverage,
    export,
    glossary,
    handover,
    inbox,
    item,
    long_list,
    overview,
    pilot,
    plan,
    priority,
    report,
    search,
)

app_name = "dashboard"

urlpatterns: list[URLPattern | URLResolver] = [
    path("", inbox.home, name="home"),
    path("inbox/read", inbox.mark_read, name="mark_read"),
    path("help/glossary", glossary.glossary, name="glossary"),
    path("search", search.search, name="search"),
    path("p/<slug:slug>", inbox.project_home, name="project"),
    path("p/<slug:slug>/begin/<slug:role>", begin.hide, name="hide_begin"),
    path("p/<slug:slug>/items", long_list.show, {"listing": "items"}, name="items"),
    path("p/<slug:slug>/stories", long_list.show, {"listing": "stories"}, name="stories"),
    path("p/<slug:slug>/candidates/all", long_list.show, {"listing": "candidates"}, name="candidates"),
    path("p/<slug:slug>/evaluation", long_list.show, {"listing": "runs"}, name="runs"),
    path("p/<slug:slug>/members", long_list.show, {"listing": "members"}, name="members"),
    path("p/<slug:slug>/lists/<slug:listing>/bulk", bulk.change, name="bulk"),
    path("p/<slug:slug>/lists/bulk/<int:pk>/undo", bulk.undo, name="undo_bulk"),
    path("p/<slug:slug>/stories/similar/all", bulk.confirm_groups, name="confirm_groups"),
    path("p/<slug:slug>/lists/<slug:listing>/views", long_list.save, name="save_view"),
    path("p/<slug:slug>/lists/<slug:listing>/views/<int:pk>/delete", long_list.delete, name="delete_view"),
    path("p/<slug:slug>/items/<int:pk>", item.show, name="item"),
    path("p/<slug:slug>/overview", overview.overview, name="overview"),
    path("p/<slug:slug>/overview/priority", priority.change, name="set_priority"),
    path("p/<slug:slug>/overview.<str:kind>", overview.export, name="export_overview"),
    path("p/<slug:slug>/coverage", coverage.show, name="coverage"),
    path("p/<slug:slug>/plan", plan.plan, name="plan"),
    path("p/<slug:slug>/plan/reservations", plan.reserve, name="reserve"),
    path("p/<slug:slug>/plan/reservations/<int:pk>/end", plan.end, name="end_reservation"),
    path("p/<slug:slug>/work-report", report.show, name="work_report"),
    path("p/<slug:slug>/work-report/rates", report.set_rates, name="set_rates"),
    path("p/<slug:slug>/work-report.<str:kind>", report.export, name="export_work_report"),
    path("p/<slug:slug>/export", export.show, name="exports"),
    path("p/<slug:slug>/export/published/<slug:task>", export.export_published, name="export_published"),
    path("p/<slug:slug>/export/<slug:name>.<str:kind>", export.export, name="export"),
    path("p/<slug:slug>/pilots/<int:pk>", pilot.pilot, name="pilot"),
    path("p/<slug:slug>/handover", handover.hand_over, name="handover"),
    path("p/<slug:slug>/handover/<int:pk>/undo", handover.undo, name="undo_handover"),
]
