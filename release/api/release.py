"""Releases: the list, one with the progress of its build, comparisons, orders and withdrawal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.db import transaction
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.services import record_key_exposures
from jobs.endpoint import start
from jobs.hooks import dispatch
from jobs.models import Job
from jobs.queries import job_of, jobs_of
from parable.kinds import codes_among
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import MEMBER, Permission
from release import services
from release.api import gate_row, opened_release
from release.assembly.recipe import Recipe
from release.models import Release, Step
from release.options import RECIPE_OPTIONS
from release.permissions import may_open_release
from release.queries.lineage import COMPARE, comparison
from release.queries.release import BUILD, REBUILD, get_release, listed_releases, why_ended
from release.serializers import (
    ComparisonSerializer,
    GateSerializer,
    NewReleaseSerializer,
    OneReleaseSerializer,
    ReleaseSerializer,
)
from web.endpoint import (
    PAGING,
    REPEATABLE,
    AcceptedSerializer,
    Pages,
    body,
    filters,
    one,
    page_of,
    tag,
    whole,
)
from web.requests import signed_in


class ReleaseFilters(serializers.Serializer[Any]):
    """The list of releases has no filters."""


class BuildAcceptedSerializer(AcceptedSerializer):
    """The accepted build of a release."""

    version = serializers.CharField()


class ReleaseWithdrawalSerializer(serializers.Serializer[Any]):
    """Why a release is withdrawn; it remains visible."""

    reason = serializers.CharField(max_length=1000)


def _row(release: Release, build: Job | None) -> dict[str, object]:
    return {
        "version": release.version,
        "state": release.state,
        "step": build.step if build else Step.WAITING,
        "steps": len(Step) - 1,
        "is_silent": build is not None and build.is_silent,
        "counts": release.manifest.get("counts", {}),
        "reason": release.why,
        "extends": release.recipe.get("extends", ""),
        "withholds_answers": bool(release.recipe["withhold_test"]),
        "created_at": release.created_at,
        "ready_at": release.ready_at,
        "withdrawn_at": release.withdrawn_at,
    }


LINKS: Final = {"next": "next", "previous": "prev"}


@extend_schema(
    methods=["GET"],
    parameters=[*PAGING],
    responses=ReleaseSerializer(many=True),
    operation_id="releases_list",
    tags=["releases"],
)
@extend_schema(
    methods=["POST"],
    parameters=[REPEATABLE],
    request=NewReleaseSerializer,
    responses={202: BuildAcceptedSerializer},
    operation_id="releases_create",
    tags=["releases"],
)
@project_endpoint(heavy=True, GET=MEMBER, POST=Permission.CHANGE_RELEASES)
def releases(request: Request, project: Project) -> Response:
    """Return the project's releases, newest first; POST builds one from the given options.

    Without an option, it is that of the release that is extended, or the project's. The list is an array, as
    pages read it; the header `Link` has the addresses of the next and the previous page.
    """
    if request.method == "POST":
        return _order(request, project)
    filters(request, ReleaseFilters)
    pages = Pages()
    found = pages.paginate_queryset(listed_releases(project), request) or []
    builds = jobs_of(BUILD, [release.pk for release in found])
    response = Response([_row(release, builds.get(release.pk)) for release in found])
    links = {"next": pages.get_next_link(), "prev": pages.get_previous_link()}
    if said := ", ".join(f'<{address}>; rel="{name}"' for name, address in links.items() if address):
        response.headers["Link"] = said
    return response


def _order(request: Request, project: Project) -> Response:
    sent = body(request, NewReleaseSerializer)
    recipe = services.read_recipe(
        **services.with_inherited(project, sent),
        allow=sent.get("allow", ()),
        reason=sent.get("reason", ""),
        offered=codes_among(project.tasks),
    )
    with transaction.atomic():
        release = services.order_release(
            actor=signed_in(request),
            project=project,
            version=sent["version"],
            seed=sent.get("seed") or None,
            recipe=recipe,
        )
        return start(BUILD, release.pk, version=release.version)


@extend_schema(responses=OneReleaseSerializer, operation_id="releases_read", tags=["releases"])
@project_endpoint(GET=MEMBER)
def release(request: Request, project: Project, version: str) -> Response:
    """Return one release, with the progress of its build."""
    user = signed_in(request)
    found = get_release(user=user, project=project, version=version)
    return _one(request, found)


def _one(request: Request, found: Release) -> Response:
    is_open = bool(may_open_release(signed_in(request), found))
    row = _row(found, job_of(BUILD, found.pk)) | {
        "reason": why_ended(found),
        "recipe": recipe_row(found.version, found.seed, found.recipe) if is_open else None,
        "uploads_in_all": found.uploads_in_all if is_open else None,
    }
    return one(request, row, tag(row))


def recipe_row(version: str, seed: str, stored: Mapping[str, Any]) -> dict[str, object]:
    """Return all options of a release by name, with the overridden gates; a secret seed is ""."""
    recipe = Recipe.from_json(stored)
    return {
        "version": version,
        "seed": "" if recipe.withhold_test else seed,
        **{option.name: getattr(recipe, option.name) for option in RECIPE_OPTIONS},
        "allow": recipe.allow,
        "reason": recipe.reason,
    }


@extend_schema(
    request=ReleaseWithdrawalSerializer,
    responses=OneReleaseSerializer,
    operation_id="releases_withdraw",
    tags=["releases"],
)
@project_endpoint(POST=Permission.CHANGE_RELEASES)
def withdraw(request: Request, project: Project, version: str) -> Response:
    """Withdraw a release: it remains listed with the reason, but its files cannot be downloaded."""
    found = opened_release(request, project, version)
    sent = body(request, ReleaseWithdrawalSerializer)
    return _one(request, services.withdraw_release(actor=signed_in(request), release=found, **sent))


@extend_schema(
    request=None, responses={202: BuildAcceptedSerializer}, operation_id="releases_retry", tags=["releases"]
)
@project_endpoint(heavy=True, POST=Permission.CHANGE_RELEASES)
def retry(request: Request, project: Project, version: str) -> Response:
    """Dispatch the unfinished job of a build again."""
    found = opened_release(request, project, version)
    return start(BUILD, found.pk, version=found.version)


class RebuildCheckSerializer(serializers.Serializer[Any]):
    """The last rebuild check. `differing`: the files that are not as they were stored, once it is `done`."""

    job = serializers.IntegerField(allow_null=True)
    state = serializers.CharField()
    finished_at = serializers.DateTimeField(allow_null=True)
    differing = serializers.ListField(child=serializers.CharField())


@extend_schema(
    methods=["GET"],
    responses=RebuildCheckSerializer,
    operation_id="releases_rebuild_check",
    tags=["releases"],
)
@extend_schema(
    methods=["POST"],
    request=None,
    responses={202: AcceptedSerializer},
    operation_id="releases_rebuild",
    tags=["releases"],
)
@project_endpoint(heavy=True, GET=Permission.SEE_RELEASES, POST=Permission.CHANGE_RELEASES)
def rebuild(request: Request, project: Project, version: str) -> Response:
    """Return the last rebuild check; POST renders the release again and compares its files."""
    found = opened_release(request, project, version)
    if request.method == "POST":
        with transaction.atomic():
            services.order_rebuild_check(actor=signed_in(request), release=found)
            return start(REBUILD, found.pk)
    job = job_of(REBUILD, found.pk)
    row = {"job": job.pk if job else None, "state": job.state if job else ""}
    ended = {"finished_at": job.finished_at if job else None}
    return Response(row | ended | {"differing": job.result.get("differing", []) if job else []})


class ComparisonOrderedSerializer(serializers.Serializer[Any]):
    """A comparison that is being computed."""

    detail = serializers.CharField()


@extend_schema(
    responses={200: ComparisonSerializer, 202: ComparisonOrderedSerializer},
    operation_id="releases_compare",
    tags=["releases"],
)
@project_endpoint(GET=Permission.SEE_RELEASES)
def compare(request: Request, project: Project, before: str, after: str) -> Response:
    """Return the differences between two releases by item id; 202 while they are computed.

    Reading that a key has another letter counts as seeing the key, as on the page.
    """
    user = signed_in(request)
    old, new = (get_release(user=user, project=project, version=version) for version in (before, after))
    with transaction.atomic():
        found = services.order_comparison(actor=user, before=old, after=new)
        dispatch(COMPARE, found.pk)
    if found.made_at is None:
        return Response({"detail": _("Being compared. Ask again in a moment.")}, status.HTTP_202_ACCEPTED)
    moved = zip(found.found["moved"], found.items["moved"], strict=True)
    record_key_exposures(actor=user, items=[item for row, item in moved if "key" in row])
    return Response(ComparisonSerializer(comparison(old, new, found.found)).data)


class ReleaseGateSerializer(GateSerializer):
    """The result of a gate when the release was built, and whether it was overridden."""

    is_overridden = serializers.BooleanField()


@extend_schema(responses=page_of(ReleaseGateSerializer), operation_id="releases_gates", tags=["releases"])
@project_endpoint(GET=Permission.SEE_RELEASES)
def gates(request: Request, project: Project, version: str) -> Response:
    """Return the results of all gates at the time of the build."""
    found = opened_release(request, project, version)
    allowed = set(found.recipe["allow"])
    return whole(
        gate_row(answer) | {"is_overridden": answer["id"] in allowed}
        for answer in found.manifest.get("gates", [])
    )
