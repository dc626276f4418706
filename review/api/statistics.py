"""Statistics of reviews: agreement, accuracy, workload, raters and models as judges, as plain numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import Item, Revision, Style
from core.errors import Unusable
from jobs import hooks
from jobs.queries import askable_endpoints
from parable.psychometrics.agreement import FIGURES
from projects.endpoint import project_endpoint
from projects.models import Project, task_choices
from projects.permissions import Permission
from review import services
from review.api.content import Json
from review.models import ReviewStatistics
from review.overlap import wanted_overlap
from review.queries.item import Behind, Figure, items_behind, reviews_of, without_those_to_solve
from review.queries.model_rater import JUDGE
from review.queries.practice import calibration
from review.queries.statistics import STATISTICS, names_of, reviews_since, statistics_of
from review.services.model_rater import MOST_ITEMS
from web.endpoint import PAGING, REPEATABLE, AcceptedSerializer, accepted, body, filters, page, page_of
from web.requests import signed_in

MOST_PAIRS: Final = 100


class AgreementEstimateSerializer(serializers.Serializer[Any]):
    """A figure with its 95 % interval over `n` units; without a value, `reason` is a code."""

    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    n = serializers.IntegerField()
    reason = serializers.CharField()


class NamedAgreementEstimateSerializer(AgreementEstimateSerializer):
    """A figure of agreement, by its code."""

    figure = serializers.CharField()


class AgreementSerializer(serializers.Serializer[Any]):
    """How far reviewers of a task agree; "" is for all tasks. `shares` are those of the ratings from 0."""

    task = serializers.CharField()
    items = serializers.IntegerField()
    ratings = serializers.IntegerField()
    rated_twice = serializers.IntegerField()
    shares = serializers.ListField(child=serializers.FloatField())
    figures = NamedAgreementEstimateSerializer(many=True)


class ScaleSerializer(serializers.Serializer[Any]):
    """The ratings of a task with a scale of its own, by criterion."""

    task = serializers.CharField()
    criterion = serializers.CharField()
    items = serializers.IntegerField()
    ratings = serializers.IntegerField()
    mean = serializers.FloatField(allow_null=True)
    agreement = serializers.FloatField(allow_null=True)
    score = serializers.FloatField(allow_null=True)


class ReviewerNameSerializer(serializers.Serializer[Any]):
    """A reviewer, by the id of the person."""

    id = serializers.IntegerField()
    name = serializers.CharField()


class PairSerializer(serializers.Serializer[Any]):
    """The agreement of two reviewers on the items that both rated."""

    first = ReviewerNameSerializer()
    second = ReviewerNameSerializer()
    n = serializers.IntegerField()
    raw = AgreementEstimateSerializer()
    kappa = AgreementEstimateSerializer()


class AccuracySerializer(AgreementEstimateSerializer):
    """The share of correct blind answers: of a task ("" for all), a type, or a task's items of a style.

    `style` may be `difference`: human minus machine.
    """

    task = serializers.CharField()
    type = serializers.IntegerField(allow_null=True)
    style = serializers.CharField()  # type: ignore[assignment]  # the framework's hint of that name


class PracticeCountSerializer(serializers.Serializer[Any]):
    """A reviewer's practice items, and how many of them were reviewed as expected."""

    reviews = serializers.IntegerField()
    right = serializers.IntegerField()


class ReviewerSerializer(ReviewerNameSerializer):
    """One reviewer's work. `severity`: the mean of the others' ratings minus this reviewer's."""

    reviews = serializers.IntegerField()
    zeros = serializers.IntegerField()
    severity = serializers.FloatField(allow_null=True)
    shared = serializers.IntegerField()
    seconds = serializers.FloatField(allow_null=True)
    accuracy = AgreementEstimateSerializer()
    practice = PracticeCountSerializer()


class OverlapSerializer(serializers.Serializer[Any]):
    """How many items two people rated (`twice`), and should rate (`overlap`) of those that are expected."""

    twice = serializers.IntegerField()
    submitted = serializers.IntegerField()
    expected = serializers.IntegerField()
    overlap = serializers.IntegerField()


class StatisticsSerializer(serializers.Serializer[Any]):
    """The statistics of the last count; null and empty before the first one."""

    counted_at = serializers.DateTimeField(allow_null=True)
    reviews_since = serializers.IntegerField()
    agreement = AgreementSerializer(many=True)
    scales = ScaleSerializer(many=True)
    pairs = PairSerializer(many=True)
    accuracy = AccuracySerializer(many=True)
    reviewers = ReviewerSerializer(many=True)
    overlap = OverlapSerializer(allow_null=True)


