"""Routes of the API views that pages of `annotation` use, below /api/v1/."""

from django.urls import URLPattern, path

from annotation.api import CheckView, DraftView, SeparateView

urlpatterns: list[URLPattern] = [
    path("drafts/<uuid:client_id>/", DraftView.as_view(), name="api_draft"),
    path("drafts/<uuid:client_id>/check/", CheckView.as_view(), name="api_draft_check"),
    path("drafts/<uuid:client_id>/separate/", SeparateView.as_view(), name="api_draft_separate"),
]
