"""Moves of items by managers that a review in progress forbids."""

from __future__ import annotations

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import Item, State, Transition
from annotation.queries.item import get_seen
from core.errors import Hidden
from core.numbers import LARGEST
from dashboard import services
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from web.endpoint import body
from web.requests import signed_in
from web.rows import Values


class ReturnSerializer(serializers.Serializer[Item]):
    """Why an item is returned; its writer reads it."""

    reason = serializers.CharField(max_length=4000)


class UndoneMoveSerializer(serializers.Serializer[Item]):
    """The last change of state of the item, as `transitions` has it."""

    transition = serializers.IntegerField(min_value=0, max_value=LARGEST)


class MovedSerializer(serializers.Serializer[Item]):
    """The state of an item after a move."""

    id = serializers.IntegerField()
    state = serializers.ChoiceField(choices=State.choices)
    transition = serializers.IntegerField(help_text="The move, by which it can be undone.")


@extend_schema(
    request=ReturnSerializer, responses=MovedSerializer, operation_id="items_return", tags=["items"]
)
@project_endpoint(POST=Permission.CHANGE_ITEMS)
def send_back(request: Request, project: Project, pk: int) -> Response:
    """Return an item to its writer, unless someone is reviewing it now."""
    item = get_seen(user=signed_in(request), project=project, pk=pk)
    reason = body(request, ReturnSerializer)["reason"]
    return _moved(services.send_back_item(actor=signed_in(request), item=item, reason=reason))


@extend_schema(
    request=UndoneMoveSerializer, responses=MovedSerializer, operation_id="items_restore", tags=["items"]
)
@project_endpoint(POST=Permission.CHANGE_ITEMS)
def restore(request: Request, project: Project, pk: int) -> Response:
    """Undo the last move of an item, if a manager retired, returned or sent it for re-review."""
    item = get_seen(user=signed_in(request), project=project, pk=pk)
    move = _moves(item).filter(pk=body(request, UndoneMoveSerializer)["transition"]).first()
    if move is None:
        raise Hidden(_("Item not found."))
    return _moved(services.undo_move(actor=signed_in(request), item=item, move=move))


def _moves(item: Item) -> QuerySet[Transition]:
    return Transition.objects.filter(item=item).order_by("-pk")


def _moved(item: Item) -> Response:
    last = _moves(item).values_list("pk", flat=True).first()
    found: Values = {"id": item.pk, "state": item.state, "transition": last}
    return Response(found)
