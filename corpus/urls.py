"""Routes of the app `corpus`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from corpus.views import group, story, upload

app_name = "corpus"

urlpatterns: list[URLPattern | URLResolver] = [
    path("p/<slug:slug>/stories/import", upload.import_stories, name="import_stories"),
    path("p/<slug:slug>/stories/similar", group.similar, name="similar"),
    path("p/<slug:slug>/stories/similar/decision", group.decide, name="decide_group"),
    path("p/<slug:slug>/stories/<int:pk>", story.story, name="story"),
    path("p/<slug:slug>/stories/<int:pk>/edit", story.edit, name="edit"),
    path("p/<slug:slug>/stories/<int:pk>/rights", story.rights, name="rights"),
]
