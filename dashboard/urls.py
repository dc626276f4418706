"""Routes of the app `dashboard`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from dashboard.views import (
    begin,
    bulk,
    glossary,
    handover,
    inbox,
    item,
    listing,
    overview,
    pilot,
    priority,
    report,
    search,
    table,
)

app_name = "dashboard"

urlpatterns: list[URLPattern | URLResolver] = [
    path("", inbox.home, name="home"),
    path("inbox/read", inbox.mark_read, name="mark_read"),
    path("help/glossary", glossary.glossary, name="glossary"),
    path("search", search.search, name="search"),
    path("p/<slug:slug>", inbox.project_home, name="project"),
    path("p/<slug:slug>/begin/<slug:role>", begin.hide, name="hide_begin"),
    path("p/<slug:slug>/items", listing.items, name="items"),
    path("p/<slug:slug>/items/bulk", bulk.change, name="bulk"),
    path("p/<slug:slug>/items/bulk/<int:pk>/undo", bulk.undo, name="undo_bulk"),
    path("p/<slug:slug>/items/views", listing.save, name="save_view"),
    path("p/<slug:slug>/items/views/<int:pk>/delete", listing.delete, name="delete_view"),
    path("p/<slug:slug>/items/<int:pk>", item.show, name="item"),
    path("p/<slug:slug>/overview", overview.overview, name="overview"),
    path("p/<slug:slug>/overview/priority", priority.change, name="set_priority"),
    path("p/<slug:slug>/overview.<str:kind>", overview.export, name="export_overview"),
    path("p/<slug:slug>/statement", report.show, name="statement"),
    path("p/<slug:slug>/statement/rates", report.set_rates, name="set_rates"),
    path("p/<slug:slug>/statement.<str:kind>", report.export, name="export_statement"),
    path("p/<slug:slug>/tables", table.tables, name="tables"),
    path("p/<slug:slug>/tables/<slug:name>.<str:kind>", table.table, name="table"),
    path("p/<slug:slug>/pilots/<int:pk>", pilot.pilot, name="pilot"),
    path("p/<slug:slug>/hand-over", handover.hand_over, name="hand_over"),
    path("p/<slug:slug>/hand-over/<int:pk>/back", handover.back, name="hand_back"),
]
