"""Prompts and their versions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from generation import services
from generation.models import PromptTemplate, Purpose
from generation.queries.batch import all_templates, get_template, newest_among, templates
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from web.endpoint import PAGING, REPEATABLE, body, created, filters, one, page, page_of, tag
from web.requests import signed_in


class NewPromptSerializer(serializers.Serializer[Any]):
    """A prompt; if its name exists, its next version. An unchanged one gets no new version."""

    name = serializers.CharField(max_length=80)
    purpose = serializers.ChoiceField(Purpose.choices, default=Purpose.WRONG_MORALS)
    proposals = serializers.IntegerField(min_value=1, max_value=20, default=3)
    text = serializers.CharField(
        max_length=20_000, help_text="With {title} {story} {moral} {n}; for a stem, {stem} and {key}."
    )


class PromptSerializer(serializers.Serializer[Any]):
    """A version of a prompt, which never changes. `is_newest`: no later version has its name."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    version = serializers.IntegerField()
    purpose = serializers.ChoiceField(Purpose.choices)
    proposals = serializers.IntegerField()
    text = serializers.CharField()
    author = serializers.CharField()
    created_at = serializers.DateTimeField()
    is_newest = serializers.BooleanField()


class PromptFilters(serializers.Serializer[Any]):
    """Filters of the list of prompts; `newest`: only the newest version of each."""

    name = serializers.CharField(max_length=80, required=False)
    purpose = serializers.ChoiceField(Purpose.choices, required=False)
    newest = serializers.BooleanField(required=False)


@extend_schema(
    methods=["GET"],
    parameters=[*PAGING, PromptFilters],
    responses=page_of(PromptSerializer),
    operation_id="prompts_list",
    tags=["prompts"],
)
@extend_schema(
    methods=["POST"],
    parameters=[REPEATABLE],
    request=NewPromptSerializer,
    responses={201: PromptSerializer},
    operation_id="prompts_create",
    tags=["prompts"],
)
@project_endpoint(GET=Permission.SEE_CANDIDATES, POST=Permission.WRITE)
def prompts(request: Request, project: Project) -> Response:
    """Return the versions of a project's prompts, newest first; POST adds a prompt or its next version."""
    if request.method == "POST":
        sent = body(request, NewPromptSerializer)
        wanted = sent.pop("proposals")
        made = services.create_template(actor=signed_in(request), project=project, wanted=wanted, **sent)
        return created(_rows([made])[0], reverse("api_prompt", args=[project.slug, made.pk]))
    asked = filters(request, PromptFilters)
    is_newest = asked.pop("newest", False)
    found = templates(project) if is_newest else all_templates(project)
    return page(request, found.filter(**asked).select_related("author"), _rows)


@extend_schema(responses=PromptSerializer, operation_id="prompts_read", tags=["prompts"])
@project_endpoint(GET=Permission.SEE_CANDIDATES)
def prompt(request: Request, project: Project, pk: int) -> Response:
    """Return a version of a prompt."""
    row = _rows([get_template(project=project, pk=pk)])[0]
    return one(request, row, tag(pk, row["is_newest"]))


def _rows(prompts: Sequence[PromptTemplate]) -> list[dict[str, object]]:
    newest = newest_among(prompts)
    return [
        {
            "id": prompt.pk,
            "name": prompt.name,
            "version": prompt.version,
            "purpose": prompt.purpose,
            "proposals": prompt.wanted,
            "text": prompt.text,
            "author": prompt.author.username,
            "created_at": prompt.created_at,
            "is_newest": prompt.pk in newest,
        }
        for prompt in prompts
    ]
