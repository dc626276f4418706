"""Routes of the programming interface of this app, below /api/v1/."""

from django.urls import URLPattern, path

from annotation.api import assignment, audit, draft, item, moral, pilot, reservation, revision, upload

ITEM = "projects/<slug:slug>/items/<int:pk>/"
IMPORT = "projects/<slug:slug>/item-imports/<str:upload>/"
PILOT = "projects/<slug:slug>/pilots/<int:pk>/"
ASSIGNMENT = "projects/<slug:slug>/assignments/<int:pk>/"

urlpatterns: list[URLPattern] = [
    path("file-audits/", audit.file_audits, name="api_file_audits"),
    path("file-audits/<str:token>/", audit.file_audit, name="api_file_audit"),
    path("drafts/<uuid:client_id>/", draft.DraftView.as_view(), name="api_draft"),
    path("drafts/<uuid:client_id>/check/", draft.CheckView.as_view(), name="api_draft_check"),
    path("drafts/<uuid:client_id>/separate/", draft.SeparateView.as_view(), name="api_draft_separate"),
    path("drafts/<uuid:client_id>/submit/", draft.submit, name="api_draft_submit"),
    path("drafts/<uuid:client_id>/restore/", draft.restore, name="api_draft_restore"),
    path("projects/<slug:slug>/drafts/", draft.drafts, name="api_drafts"),
    path("projects/<slug:slug>/items/", item.items, name="api_items"),
    path(ITEM, item.item, name="api_item"),
    path(f"{ITEM}withdraw/", item.withdraw, name="api_item_withdraw"),
    path(f"{ITEM}retire/", item.retire, name="api_item_retire"),
    path(f"{ITEM}re-review/", item.review_again, name="api_item_review_again"),
    path(f"{ITEM}contest/", item.contest, name="api_item_contest"),
    path(f"{ITEM}take-over/", item.take_over, name="api_item_take_over"),
    path(f"{ITEM}assign/", item.assign, name="api_item_assign"),
    path(f"{ITEM}check/", item.check, name="api_item_check"),
    path(f"{ITEM}revisions/", revision.revisions, name="api_item_revisions"),
    path(f"{ITEM}transitions/", revision.transitions, name="api_item_transitions"),
    path(f"{ITEM}comments/", revision.comments, name="api_item_comments"),
    path("projects/<slug:slug>/item-imports/", upload.item_imports, name="api_item_imports"),
    path(IMPORT, upload.endpoints.upload, name=upload.ADDRESS),
    path(
        f"{IMPORT}columns/",
        upload.endpoints.columns,
        name="api_item_import_columns",
    ),
    path(
        f"{IMPORT}confirm/",
        upload.endpoints.confirm,
        name="api_item_import_confirm",
    ),
    path(f"{IMPORT}retry/", upload.endpoints.retry, name="api_item_import_retry"),
    path("projects/<slug:slug>/stories/<int:pk>/moral/", moral.moral, name="api_story_moral"),
    path("projects/<slug:slug>/assignments/", assignment.assignments, name="api_assignments"),
    path("projects/<slug:slug>/assignments/next/", assignment.take_next, name="api_assignment_next"),
    path("projects/<slug:slug>/assignments/name/", assignment.name_writers, name="api_assignment_name"),
    path(ASSIGNMENT, assignment.assignment, name="api_assignment"),
    path(
        f"{ASSIGNMENT}give-back/",
        assignment.give_back,
        name="api_assignment_give_back",
    ),
    path(
        f"{ASSIGNMENT}restore/",
        assignment.restore,
        name="api_assignment_restore",
    ),
    path("projects/<slug:slug>/reservations/", reservation.reservations, name="api_reservations"),
    path("projects/<slug:slug>/reservations/<int:pk>/", reservation.reservation, name="api_reservation"),
    path("projects/<slug:slug>/pilots/", pilot.pilots, name="api_pilots"),
    path(PILOT, pilot.pilot, name="api_pilot"),
    path(f"{PILOT}story/<int:story>/", pilot.note, name="api_pilot_note"),
    path(f"{PILOT}end/", pilot.end, name="api_pilot_end"),
]