class SeveritySerializer(ReviewerNameSerializer):
    """The severity of one rater in logits, and its fit. A negative id is that of a model."""

    n = serializers.IntegerField()
    severity = serializers.FloatField(allow_null=True)
    error = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    infit = serializers.FloatField(allow_null=True)
    infit_low = serializers.FloatField(allow_null=True)
    infit_high = serializers.FloatField(allow_null=True)
    outfit = serializers.FloatField(allow_null=True)
    reason = serializers.CharField()


class AdjustedSerializer(serializers.Serializer[Any]):
    """An item's mean rating, and its rating adjusted for the severity of its reviewers."""

    item = serializers.IntegerField()
    n = serializers.IntegerField()
    raw = serializers.FloatField()
    adjusted = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()


class AnswererSerializer(ReviewerNameSerializer):
    """The accuracy of one reviewer's blind answers against the keys that all answers point to."""

    n = serializers.IntegerField()
    accuracy = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()


class KeysByAnswersSerializer(serializers.Serializer[Any]):
    """Keys by blind answers; `against` items have another key."""

    answers = serializers.IntegerField()
    items = serializers.IntegerField()
    stories = serializers.IntegerField()
    against = serializers.IntegerField()
    reviewers = AnswererSerializer(many=True)


class SeverityFiguresSerializer(serializers.Serializer[Any]):
    """The severity of each rater, and the data of the estimate."""

    items = serializers.IntegerField()
    ratings = serializers.IntegerField()
    stories = serializers.IntegerField()
    p_equal = serializers.FloatField(allow_null=True)
    reliability = serializers.FloatField(allow_null=True)
    raters = SeveritySerializer(many=True)


class RatersSerializer(serializers.Serializer[Any]):
    """Models of raters, of the last count."""

    counted_at = serializers.DateTimeField(allow_null=True)
    severity = SeverityFiguresSerializer(allow_null=True)
    adjusted = AdjustedSerializer(many=True)
    keys = KeysByAnswersSerializer(allow_null=True)


class ComparisonWithPersonSerializer(ReviewerNameSerializer):
    """A model against one reviewer: the shares of `n` items on which each is as near to the others."""

    n = serializers.IntegerField()
    model = serializers.FloatField()
    human = serializers.FloatField()
    p_value = serializers.FloatField()
    wins = serializers.BooleanField()


class FlawAgreementSerializer(serializers.Serializer[Any]):
    """For how many of `n` items people, the model and the checks name a flaw, and how far they agree."""

    flaw = serializers.CharField()
    n = serializers.IntegerField()
    people = serializers.IntegerField()
    model = serializers.IntegerField()
    checks = serializers.IntegerField()
    kappa = AgreementEstimateSerializer()
    kappa_checks = AgreementEstimateSerializer()


class ModelRaterSerializer(serializers.Serializer[Any]):
    """A model that assessed items; `outcome`: of the alternative-annotator test."""

    name = serializers.CharField()
    assessed = serializers.IntegerField()
    lost = serializers.IntegerField()
    ratings = serializers.IntegerField()
    mean = serializers.FloatField(allow_null=True)
    outcome = serializers.CharField()
    winning_rate = serializers.FloatField(allow_null=True)
    advantage = serializers.FloatField(allow_null=True)
    allowance = serializers.FloatField()
    comparisons = ComparisonWithPersonSerializer(many=True)
    flaws = FlawAgreementSerializer(many=True)


class ModelRatersSerializer(serializers.Serializer[Any]):
    """The models that assessed items, of the last count."""

    counted_at = serializers.DateTimeField(allow_null=True)
    models = ModelRaterSerializer(many=True)


class NewAssessmentSerializer(serializers.Serializer[Any]):
    """An order of assessments by a model: its endpoint, the number of items, and the maximum cost."""

    endpoint = serializers.IntegerField(min_value=1, max_value=2**62)
    items = serializers.IntegerField(min_value=1, max_value=MOST_ITEMS)
    budget = serializers.DecimalField(
        max_digits=10, decimal_places=2, min_value=0, required=False, allow_null=True
    )


class CountedReviewSerializer(serializers.Serializer[Any]):
    """A review that statistics count; `is_correct` is of a blind answer that counts, else null."""

    reviewer = ReviewerNameSerializer()
    revision = serializers.IntegerField()
    rating = serializers.IntegerField(allow_null=True)
    is_correct = serializers.BooleanField(allow_null=True)


class CountedItemSerializer(serializers.Serializer[Any]):
    """An item that a statistic counts, with its reviews."""

    item = serializers.IntegerField()
    task = serializers.CharField()
    state = serializers.CharField()
    reviews = CountedReviewSerializer(many=True)


