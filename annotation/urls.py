"""Routes of the app `annotation`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from annotation.views import assignments, conversation, desk, imports, items, morals, pilots, writing

app_name = "annotation"

urlpatterns: list[URLPattern | URLResolver] = [
    path("p/<slug:slug>/write", desk.desk, name="desk"),
    path("p/<slug:slug>/write/next", desk.take_next, name="take_next"),
    path("p/<slug:slug>/assignments", assignments.assignments, name="assignments"),
    path("p/<slug:slug>/assignments/name", assignments.name_writers, name="name_writers"),
    path("p/<slug:slug>/write/left", assignments.left, name="left"),
    path("p/<slug:slug>/write/item/<int:pk>/take-over", assignments.take_over, name="take_over"),
    path("p/<slug:slug>/write/story/<int:story>", writing.write, name="write"),
    path("p/<slug:slug>/write/story/<int:story>/take", desk.take, name="take"),
    path("p/<slug:slug>/write/story/<int:story>/moral", morals.see_moral, name="see_moral"),
    path("p/<slug:slug>/write/in-hand/<int:pk>/give-back", desk.give_back, name="give_back"),
    path("p/<slug:slug>/write/item/<int:pk>", writing.revise, name="revise"),
    path("p/<slug:slug>/write/item/<int:pk>/withdraw", writing.withdraw, name="withdraw"),
    path("p/<slug:slug>/write/item/<int:pk>/changes", conversation.changes, name="changes"),
    path("p/<slug:slug>/write/draft/<uuid:client_id>", writing.draft, name="draft"),
    path("p/<slug:slug>/write/draft/<uuid:client_id>/restore", writing.restore, name="restore"),
    path("p/<slug:slug>/items", items.items, name="items"),
    path("p/<slug:slug>/items/import", imports.import_items, name="import_items"),
    path("p/<slug:slug>/items/<int:pk>/comment", conversation.comment, name="comment"),
    path("p/<slug:slug>/items/<int:pk>/contest", conversation.contest, name="contest"),
    path("p/<slug:slug>/pilots", pilots.pilots, name="pilots"),
    path("p/<slug:slug>/pilots/new", pilots.start, name="start_pilot"),
    path("p/<slug:slug>/pilots/notes", pilots.notes, name="pilot_notes"),
    path("p/<slug:slug>/pilots/<int:pk>/end", pilots.end, name="end_pilot"),
    path("p/<slug:slug>/pilots/<int:pk>/story/<int:story>/note", pilots.note, name="note_on_pilot"),
    path("p/<slug:slug>/guideline/older", pilots.older_items, name="older_items"),
    path("p/<slug:slug>/stories/counts", items.story_counts, name="story_counts"),
    path("p/<slug:slug>/stories/<int:pk>/items", items.story_items, name="story_items"),
    path("p/<slug:slug>/stories/<int:pk>/moral", morals.moral, name="moral"),
]
