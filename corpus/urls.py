"""Routes of the app `corpus`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from corpus.views import imports, similar, stories

app_name = "corpus"

urlpatterns: list[URLPattern | URLResolver] = [
    path("p/<slug:slug>/stories", stories.stories, name="stories"),
    path("p/<slug:slug>/stories/import", imports.import_stories, name="import_stories"),
    path("p/<slug:slug>/stories/similar", similar.similar, name="similar"),
    path("p/<slug:slug>/stories/<int:pk>", stories.story, name="story"),
    path("p/<slug:slug>/stories/<int:pk>/edit", stories.edit, name="edit"),
    path("p/<slug:slug>/stories/<int:pk>/rights", stories.rights, name="rights"),
]
