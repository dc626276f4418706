"""Routes of the app `generation`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from generation.views import endpoints, overview, prompts, sheets, stems, trials, yields

app_name = "generation"

urlpatterns: list[URLPattern | URLResolver] = [
    path("p/<slug:slug>/candidates", overview.candidates, name="candidates"),
    path("p/<slug:slug>/candidates/yield", yields.show, name="yield"),
    path("p/<slug:slug>/candidates/batch", overview.batch, name="batch"),
    path("p/<slug:slug>/candidates/endpoints", endpoints.show, name="endpoints"),
    path("p/<slug:slug>/candidates/endpoints/budget", endpoints.set_budget, name="set_budget"),
    path("p/<slug:slug>/candidates/endpoints/<int:pk>", endpoints.edit, name="endpoint"),
    path("p/<slug:slug>/candidates/endpoints/<int:pk>/key", endpoints.store_key, name="store_key"),
    path(
        "p/<slug:slug>/candidates/endpoints/<int:pk>/key/discard", endpoints.discard_key, name="discard_key"
    ),
    path("p/<slug:slug>/candidates/endpoints/<int:pk>/back", endpoints.bring_back, name="bring_back"),
    path("p/<slug:slug>/candidates/endpoints/<int:pk>/try", endpoints.try_out, name="try"),
    path("p/<slug:slug>/candidates/endpoints/<int:pk>/retire", endpoints.retire, name="retire"),
    path("p/<slug:slug>/candidates/prompts", prompts.show, name="templates"),
    path("p/<slug:slug>/candidates/prompts/new", prompts.write, name="template_new"),
    path("p/<slug:slug>/candidates/prompts/<int:pk>", prompts.write, name="template"),
    path("p/<slug:slug>/candidates/<int:story>", sheets.show, name="story"),
    path("p/<slug:slug>/candidates/<int:story>/checks", sheets.checks, name="checks"),
    path("p/<slug:slug>/candidates/<int:story>/try/<uuid:draft>", trials.try_item, name="try_item"),
    path("p/<slug:slug>/candidates/<int:story>/options/<uuid:draft>", stems.options, name="stem_options"),
    path("p/<slug:slug>/candidates/<int:story>/by-hand", sheets.by_hand, name="by_hand"),
]
