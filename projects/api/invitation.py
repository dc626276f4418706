"""Invitations: links with which people join a project."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from projects import services
from projects.endpoint import project_endpoint
from projects.models import Invitation, Project, Role
from projects.permissions import Permission
from projects.queries import get_invitation, pending_invitations
from web.endpoint import PAGING, REPEATABLE, body, created, filters, page, page_of
from web.requests import signed_in
from web.serializers import ListField


class NewInvitationsSerializer(serializers.Serializer[Any]):
    """The people to invite; each gets a link of their own, all get the same roles."""

    names = ListField(
        child=serializers.CharField(max_length=150), max_length=services.MOST_INVITATIONS_AT_ONCE
    )
    roles = ListField(child=serializers.ChoiceField(Role.choices), max_length=len(Role))
    days = serializers.IntegerField(
        min_value=1, max_value=services.LONGEST_INVITATION_DAYS, default=14, help_text="Links valid for."
    )


class InvitationSerializer(serializers.Serializer[Any]):
    """An invitation, without its link. It is pending until it is accepted, revoked or expired."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    roles = serializers.ListField(child=serializers.ChoiceField(Role.choices))
    created_by = serializers.CharField()
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    accepted_at = serializers.DateTimeField(allow_null=True)
    revoked_at = serializers.DateTimeField(allow_null=True)


class CreatedInvitationSerializer(InvitationSerializer):
    """A new invitation with its link, which is shown only now. Send each person their link yourself."""

    link = serializers.CharField()


class CreatedInvitationsSerializer(serializers.Serializer[Any]):
    """The new invitations, in the order of the names."""

    results = CreatedInvitationSerializer(many=True)


class InvitationFilters(serializers.Serializer[Any]):
    """The list of invitations has no filters."""


@extend_schema(
    methods=["GET"],
    parameters=PAGING,
    responses=page_of(InvitationSerializer),
    operation_id="invitations_list",
    tags=["invitations"],
)
@extend_schema(
    methods=["POST"],
    parameters=[REPEATABLE],
    request=NewInvitationsSerializer,
    responses={201: CreatedInvitationsSerializer},
    operation_id="invitations_create",
    tags=["invitations"],
)
@project_endpoint(secret=True, GET=Permission.CHANGE_PEOPLE, POST=Permission.CHANGE_PEOPLE)
def invitations(request: Request, project: Project) -> Response:
    """Return the invitations that were neither accepted nor revoked; POST creates one for each name.

    Tokens need the scopes `read` and `manage` to read invitations.
    """
    if request.method == "GET":
        filters(request, InvitationFilters)
        found = pending_invitations(project).select_related("created_by")
        return page(request, found, lambda rows: map(_row, rows))
    sent = body(request, NewInvitationsSerializer)
    made = services.invite_people(actor=signed_in(request), project=project, **sent)
    rows = [
        _row(one.invitation)
        | {"link": request.build_absolute_uri(reverse("projects:invite_accept", args=[one.token]))}
        for one in made
    ]
    return created({"results": rows}, reverse("api_invitations", args=[project.slug]))


@extend_schema(responses=InvitationSerializer, operation_id="invitations_read", tags=["invitations"])
@project_endpoint(GET=Permission.CHANGE_PEOPLE)
def invitation(_request: Request, project: Project, pk: int) -> Response:
    """Return an invitation, also one that was accepted or revoked.

    Tokens need the scopes `read` and `manage`.
    """
    return Response(_row(get_invitation(project=project, pk=pk)))


@extend_schema(
    request=None, responses=InvitationSerializer, operation_id="invitations_revoke", tags=["invitations"]
)
@project_endpoint(POST=Permission.CHANGE_PEOPLE)
def revoke(request: Request, project: Project, pk: int) -> Response:
    """Revoke an invitation, so that its link no longer works; 409 if it was already used."""
    found = get_invitation(project=project, pk=pk)
    services.revoke_invitation(actor=signed_in(request), invitation=found)
    return Response(_row(get_invitation(project=project, pk=pk)))


def _row(invitation: Invitation) -> dict[str, object]:
    names = ("name", "roles", "created_at", "expires_at", "accepted_at", "revoked_at")
    return {
        "id": invitation.pk,
        "created_by": invitation.created_by.username,
        **{name: getattr(invitation, name) for name in names},
    }
