"""The public page of a release."""

from __future__ import annotations

from django.db import transaction
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from evaluation import services
from evaluation.models import Publication
from evaluation.queries.publication import publication_of
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from release.models import Release
from release.queries.release import get_release
from web.endpoint import IF_MATCH, body, match, one, tag
from web.requests import signed_in


class PublicationSettingsSerializer(serializers.Serializer[Publication]):
    """Whether the public page of a release is open and has a leaderboard, and the authors it names."""

    is_open = serializers.BooleanField()
    shows_scores = serializers.BooleanField(required=False)
    authors = serializers.CharField(
        required=False, allow_blank=True, max_length=4000, help_text="One author to a line, for the citation."
    )


class PublicationSerializer(serializers.Serializer[Publication]):
    """The public page of a release; its address works while it is open."""

    is_open = serializers.BooleanField()
    shows_scores = serializers.BooleanField()
    authors = serializers.CharField()
    url = serializers.CharField()
    changed_at = serializers.DateTimeField(allow_null=True)


def _row(request: Request, release: Release, found: Publication | None) -> dict[str, object]:
    address = reverse("evaluation:public", args=[release.project.slug, release.version])
    return {
        "is_open": found is not None and found.is_open,
        "shows_scores": found is None or found.shows_scores,
        "authors": found.authors if found else "",
        "url": request.build_absolute_uri(address),
        "changed_at": found.changed_at if found else None,
    }


@extend_schema(
    methods=["GET"], responses=PublicationSerializer, operation_id="publications_read", tags=["releases"]
)
@extend_schema(
    methods=["PUT"],
    parameters=[IF_MATCH],
    request=PublicationSettingsSerializer,
    responses=PublicationSerializer,
    operation_id="publications_change",
    tags=["releases"],
)
@project_endpoint(GET=Permission.SEE_RESULTS, PUT=Permission.CHANGE_RESULTS)
def publication(request: Request, project: Project, version: str) -> Response:
    """Return whether the release has a public page; PUT opens or closes it."""
    release = get_release(user=signed_in(request), project=project, version=version)
    if request.method == "PUT":
        sent = {"shows_scores": True} | body(request, PublicationSettingsSerializer)
        with transaction.atomic():
            Release.objects.select_for_update(of=("self",), no_key=True).get(pk=release.pk)
            match(request, tag(_row(request, release, publication_of(release))))
            services.set_publication(actor=signed_in(request), release=release, **sent)
    row = _row(request, release, publication_of(release))
    return one(request, row, tag(row))
