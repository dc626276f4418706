"""Routes of the app `annotation`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from annotation.views import assignment, audit, comment, desk, draft, item, moral, pilot, upload

app_name = "annotation"

urlpatterns: list[URLPattern | URLResolver] = [
    path("audit/", audit.audit, name="audit"),
    path("audit/<str:token>/", audit.audited, name="audited"),
    path("audit/<str:token>/<str:name>", audit.audited_file, name="audited_file"),
    path("p/<slug:slug>/write", desk.desk, name="desk"),
    path("p/<slug:slug>/write/next", desk.take_next, name="take_next"),
    path("p/<slug:slug>/assignments", assignment.assignments, name="assignments"),
    path("p/<slug:slug>/assignments/name", assignment.name_writers, name="name_writers"),
    path("p/<slug:slug>/write/without-writer", assignment.without_writer, name="without_writer"),
    path("p/<slug:slug>/write/item/<int:pk>/take-over", assignment.take_over, name="take_over"),
    path("p/<slug:slug>/write/story/<int:story>", draft.write, name="write"),
    path("p/<slug:slug>/write/story/<int:story>/take", desk.take, name="take"),
    path("p/<slug:slug>/write/story/<int:story>/moral", moral.see_moral, name="see_moral"),
    path("p/<slug:slug>/write/assignments/<int:pk>/give-back", desk.give_back, name="give_back"),
    path("p/<slug:slug>/write/item/<int:pk>", draft.revise, name="revise"),
    path("p/<slug:slug>/write/item/<int:pk>/withdraw", draft.withdraw, name="withdraw"),
    path("p/<slug:slug>/write/item/<int:pk>/changes", comment.changes, name="changes"),
    path("p/<slug:slug>/write/draft/<uuid:client_id>", draft.draft, name="draft"),
    path("p/<slug:slug>/write/draft/<uuid:client_id>/restore", draft.restore, name="restore"),
    path("p/<slug:slug>/items/import", upload.import_items, name="import_items"),
    path("p/<slug:slug>/items/<int:pk>/comment", comment.comment, name="comment"),
    path("p/<slug:slug>/items/<int:pk>/contest", comment.contest, name="contest"),
    path("p/<slug:slug>/pilots", pilot.pilots, name="pilots"),
    path("p/<slug:slug>/pilots/new", pilot.start, name="start_pilot"),
    path("p/<slug:slug>/pilots/notes", pilot.notes, name="pilot_notes"),
    path("p/<slug:slug>/pilots/<int:pk>/end", pilot.end, name="end_pilot"),
    path("p/<slug:slug>/pilots/<int:pk>/story/<int:story>/note", pilot.note, name="note_on_pilot"),
    path("p/<slug:slug>/guideline/older", pilot.older_items, name="older_items"),
    path("p/<slug:slug>/stories/<int:pk>/items", item.story_items, name="story_items"),
    path("p/<slug:slug>/stories/<int:pk>/moral", moral.moral, name="moral"),
]
