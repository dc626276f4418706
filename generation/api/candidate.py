"""Candidates: what models have proposed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from annotation.queries.exposure import has_seen_moral
from core.errors import Conflict, Unusable
from corpus.queries import get_story
from generation import services
from generation.models import Candidate, Purpose
from generation.queries.batch import STORED_FLAGS, all_templates, candidates_with
from generation.queries.candidate import adopted_among, is_listed, known_among
from jobs.queries import endpoints
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from web.endpoint import PAGING, REPEATABLE, body, created, filters, page, page_of
from web.requests import signed_in

LARGEST_ID = 2**63 - 1


def _id() -> serializers.IntegerField:
    return serializers.IntegerField(min_value=1, max_value=LARGEST_ID, required=False)


class CandidateSerializer(serializers.Serializer[Any]):
    """A text that a model proposed.

    It is null, and without hints, before the caller has seen the story's moral, or for a stem of someone
    else. `used`: whether an item has an option that came from it.
    """

    id = serializers.IntegerField()
    story = serializers.IntegerField()
    purpose = serializers.ChoiceField(Purpose.choices)
    prompt = serializers.IntegerField()
    endpoint = serializers.IntegerField()
    generator = serializers.CharField()
    call = serializers.IntegerField()
    position = serializers.IntegerField()
    text = serializers.CharField(allow_null=True)
    hints = serializers.ListField(child=serializers.CharField())
    used = serializers.BooleanField()
    created_at = serializers.DateTimeField()


class CandidateFilters(serializers.Serializer[Any]):
    """Filters of the list of candidates."""

    story = _id()
    batch = _id()
    prompt = _id()
    endpoint = _id()
    purpose = serializers.ChoiceField(Purpose.choices, required=False)
    used = serializers.BooleanField(required=False)


@extend_schema(
    parameters=[*PAGING, CandidateFilters],
    responses=page_of(CandidateSerializer),
    operation_id="candidates_list",
    tags=["candidates"],
)
@project_endpoint(GET=Permission.SEE_CANDIDATES)
def candidates(request: Request, project: Project) -> Response:
    """Return the candidates of a project, newest first."""
    user = signed_in(request)
    found = candidates_with(project, **filters(request, CandidateFilters)).filter(is_listed(user))
    return page(request, found, lambda rows: _rows(user, rows))


class PastedSerializer(serializers.Serializer[Any]):
    """An answer copied from a chat site; `endpoint` is one that is used by hand."""

    prompt = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)
    endpoint = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)
    model = serializers.CharField(max_length=120)
    answer = serializers.CharField(max_length=200_000)


class PastedCandidatesSerializer(serializers.Serializer[Any]):
    """The candidates that were found in a pasted answer, in its order."""

    results = CandidateSerializer(many=True)


@extend_schema(
    parameters=[REPEATABLE],
    request=PastedSerializer,
    responses={201: PastedCandidatesSerializer},
    operation_id="candidates_create",
    tags=["candidates"],
)
@project_endpoint(POST=Permission.WRITE)
def paste(request: Request, project: Project, pk: int) -> Response:
    """Save a model's answer about a story, with its candidates.

    409 before the caller has seen the story's moral.
    """
    user = signed_in(request)
    story = get_story(user=user, project=project, pk=pk)
    if not has_seen_moral(user, story):
        raise Conflict(_("Show the moral first."))
    sent = body(request, PastedSerializer)
    template = all_templates(project).filter(pk=sent.pop("prompt")).first()
    endpoint = endpoints(project).filter(pk=sent.pop("endpoint")).first()
    if template is None:
        raise Unusable(_("Prompt template not found."), "prompt")
    if endpoint is None:
        raise Unusable(_("Endpoint not found."), "endpoint")
    made = services.paste_answer(actor=user, story=story, template=template, endpoint=endpoint, **sent)
    address = f"{reverse('api_candidates', args=[project.slug])}?story={story.pk}"
    return created({"results": _rows(user, made)}, address)


def _rows(user: User, candidates: Sequence[Candidate]) -> list[dict[str, object]]:
    pks = [candidate.pk for candidate in candidates]
    known, adopted = known_among(user, pks), adopted_among(pks)
    rows = []
    for candidate in candidates:
        is_known = candidate.pk in known
        hints = sorted({flag["code"] for flag in candidate.flags} & STORED_FLAGS)
        row = {
            "id": candidate.pk,
            "story": candidate.story_id,
            "purpose": candidate.template.purpose,
            "prompt": candidate.template_id,
            "endpoint": candidate.endpoint_id,
            "generator": candidate.generator,
            "call": candidate.call_id,
            "position": candidate.position,
            "text": candidate.text if is_known else None,
            "hints": hints if is_known else [],
            "used": candidate.pk in adopted,
            "created_at": candidate.created_at,
        }
        rows.append(row)
    return rows
