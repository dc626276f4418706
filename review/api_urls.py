"""Routes of the API views that the pages of `review` use, under /api/v1/."""

from django.urls import URLPattern, path

from review import api

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/queue/", api.queue, name="api_queue"),
    path("projects/<slug:slug>/requests/<uuid:pk>/lease/", api.lease, name="api_lease"),
    path("projects/<slug:slug>/requests/<uuid:pk>/comment/", api.comment, name="api_comment"),
    path("projects/<slug:slug>/requests/<uuid:pk>/answer/", api.begun_answer, name="api_begun_answer"),
]
