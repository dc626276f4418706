"""Routes of the app `review`."""

from django.urls import URLPattern, URLResolver, path

from review.models import Stage
from review.queries import numbers as numbers  # noqa: PLC0414 - it brings the converter `place`
from review.views import deputies, gold, place, practice, queue, statistics
from review.views.practice import either

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
    path("p/<slug:slug>/review/<place:pk>", either(place.show, practice.show), name="place"),
    path("p/<slug:slug>/review/<place:pk>/answer", either(place.solve, practice.solve), name="solve"),
    path("p/<slug:slug>/review/<place:pk>/verdict", either(place.judge, practice.judge), name="judge"),
    path("p/<slug:slug>/review/<place:pk>/ruling", either(place.rule, practice.rule), name="rule"),
    path("p/<slug:slug>/review/<place:pk>/slip", either(place.slip, practice.slip), name="slip"),
    path("p/<slug:slug>/review/<place:pk>/undo", either(place.undo, practice.undo), name="undo"),
    path("p/<slug:slug>/review/<place:pk>/resume", either(place.resume, practice.resume), name="resume"),
    path("p/<slug:slug>/review/<place:pk>/skip", either(queue.skip, practice.skip), name="skip"),
    path(
        "p/<slug:slug>/review/<place:pk>/postpone", either(queue.postpone, practice.postpone), name="postpone"
    ),
    path("p/<slug:slug>/review/lessons", practice.lessons, name="lessons"),
    path("p/<slug:slug>/review/practice", gold.show, name="gold"),
    path("p/<slug:slug>/review/practice/from/<int:item>", gold.make, name="make_gold"),
    path("p/<slug:slug>/review/practice/<int:pk>/retire", gold.retire, name="retire_gold"),
    path("p/<slug:slug>/review/practice/<int:pk>/restore", gold.restore, name="restore_gold"),
    path("p/<slug:slug>/review/deputy", deputies.mine, name="deputy"),
    path("p/<slug:slug>/review/<place:pk>/deputy", deputies.name, name="name_deputy"),
    path("p/<slug:slug>/review/<place:pk>/stand-in", deputies.stand_in, name="stand_in"),
    path("p/<slug:slug>/review/statistics", statistics.show, name="statistics"),
    path("p/<slug:slug>/review/statistics/count", statistics.count, name="count_statistics"),
    path("p/<slug:slug>/review/statistics.<str:kind>", statistics.export, name="export_statistics"),
    path("p/<slug:slug>/review/words/<int:item>", queue.words, name="words"),
]
