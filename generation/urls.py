"""Routes of the app `generation`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from generation.views import adoption, endpoint, overview, prompt, stem, trial, yields

app_name = "generation"

urlpatterns: list[URLPattern | URLResolver] = [
    path("p/<slug:slug>/candidates", overview.candidates, name="candidates"),
    path("p/<slug:slug>/candidates/yield", yields.show, name="yield"),
    path("p/<slug:slug>/candidates/batch", overview.batch, name="batch"),
    path("p/<slug:slug>/candidates/endpoints", endpoint.show, name="endpoints"),
    path("p/<slug:slug>/candidates/endpoints/budget", endpoint.set_budget, name="set_budget"),
    path("p/<slug:slug>/candidates/endpoints/<int:pk>", endpoint.edit, name="endpoint"),
    path("p/<slug:slug>/candidates/endpoints/<int:pk>/key", endpoint.store_key, name="store_key"),
    path("p/<slug:slug>/candidates/endpoints/<int:pk>/key/discard", endpoint.discard_key, name="discard_key"),
    path("p/<slug:slug>/candidates/endpoints/<int:pk>/restore", endpoint.restore, name="restore"),
    path("p/<slug:slug>/candidates/endpoints/<int:pk>/test", endpoint.test, name="test"),
    path("p/<slug:slug>/candidates/endpoints/<int:pk>/retire", endpoint.retire, name="retire"),
    path("p/<slug:slug>/candidates/prompts", prompt.show, name="prompts"),
    path("p/<slug:slug>/candidates/prompts/new", prompt.create, name="new_prompt"),
    path("p/<slug:slug>/candidates/prompts/<int:pk>", prompt.write, name="prompt"),
    path("p/<slug:slug>/candidates/<int:story>", adoption.show, name="story"),
    path("p/<slug:slug>/candidates/<int:story>/checks", adoption.checks, name="checks"),
    path("p/<slug:slug>/candidates/<int:story>/test/<uuid:draft>", trial.test_item, name="test_item"),
    path("p/<slug:slug>/candidates/<int:story>/options/<uuid:draft>", stem.options, name="stem_options"),
    path("p/<slug:slug>/candidates/<int:story>/by-hand", adoption.answer_manually, name="by_hand"),
]