class CountedFilters(serializers.Serializer[Any]):
    """The statistic whose items are listed, and what it is of."""

    figure = serializers.ChoiceField(Figure.choices, required=False)
    task = serializers.ChoiceField(task_choices(), required=False)
    style = serializers.ChoiceField(  # type: ignore[assignment]  # the framework's hint of that name
        Style.choices, required=False
    )
    type = serializers.IntegerField(required=False, min_value=1, max_value=2**62)
    reviewer = serializers.IntegerField(required=False, min_value=1, max_value=2**31 - 1)
    second = serializers.IntegerField(required=False, min_value=1, max_value=2**31 - 1)
    rating = serializers.IntegerField(required=False, min_value=0, max_value=10)


def _counted(project: Project) -> tuple[ReviewStatistics | None, Json | None]:
    """Return the last count and its figures; None before the first one."""
    found = statistics_of(project)
    return (found, found.figures) if found and found.counted_at else (None, None)


@extend_schema(responses=StatisticsSerializer, operation_id="statistics_read", tags=["statistics"])
@project_endpoint(GET=Permission.SEE_REVIEWS)
def statistics(request: Request, project: Project) -> Response:
    """Return agreement, accuracy and each reviewer's work, of the last count."""
    counted, found = _counted(project)
    if counted is None or found is None:
        empty: Json = {name: [] for name in ("agreement", "scales", "pairs", "accuracy", "reviewers")}
        return Response({"counted_at": None, "reviews_since": 0, "overlap": None, **empty})
    names, overlap = names_of(found), found["overlap"]
    expected = overlap.get("expected", overlap["submitted"])
    return Response(
        {
            "counted_at": counted.counted_at,
            "reviews_since": reviews_since(counted),
            "agreement": [_agreement(task, one) for task, one in found["agreement"].items()],
            "scales": found.get("scales", []),
            "pairs": [
                {
                    "first": _named(pair["first"], names),
                    "second": _named(pair["second"], names),
                    **{name: pair[name] for name in ("n", "raw", "kappa")},
                }
                for pair in found["pairs"][:MOST_PAIRS]
            ],
            "accuracy": list(_accuracy(found)),
            "reviewers": _reviewers(project, found["reviewers"], names),
            "overlap": {**overlap, "expected": expected, "overlap": wanted_overlap(expected)},
        }
    )


def _named(pk: int, names: Mapping[int, str]) -> Json:
    return {"id": pk, "name": names.get(pk, "")}


def _agreement(task: str, found: Json) -> Json:
    return {
        "task": task,
        "items": found["units"],
        **{name: found[name] for name in ("ratings", "rated_twice", "shares")},
        "figures": [{"figure": one.code, **found[one.code]} for one in FIGURES if found.get(one.code)],
    }


def _accuracy(found: Json) -> Iterable[Json]:
    for task, one in found["accuracy"].items():
        yield {"task": task, "type": None, "style": "", **one}
    for kind, one in found["types"].items():
        yield {"task": "", "type": int(kind), "style": "", **one}
    for task, by_style in found.get("styles", {}).items():
        for style, one in by_style.items():
            yield {"task": task, "type": None, "style": style, **one}


def _reviewers(project: Project, found: Sequence[Json], names: Mapping[int, str]) -> list[Json]:
    practice = {row.reviewer: {"reviews": row.n, "right": row.right} for row in calibration(project)}
    counted = ("reviews", "zeros", "severity", "shared", "seconds", "accuracy")
    return [
        _named(row["reviewer"], names)
        | {name: row[name] for name in counted}
        | {"practice": practice.get(row["reviewer"], {"reviews": 0, "right": 0})}
        for row in found
    ]


@extend_schema(
    request=None, responses={202: AcceptedSerializer}, operation_id="statistics_count", tags=["statistics"]
)
@project_endpoint(heavy=True, POST=Permission.CHANGE_REVIEWS)
def count(request: Request, project: Project) -> Response:
    """Order a new count of the statistics."""
    with transaction.atomic():
        job = services.order_statistics(actor=signed_in(request), project=project)
        hooks.dispatch(STATISTICS, project.pk)
    return accepted(job.pk, reverse("api_job", args=[job.pk]))


@extend_schema(responses=RatersSerializer, operation_id="raters_read", tags=["statistics"])
@project_endpoint(GET=Permission.SEE_REVIEWS)
def raters(request: Request, project: Project) -> Response:
    """Return the severity of reviewers, ratings adjusted for it, and keys by blind answers."""
    counted, found = _counted(project)
    if counted is None or found is None:
        return Response({"counted_at": None, "severity": None, "adjusted": [], "keys": None})
    names, severity, keys = names_of(found), found.get("severity"), found.get("keys")
    return Response(
        {
            "counted_at": counted.counted_at,
            "severity": severity and _severity(severity, names),
            "adjusted": _adjusted(project, found.get("adjusted", [])),
            "keys": keys and _keys(keys, names),
        }
    )


