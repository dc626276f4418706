"""Members of a project and their roles."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from projects import services
from projects.endpoint import project_endpoint
from projects.models import Membership, Project, Role
from projects.permissions import Permission
from projects.queries import Member, get_member, with_roles
from web.endpoint import PAGING, body, filters, page, page_of
from web.requests import signed_in
from web.serializers import ListField


class RolesSerializer(serializers.Serializer[Any]):
    """All roles of a member; without roles, the person is no longer a member."""

    roles = ListField(child=serializers.ChoiceField(Role.choices), max_length=len(Role))


class MemberSerializer(RolesSerializer):
    """A member of a project. `id` is the id of the person, in every project."""

    id = serializers.IntegerField()
    username = serializers.CharField()
    name = serializers.CharField()
    can_sign_in = serializers.BooleanField()


class MemberFilters(serializers.Serializer[Any]):
    """Filters of the list of members."""

    role = serializers.ChoiceField(Role.choices, required=False)


@extend_schema(
    parameters=[*PAGING, MemberFilters],
    responses=page_of(MemberSerializer),
    operation_id="members_list",
    tags=["members"],
)
@project_endpoint(GET=Permission.SEE_PEOPLE)
def members(request: Request, project: Project) -> Response:
    """Return the members of a project with their roles, newest account first."""
    asked = filters(request, MemberFilters)
    found = Membership.objects.filter(project=project, **asked)

    rows = User.objects.filter(pk__in=found.values("user"))
    return page(request, rows, lambda people: [_row(member) for member in with_roles(project, people)])


@extend_schema(methods=["GET"], responses=MemberSerializer, operation_id="members_read", tags=["members"])
@extend_schema(
    methods=["PUT"],
    request=RolesSerializer,
    responses={200: MemberSerializer, 204: OpenApiResponse(description="Without roles: no longer a member.")},
    operation_id="members_set_roles",
    tags=["members"],
)
@extend_schema(methods=["DELETE"], responses={204: None}, operation_id="members_remove", tags=["members"])
@project_endpoint(GET=Permission.SEE_PEOPLE, PUT=Permission.CHANGE_PEOPLE, DELETE=Permission.CHANGE_PEOPLE)
def member(request: Request, project: Project, pk: int) -> Response:
    """Return a member; PUT replaces the member's roles, DELETE removes the person from the project."""
    found = get_member(project=project, pk=pk)
    if request.method == "GET":
        return Response(_row(found))
    roles = [] if request.method == "DELETE" else body(request, RolesSerializer)["roles"]
    services.set_roles(actor=signed_in(request), project=project, user=found.user, roles=roles)
    return Response(_row(get_member(project=project, pk=pk))) if roles else Response(status=204)


def _row(member: Member) -> dict[str, Any]:
    user = member.user
    return {
        "id": user.pk,
        "username": user.username,
        "name": user.name,
        "can_sign_in": user.is_active,
        "roles": member.roles,
    }
