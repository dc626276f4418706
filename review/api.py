"""JSON that the review pages use: how the queue stands, holding a place, keeping words."""

from datetime import datetime

from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from core.errors import Conflict, Hidden, require
from projects.queries import get_project
from review import services
from review.models import GoldPlace, Stage
from review.permissions import ROLES, may_claim
from review.queries import InHand, get_in_hand, waiting
from review.queries.gold import get_gold_place
from review.queries.numbers import shown_number
from review.serializers import LeaseSerializer, QueueSerializer, WordsSerializer
from web.requests import signed_in

NUMBER = OpenApiParameter("pk", int, OpenApiParameter.PATH)


def _in_hand(request: Request, slug: str, pk: int) -> InHand:
    user = signed_in(request)
    return get_in_hand(user=user, project=get_project(user=user, slug=slug), pk=pk)


def _practice(request: Request, slug: str, pk: int) -> GoldPlace:
    user = signed_in(request)
    return get_gold_place(user=user, project=get_project(user=user, slug=slug), pk=pk)


@extend_schema(responses=QueueSerializer(many=True), operation_id="queue", tags=["review"])
@api_view(["GET"])
def queue(request: Request, slug: str) -> Response:
    """How the queues of the stages that this person works at stand for them."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    stages = [stage for stage in ROLES if may_claim(user, project, stage)]
    if not stages:
        require(may_claim(user, project, Stage.CROSS_CHECK))
    found = [waiting(user, project, stage) for stage in stages]
    rows = [
        {
            "stage": one.stage,
            "open": one.open,
            "held": one.held,
            "held_until": one.held_until,
            "barred": one.barred,
            "in_hand": shown_number(one.mine.pk) if one.mine else None,
        }
        for one in found
    ]
    return Response(QueueSerializer(rows, many=True).data)


@extend_schema(
    parameters=[NUMBER], request=None, responses=LeaseSerializer, operation_id="renew_lease", tags=["review"]
)
@api_view(["POST"])
def lease(request: Request, slug: str, pk: int) -> Response:
    """Hold a place for another full lease, because its claimant is at work."""
    until = _renewed(request, slug, pk)
    left = until - timezone.now()
    body = {"lease_expires_at": until, "seconds_left": int(left.total_seconds())}
    return Response(LeaseSerializer(body).data)


def _renewed(request: Request, slug: str, pk: int) -> datetime:
    """Until when the place is held now; it may be a practice item."""
    user = signed_in(request)
    try:
        place = services.renew_lease(actor=user, request=_in_hand(request, slug, pk).place)
    except Hidden:
        return services.hold_practice(actor=user, practice=_practice(request, slug, pk)).lease_expires_at
    assert place.lease_expires_at is not None  # noqa: S101 - a renewed lease has an end
    return place.lease_expires_at


@extend_schema(
    parameters=[NUMBER],
    request=WordsSerializer,
    responses=WordsSerializer,
    operation_id="save_words",
    tags=["review"],
)
@api_view(["PUT"])
def words(request: Request, slug: str, pk: int) -> Response:
    """Keep what a reviewer is typing before the verdict is sent."""
    shape = WordsSerializer(data=request.data)
    shape.is_valid(raise_exception=True)
    kept = _kept(request, slug, pk, shape.validated_data["comment"])
    return Response(WordsSerializer({"comment": kept}).data)


def _kept(request: Request, slug: str, pk: int, comment: str) -> str:
    """The words as they are kept now; the place may be a practice item."""
    user = signed_in(request)
    try:
        _place, review = _in_hand(request, slug, pk)
    except Hidden:
        practice = _practice(request, slug, pk)
        return services.save_practice_words(actor=user, practice=practice, comment=comment).comment
    if review is None:
        raise Conflict(_("Solve the item first."))
    return services.save_words(actor=user, review=review, comment=comment).comment
