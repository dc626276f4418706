"""Routes of the app `dashboard`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from dashboard.views import hand_over, home, overview, pilots, priority, statement, tables

app_name = "dashboard"

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home, name="home"),
    path("p/<slug:slug>", home.project_home, name="project"),
    path("p/<slug:slug>/items/<int:pk>", home.item, name="item"),
    path("p/<slug:slug>/overview", overview.overview, name="overview"),
    path("p/<slug:slug>/overview/priority", priority.change, name="set_priority"),
    path("p/<slug:slug>/overview.<str:kind>", overview.export, name="export_overview"),
    path("p/<slug:slug>/statement", statement.show, name="statement"),
    path("p/<slug:slug>/statement/rates", statement.set_rates, name="set_rates"),
    path("p/<slug:slug>/statement.<str:kind>", statement.export, name="export_statement"),
    path("p/<slug:slug>/tables", tables.tables, name="tables"),
    path("p/<slug:slug>/tables/<slug:name>.<str:kind>", tables.table, name="table"),
    path("p/<slug:slug>/pilots/<int:pk>", pilots.pilot, name="pilot"),
    path("p/<slug:slug>/hand-over", hand_over.hand_over, name="hand_over"),
    path("p/<slug:slug>/hand-over/<int:pk>/back", hand_over.back, name="hand_back"),
]
