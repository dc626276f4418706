"""API views for the review pages: state of the queue, leases, comments, and drafts of blind answers."""

from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from core.errors import Conflict, require
from core.invariants import present
from projects.queries import get_project
from review import services
from review.models import Stage
from review.permissions import TO_JUDGE, may_claim
from review.queries import HeldRequest, get_held_request, waiting
from review.serializers import (
    BegunAnswerSavedSerializer,
    BegunAnswerSerializer,
    CommentSerializer,
    LeaseSerializer,
    QueueSerializer,
)
from web.requests import signed_in

NUMBER = OpenApiParameter("pk", UUID, OpenApiParameter.PATH)


def _held_request(request: Request, slug: str, pk: UUID) -> HeldRequest:
    user = signed_in(request)
    return get_held_request(user=user, project=get_project(user=user, slug=slug), pk=pk)


@extend_schema(responses=QueueSerializer(many=True), operation_id="queue", tags=["review"])
@api_view(["GET"])
def queue(request: Request, slug: str) -> Response:
    """Return the state of the queue of each stage at which this user may review."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    stages = [stage for stage in TO_JUDGE if may_claim(user, project, stage)]
    if not stages:
        require(may_claim(user, project, Stage.CROSS_CHECK))
    found = [waiting(user, project, stage) for stage in stages]
    rows = [
        {
            "stage": one.stage,
            "open": one.open,
            "claimed": one.held,
            "claimed_until": one.held_until,
            "excluded": one.excluded,
            "own_request": one.mine.public_id if one.mine else None,
        }
        for one in found
    ]
    return Response(QueueSerializer(rows, many=True).data)


@extend_schema(
    parameters=[NUMBER], request=None, responses=LeaseSerializer, operation_id="renew_lease", tags=["review"]
)
@api_view(["POST"])
def lease(request: Request, slug: str, pk: UUID) -> Response:
    """Renew the lease of a request; the request's page calls this while the reviewer is working."""
    held = services.renew_lease(actor=signed_in(request), request=_held_request(request, slug, pk).request)
    until = present(held.lease_expires_at, "a renewed lease has an end")
    left = until - timezone.now()
    body = {"lease_expires_at": until, "seconds_left": int(left.total_seconds())}
    return Response(LeaseSerializer(body).data)


@extend_schema(
    parameters=[NUMBER],
    request=CommentSerializer,
    responses=CommentSerializer,
    operation_id="save_comment",
    tags=["review"],
)
@api_view(["PUT"])
def comment(request: Request, slug: str, pk: UUID) -> Response:
    """Save the comment of a review while the reviewer is typing, before the verdict is sent."""
    shape = CommentSerializer(data=request.data)
    shape.is_valid(raise_exception=True)
    review = _held_request(request, slug, pk).review
    if review is None:
        raise Conflict(_("Answer the item first."))
    review = services.save_words(
        actor=signed_in(request), review=review, comment=shape.validated_data["comment"]
    )
    return Response(CommentSerializer({"comment": review.comment}).data)


@extend_schema(
    parameters=[NUMBER],
    request=BegunAnswerSerializer,
    responses=BegunAnswerSavedSerializer,
    operation_id="save_begun_answer",
    tags=["review"],
)
@api_view(["PUT"])
def begun_answer(request: Request, slug: str, pk: UUID) -> Response:
    """Save the draft of a blind answer that has not been submitted."""
    shape = BegunAnswerSerializer(data=request.data)
    shape.is_valid(raise_exception=True)
    saved = services.begin_answer(
        actor=signed_in(request), request=_held_request(request, slug, pk).request, **shape.validated_data
    )
    body = {"sequence": saved.sequence if saved else 0, "sent": saved is None}
    return Response(BegunAnswerSavedSerializer(body).data)
