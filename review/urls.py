"""Routes of the app `review`."""

from django.urls import URLPattern, URLResolver, path

from review.models import Stage
from review.views import deputies, place, queue, statistics

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
    path("p/<slug:slug>/review/<int:pk>", place.show, name="place"),
    path("p/<slug:slug>/review/<int:pk>/answer", place.solve, name="solve"),
    path("p/<slug:slug>/review/<int:pk>/verdict", place.judge, name="judge"),
    path("p/<slug:slug>/review/<int:pk>/ruling", place.rule, name="rule"),
    path("p/<slug:slug>/review/<int:pk>/slip", place.slip, name="slip"),
    path("p/<slug:slug>/review/<int:pk>/undo", place.undo, name="undo"),
    path("p/<slug:slug>/review/<int:pk>/resume", place.resume, name="resume"),
    path("p/<slug:slug>/review/<int:pk>/skip", queue.skip, name="skip"),
    path("p/<slug:slug>/review/<int:pk>/postpone", queue.postpone, name="postpone"),
    path("p/<slug:slug>/review/deputy", deputies.mine, name="deputy"),
    path("p/<slug:slug>/review/<int:pk>/deputy", deputies.name, name="name_deputy"),
    path("p/<slug:slug>/review/<int:pk>/stand-in", deputies.stand_in, name="stand_in"),
    path("p/<slug:slug>/review/statistics", statistics.show, name="statistics"),
    path("p/<slug:slug>/review/statistics/count", statistics.count, name="count_statistics"),
    path("p/<slug:slug>/review/statistics.<str:kind>", statistics.export, name="export_statistics"),
    path("p/<slug:slug>/review/words/<int:item>", queue.words, name="words"),
]