def _severity(found: Json, names: Mapping[int, str]) -> Json:
    return {
        "items": found["units"],
        **{name: found[name] for name in ("ratings", "stories", "p_equal", "reliability")},
        "raters": [
            _named(row["rater"], names) | {name: value for name, value in row.items() if name != "rater"}
            for row in found["reviewers"]
        ],
    }


def _adjusted(project: Project, rows: Sequence[Json]) -> list[Json]:
    found = Revision.objects.filter(item__project=project, pk__in=[row["unit"] for row in rows])
    items = dict(found.values_list("pk", "item_id"))
    names = ("n", "raw", "adjusted", "low", "high")
    return [
        {"item": items[row["unit"]], **{name: row[name] for name in names}}
        for row in rows
        if row["unit"] in items
    ]


def _keys(found: Json, names: Mapping[int, str]) -> Json:
    return {
        **{name: found[name] for name in ("answers", "items", "stories")},
        "against": len(found["against"]),
        "reviewers": [
            _named(row["person"], names) | {name: row[name] for name in ("n", "accuracy", "low", "high")}
            for row in found["reviewers"]
        ],
    }


@extend_schema(
    methods=["GET"], responses=ModelRatersSerializer, operation_id="model_raters_read", tags=["statistics"]
)
@extend_schema(
    methods=["POST"],
    parameters=[REPEATABLE],
    request=NewAssessmentSerializer,
    responses={202: AcceptedSerializer},
    operation_id="model_raters_order",
    tags=["statistics"],
)
@project_endpoint(heavy=True, GET=Permission.SEE_REVIEWS, POST=Permission.CHANGE_REVIEWS)
def models(request: Request, project: Project) -> Response:
    """Return the models that assessed items, with their agreement; POST has a model assess more items."""
    if request.method == "POST":
        sent = body(request, NewAssessmentSerializer)
        endpoint = askable_endpoints(project).filter(pk=sent.pop("endpoint")).first()
        if endpoint is None:
            raise Unusable(_("Endpoint not found."), "endpoint")
        job, waiting = services.order_judging(
            actor=signed_in(request), project=project, endpoint=endpoint, **sent
        )
        hooks.dispatch_calls(JUDGE, waiting)
        return accepted(job.pk, reverse("api_job", args=[job.pk]))
    counted, found = _counted(project)
    if counted is None or found is None:
        return Response({"counted_at": None, "models": []})
    names = names_of(found)
    rows = [_model(one, names) for one in found.get("judges", ())]
    return Response({"counted_at": counted.counted_at, "models": rows})


def _model(found: Json, names: Mapping[int, str]) -> Json:
    verdict = found["verdict"]
    flaws = ("flaw", "n", "people", "model", "checks", "kappa", "kappa_checks")
    compared = ("n", "model", "human", "p_value", "wins")
    return {
        **{name: found[name] for name in ("name", "lost", "ratings", "mean")},
        "assessed": found["judged"],
        "outcome": verdict["code"],
        **{name: verdict[name] for name in ("winning_rate", "advantage", "allowance")},
        "comparisons": [
            _named(row["person"], names) | {name: row[name] for name in compared}
            for row in verdict["comparisons"]
        ],
        "flaws": [{name: row[name] for name in flaws} for row in found["flaws"]],
    }


@extend_schema(
    parameters=[*PAGING, CountedFilters],
    responses=page_of(CountedItemSerializer),
    operation_id="counted_items_list",
    tags=["statistics"],
)
@project_endpoint(GET=Permission.SEE_REVIEWS)
def items(request: Request, project: Project) -> Response:
    """Return the items that a statistic counts, with their reviews.

    Items that the caller may still review are left out.
    """
    asked = filters(request, CountedFilters)
    if "type" in asked:
        asked["kind"] = asked.pop("type")
    found = without_those_to_solve(signed_in(request), project, items_behind(project, Behind(**asked)))
    return page(request, found, _items)


def _items(found: Sequence[Item]) -> Iterable[Json]:
    reviews = reviews_of(found)
    for item in found:
        yield {
            "item": item.pk,
            "task": item.task,
            "state": item.state,
            "reviews": [
                {
                    "reviewer": {"id": one.reviewer_id, "name": one.reviewer.name},
                    "revision": one.revision.number,
                    "rating": one.rating,
                    "is_correct": one.is_correct if one.answer and one.blind and not one.misclick else None,
                }
                for one in reviews.get(item.pk, [])
            ],
        }
