"""The queue of each stage: its state for the caller, and claiming the next request."""

from __future__ import annotations

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import Scope
from core.errors import Hidden, require
from projects.queries import get_project
from review import services
from review.api.content import HeldRequestSerializer
from review.api.request import opened
from review.models import Stage
from review.permissions import TO_JUDGE, may_claim
from review.queries import waiting
from review.serializers import QueueSerializer
from web.endpoint import REPEATABLE, endpoint
from web.requests import signed_in

STAGE = OpenApiParameter("stage", str, OpenApiParameter.PATH, enum=Stage.values)


@extend_schema(responses=QueueSerializer(many=True), operation_id="queue", tags=["review"])
@endpoint(bound=True, GET=Scope.READ)
def queue(request: Request, slug: str) -> Response:
    """Return the state of the queue of each stage at which this user may review."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    stages = [stage for stage in TO_JUDGE if may_claim(user, project, stage)]
    if not stages:
        require(may_claim(user, project, Stage.CROSS_CHECK))
    found = [waiting(user, project, stage) for stage in stages]
    return Response(
        [
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
    )


@extend_schema(
    parameters=[STAGE, REPEATABLE],
    request=None,
    responses={200: HeldRequestSerializer, 204: None},
    operation_id="queue_claim",
    tags=["review"],
)
@endpoint(bound=True, POST=Scope.REVIEW)
def claim(request: Request, slug: str, stage: str) -> Response:
    """Claim the next request of a stage and return it, or the one already claimed; 204 if there is none.

    Verdicts of the caller that could still be undone take effect.
    """
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    if stage not in Stage.values:
        raise Hidden(_("There is no such queue."))
    found = services.claim_next(actor=user, project=project, stage=stage)
    return Response(status=204) if found is None else Response(opened(user, found))
