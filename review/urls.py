"""Routes of the app `review`."""

from django.urls import URLPattern, URLResolver, path

from review.models import Stage
from review.views import model_rater, practice, queue, statistics, substitute
from review.views import request as look

app_name = "review"

urlpatterns: list[URLPattern | URLResolver] = [
    path("p/<slug:slug>/review", queue.queue, {"stage": Stage.CROSS_CHECK}, name="queue"),
    path("p/<slug:slug>/verify", queue.queue, {"stage": Stage.VERIFICATION}, name="verify"),
    path("p/<slug:slug>/adjudicate", queue.queue, {"stage": Stage.ADJUDICATION}, name="adjudicate"),
    path("p/<slug:slug>/review/next", queue.claim, {"stage": Stage.CROSS_CHECK}, name="claim"),
    path("p/<slug:slug>/verify/next", queue.claim, {"stage": Stage.VERIFICATION}, name="claim_verify"),
    path(
        "p/<slug:slug>/adjudicate/next", queue.claim, {"stage": Stage.ADJUDICATION}, name="claim_adjudicate"
    ),
    path("p/<slug:slug>/review/<uuid:pk>", look.show, name="request"),
    path("p/<slug:slug>/review/<uuid:pk>/answer", look.solve, name="solve"),
    path("p/<slug:slug>/review/<uuid:pk>/verdict", look.judge, name="verdict"),
    path("p/<slug:slug>/review/<uuid:pk>/ruling", look.rule, name="ruling"),
    path("p/<slug:slug>/review/<uuid:pk>/misclick", look.mark_misclick, name="misclick"),
    path("p/<slug:slug>/review/<uuid:pk>/undo", look.undo, name="undo"),
    path("p/<slug:slug>/review/<uuid:pk>/resume", look.resume, name="resume"),
    path("p/<slug:slug>/review/<uuid:pk>/skip", queue.skip, name="skip"),
    path("p/<slug:slug>/review/<uuid:pk>/postpone", queue.postpone, name="postpone"),
    path("p/<slug:slug>/review/practice/mine", practice.results, name="practice_results"),
    path("p/<slug:slug>/review/practice", practice.show, name="practice"),
    path("p/<slug:slug>/review/practice/from/<int:item>", practice.make, name="create_practice"),
    path("p/<slug:slug>/review/practice/<int:pk>/retire", practice.retire, name="retire_practice"),
    path("p/<slug:slug>/review/practice/<int:pk>/restore", practice.restore, name="restore_practice"),
    path("p/<slug:slug>/review/deputy", substitute.mine, name="deputy"),
    path("p/<slug:slug>/review/<uuid:pk>/deputy", substitute.name, name="name_deputy"),
    path("p/<slug:slug>/review/<uuid:pk>/take", substitute.take, name="take_as_deputy"),
    path("p/<slug:slug>/review/statistics", statistics.show, name="statistics"),
    path("p/<slug:slug>/review/statistics/raters", statistics.show_raters, name="raters"),
    path("p/<slug:slug>/review/statistics/models", model_rater.show, name="model_raters"),
    path("p/<slug:slug>/review/statistics/items", statistics.show_items, name="counted_items"),
    path("p/<slug:slug>/review/statistics/count", statistics.count, name="count_statistics"),
    path("p/<slug:slug>/review/statistics.<str:kind>", statistics.export, name="export_statistics"),
    path("p/<slug:slug>/review/comments/<int:item>", queue.comments, name="comments"),
]
