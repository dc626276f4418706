"""Routes of the programming interface of `review`, under /api/v1/."""

from django.urls import URLPattern, path

from review.api import assignment, practice, queue, request, review, statistics

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/queue/", queue.queue, name="api_queue"),
    path("projects/<slug:slug>/queue/priority/", assignment.priority, name="api_priority"),
    path("projects/<slug:slug>/queue/release/", assignment.release, name="api_release_requests"),
    path("projects/<slug:slug>/queue/assigned/", assignment.assigned, name="api_assigned_requests"),
    path("projects/<slug:slug>/queue/<slug:stage>/claim/", queue.claim, name="api_claim"),
    path("projects/<slug:slug>/requests/", assignment.requests, name="api_requests"),
    path("projects/<slug:slug>/requests/<uuid:pk>/", request.show, name="api_request"),
    path("projects/<slug:slug>/requests/<uuid:pk>/answer/", request.answer, name="api_begun_answer"),
    path("projects/<slug:slug>/requests/<uuid:pk>/verdict/", request.verdict, name="api_verdict"),
    path("projects/<slug:slug>/requests/<uuid:pk>/ruling/", request.ruling, name="api_ruling"),
    path("projects/<slug:slug>/requests/<uuid:pk>/undo/", request.undo, name="api_undo"),
    path("projects/<slug:slug>/requests/<uuid:pk>/misclick/", request.misclick, name="api_misclick"),
    path("projects/<slug:slug>/requests/<uuid:pk>/skip/", request.skip, name="api_skip"),
    path("projects/<slug:slug>/requests/<uuid:pk>/postpone/", request.postpone, name="api_postpone"),
    path("projects/<slug:slug>/requests/<uuid:pk>/lease/", request.lease, name="api_lease"),
    path("projects/<slug:slug>/requests/<uuid:pk>/comment/", request.comment, name="api_comment"),
    path(
        "projects/<slug:slug>/requests/<uuid:pk>/substitutes/", assignment.substitutes, name="api_substitutes"
    ),
    path("projects/<slug:slug>/requests/<uuid:pk>/take/", assignment.take, name="api_take"),
    path("projects/<slug:slug>/reviews/", review.reviews, name="api_reviews"),
    path("projects/<slug:slug>/items/<int:item>/verdicts/", review.item_verdicts, name="api_item_verdicts"),
    path("projects/<slug:slug>/practice/", practice.practice, name="api_practice"),
    path("projects/<slug:slug>/practice/mine/", practice.mine, name="api_own_practice"),
    path("projects/<slug:slug>/practice/sources/", practice.sources, name="api_practice_sources"),
    path("projects/<slug:slug>/practice/<int:pk>/", practice.practice_item, name="api_practice_item"),
    path("projects/<slug:slug>/practice/<int:pk>/retire/", practice.retire, name="api_retire_practice"),
    path("projects/<slug:slug>/practice/<int:pk>/restore/", practice.restore, name="api_restore_practice"),
    path("projects/<slug:slug>/statistics/", statistics.statistics, name="api_statistics"),
    path("projects/<slug:slug>/statistics/count/", statistics.count, name="api_count_statistics"),
    path("projects/<slug:slug>/statistics/items/", statistics.items, name="api_counted_items"),
    path("projects/<slug:slug>/statistics/models/", statistics.models, name="api_model_raters"),
    path("projects/<slug:slug>/statistics/raters/", statistics.raters, name="api_raters"),
]
