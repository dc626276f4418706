"""Drafts of releases: their options, contents and findings, and what is done to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from django.db import transaction
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import Item
from core.errors import Hidden, Unusable
from jobs.endpoint import start
from jobs.hooks import dispatch
from jobs.queries import job_of
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from release import services
from release.api import gate_row
from release.api.release import BuildAcceptedSerializer, recipe_row
from release.models import DraftOverride, ReleaseDraft
from release.options import OPTIONS, blank, typed_of
from release.queries import draft as queries
from release.queries.draft import DRAFT_CHECK, HELD, LISTS
from release.queries.release import BUILD, live_release, next_version
from release.serializers import GateSerializer, OptionsSerializer, RecipeSerializer
from web.endpoint import (
    IF_MATCH,
    PAGING,
    REPEATABLE,
    AcceptedSerializer,
    body,
    created,
    filters,
    match,
    one,
    page,
    page_of,
    tag,
    whole,
)
from web.requests import signed_in
from web.serializers import ListField

MOST_ITEMS: Final = 1000
"""The maximum number of items in one request."""


class ReleaseDraftSerializer(serializers.Serializer[ReleaseDraft]):
    """A draft of a release. `state` is `open`, `built` or `discarded`; `release`: the version last built."""

    id = serializers.IntegerField()
    version = serializers.CharField()
    state = serializers.CharField()
    release = serializers.CharField(allow_null=True)
    created_by = serializers.CharField()
    created_at = serializers.DateTimeField()
    discarded_at = serializers.DateTimeField(allow_null=True)


class NewGateOverrideSerializer(serializers.Serializer[DraftOverride]):
    """A gate to override, with the reason, which is printed in the data card."""

    gate = serializers.CharField(max_length=40)
    reason = serializers.CharField(max_length=services.LONGEST_REASON)


class GateOverrideSerializer(NewGateOverrideSerializer):
    """A gate that is overridden, with the reason, and by whom."""

    username = serializers.CharField()
    at = serializers.DateTimeField()


class OneReleaseDraftSerializer(ReleaseDraftSerializer):
    """A draft with its options and contents.

    `problems`: what is wrong with options typed on a page, by name. `is_checked`: whether the gates have
    checked the current state; `job`: the newest check. `items` by task; `splits`: items by task and split, as
    last drawn. `lists`: the number of items in each list, compared with the release `since`.
    """

    options = RecipeSerializer()
    problems = serializers.DictField(child=serializers.CharField())
    is_checked = serializers.BooleanField()
    checked_at = serializers.DateTimeField(allow_null=True)
    job = serializers.IntegerField(allow_null=True)
    items = serializers.DictField(child=serializers.IntegerField())
    stories = serializers.IntegerField()
    splits = serializers.DictField(child=serializers.DictField(child=serializers.IntegerField()))
    since = serializers.CharField(allow_blank=True)
    lists = serializers.DictField(child=serializers.IntegerField())
    overrides = GateOverrideSerializer(many=True)


class DraftFindingSerializer(GateSerializer):
    """A gate's finding about a draft.

    `is_final`: whether the verdict can still change while other gates run. `items`: the number of items
    behind the finding; `proposed`: of those that it proposes to exclude. `is_overridden`: see the draft.
    """

    is_final = serializers.BooleanField()
    items = serializers.IntegerField()
    proposed = serializers.IntegerField()
    is_overridden = serializers.BooleanField()


class ReleaseDraftItemSerializer(serializers.Serializer[Item]):
    """An item in a list of a draft, or behind a finding; `is_proposed`: whether the gate would exclude it."""

    id = serializers.IntegerField()
    ref = serializers.CharField()
    task = serializers.CharField()
    state = serializers.CharField()
    story = serializers.IntegerField()
    title = serializers.CharField()
    stem = serializers.CharField()
    is_excluded = serializers.BooleanField()
    is_proposed = serializers.BooleanField()


class DraftFilters(serializers.Serializer[Any]):
    """Filters of the list of drafts."""

    state = serializers.ChoiceField(["open", "built", "discarded"], required=False)


class DraftItemFilters(serializers.Serializer[Any]):
    """Which items: a list of the draft (`held`, `new`, `excluded`, ...), or a finding by gate and task."""

    list = serializers.ChoiceField([HELD, *LISTS], required=False)
    gate = serializers.CharField(max_length=40, required=False)
    task = serializers.CharField(max_length=40, required=False, allow_blank=True)


class ChosenDraftItemsSerializer(serializers.Serializer[Any]):
    """Items behind a gate's finding, or any items: by default all that the gate proposes."""

    gate = serializers.CharField(max_length=40, required=False)
    task = serializers.CharField(max_length=40, required=False, allow_blank=True)
    items = ListField(child=serializers.IntegerField(), max_length=MOST_ITEMS, required=False)


class ReturnedDraftItemsSerializer(serializers.Serializer[Any]):
    """Items behind a gate's finding that go back to review, and why."""

    gate = serializers.CharField(max_length=40)
    task = serializers.CharField(max_length=40, required=False, allow_blank=True)
    items = ListField(child=serializers.IntegerField(), max_length=MOST_ITEMS, required=False)
    reason = serializers.CharField(max_length=services.LONGEST_REASON)


class ChangedDraftItemsSerializer(AcceptedSerializer):
    """The number of items that were changed, and the accepted check by the gates."""

    items = serializers.IntegerField()


class ReleaseDraftAcceptedSerializer(AcceptedSerializer):
    """The accepted check of a new draft; `id` is that of the draft."""

    id = serializers.IntegerField()


def _draft(request: Request, project: Project, pk: int) -> ReleaseDraft:
    return queries.get_draft(user=signed_in(request), project=project, pk=pk)


def _state(draft: ReleaseDraft) -> str:
    if draft.discarded_at is not None:
        return "discarded"
    return "open" if draft.is_open else "built"


def _row(draft: ReleaseDraft) -> dict[str, object]:
    return {
        "id": draft.pk,
        "version": draft.version,
        "state": _state(draft),
        "release": draft.release.version if draft.release else None,
        "created_by": draft.created_by.username,
        "created_at": draft.created_at,
        "discarded_at": draft.discarded_at,
    }


def _override_row(override: DraftOverride) -> dict[str, object]:
    return {
        "gate": override.gate,
        "reason": override.reason,
        "username": override.overridden_by.username,
        "at": override.overridden_at,
    }


def _whole(draft: ReleaseDraft) -> dict[str, object]:
    work = job_of(DRAFT_CHECK, draft.pk)
    draft.refresh_from_db(fields=["checked_at", "seen", "checks", "counts"])  # see `job_of`
    held, overrides = queries.contents(draft), list(queries.overrides_of(draft))
    options = recipe_row(draft.version, draft.seed, draft.recipe)
    return _row(draft) | {
        "options": options | {"allow": [one.gate for one in overrides]},
        "problems": services.find_problems(draft),
        "is_checked": queries.is_checked(draft),
        "checked_at": draft.checked_at,
        "job": work.pk if work else None,
        "items": held.tasks,
        "stories": held.stories,
        "splits": draft.counts,
        "since": held.since,
        "lists": held.lists,
        "overrides": list(map(_override_row, overrides)),
    }


def _tag(draft: ReleaseDraft) -> str:
    """Return the ETag of a draft's options and state; a check by the gates does not change it."""
    return tag(
        draft.pk, draft.wishes, draft.version, draft.seed, draft.recipe, draft.discarded_at, draft.release_id
    )


def _typed(sent: Mapping[str, Any]) -> dict[str, object]:
    """Return the sent options as a form would type them, by the names of its fields."""
    return typed_of(sent, [field for option in OPTIONS if option.name in sent for field in option.fields])


@extend_schema(
    methods=["GET"],
    parameters=[*PAGING, DraftFilters],
    responses=page_of(ReleaseDraftSerializer),
    operation_id="release_drafts_list",
    tags=["release drafts"],
)
@extend_schema(
    methods=["POST"],
    parameters=[REPEATABLE],
    request=OptionsSerializer,
    responses={202: ReleaseDraftAcceptedSerializer},
    operation_id="release_drafts_create",
    tags=["release drafts"],
)
@project_endpoint(heavy=True, GET=Permission.SEE_RELEASES, POST=Permission.CHANGE_RELEASES)
def drafts(request: Request, project: Project) -> Response:
    """Return the drafts of releases, newest first; POST creates one and checks it by the gates.

    Without an option, it is that of the release that is extended, or the project's.
    """
    if request.method == "GET":
        asked = filters(request, DraftFilters)
        found = queries.drafts_in(project, asked.get("state", ""))
        return page(request, found, lambda rows: map(_row, rows))
    sent = body(request, OptionsSerializer)
    base = live_release(project, sent["extends"]) if sent.get("extends") else None
    usual = {"version": next_version(project), "min_rating": "0", **queries.usual_settings(project, base)}
    with transaction.atomic():
        draft = services.create_draft(
            actor=signed_in(request), project=project, data=blank() | usual | _typed(sent)
        )
        return start(DRAFT_CHECK, draft.pk, id=draft.pk)


@extend_schema(
    methods=["GET"],
    responses=OneReleaseDraftSerializer,
    operation_id="release_drafts_read",
    tags=["release drafts"],
)
@extend_schema(
    methods=["PATCH"],
    parameters=[IF_MATCH],
    request=OptionsSerializer,
    responses=OneReleaseDraftSerializer,
    operation_id="release_drafts_change",
    tags=["release drafts"],
)
@project_endpoint(GET=Permission.SEE_RELEASES, PATCH=Permission.CHANGE_RELEASES)
def draft(request: Request, project: Project, pk: int) -> Response:
    """Return a draft; PATCH changes options, after which the gates check it again.

    Unlike on a page, nothing is saved if an option is not valid.
    """
    found = _draft(request, project, pk)
    if request.method == "PATCH":
        sent = body(request, OptionsSerializer)
        with transaction.atomic():
            locked = ReleaseDraft.objects.select_for_update(of=("self",)).get(pk=found.pk)
            match(request, _tag(locked))
            if wrong := services.save_form_data(actor=signed_in(request), draft=found, data=_typed(sent)):
                raise Unusable(wrong)
            dispatch(DRAFT_CHECK, found.pk)
        found = _draft(request, project, pk)
    return one(request, _whole(found), _tag(found))


@extend_schema(
    responses=page_of(DraftFindingSerializer),
    operation_id="release_drafts_findings",
    tags=["release drafts"],
)
@project_endpoint(GET=Permission.SEE_RELEASES)
def findings(request: Request, project: Project, pk: int) -> Response:
    """Return what each gate has found about the draft, in the order of the gates."""
    found = _draft(request, project, pk)
    overridden = {override.gate for override in queries.overrides_of(found)}
    return whole(
        gate_row(finding.answer | {"task": finding.task or None})
        | {
            "is_final": finding.is_settled,
            "items": vars(finding)["behind"],
            "proposed": vars(finding)["proposed"],
            "is_overridden": finding.gate in overridden,
        }
        for finding in queries.findings(found)
    )


@extend_schema(
    parameters=[*PAGING, DraftItemFilters],
    responses=page_of(ReleaseDraftItemSerializer),
    operation_id="release_drafts_items",
    tags=["release drafts"],
)
@project_endpoint(GET=Permission.SEE_RELEASES)
def items(request: Request, project: Project, pk: int) -> Response:
    """Return the items in a list of the draft, or behind a finding; by default all items in the draft."""
    found = _draft(request, project, pk)
    asked = filters(request, DraftItemFilters)
    proposed: set[int] = set()
    if "gate" in asked:
        finding = queries.get_finding(found, asked["gate"], asked.get("task", ""))
        rows, proposed = Item.objects.filter(pk__in=finding.items), set(finding.leave_out)
    else:
        rows = queries.listed_items(found, asked.get("list", HELD))

    def rows_of(some: Sequence[Item]) -> Iterator[dict[str, object]]:
        excluded = queries.excluded_among(found, [item.pk for item in some])
        for item in some:
            yield {
                "id": item.pk,
                "ref": item.ref,
                "task": item.task,
                "state": item.state,
                "story": item.story_id,
                "title": item.story.current.title if item.story.current else "",
                "stem": item.current.stem if item.current else "",
                "is_excluded": item.pk in excluded,
                "is_proposed": item.pk in proposed,
            }

    return page(request, queries.with_wording(rows), rows_of)


@extend_schema(
    request=None,
    responses={202: AcceptedSerializer},
    operation_id="release_drafts_check",
    tags=["release drafts"],
)
@project_endpoint(heavy=True, POST=Permission.CHANGE_RELEASES)
def check(request: Request, project: Project, pk: int) -> Response:
    """Check the draft again by the gates."""
    found = _draft(request, project, pk)
    with transaction.atomic():
        services.order_draft_check(actor=signed_in(request), draft=found)
        return start(DRAFT_CHECK, found.pk)


@extend_schema(
    request=ChosenDraftItemsSerializer,
    responses={202: ChangedDraftItemsSerializer},
    operation_id="release_drafts_exclude",
    tags=["release drafts"],
)
@project_endpoint(POST=Permission.CHANGE_RELEASES)
def exclude(request: Request, project: Project, pk: int) -> Response:
    """Exclude items from the draft; they remain verified. The gates check the draft again."""
    found = _draft(request, project, pk)
    sent = {"gate": ""} | body(request, ChosenDraftItemsSerializer)
    with transaction.atomic():
        n = services.exclude_items(actor=signed_in(request), draft=found, **sent)
        return start(DRAFT_CHECK, found.pk, items=n)


@extend_schema(
    request=ChosenDraftItemsSerializer,
    responses={202: ChangedDraftItemsSerializer},
    operation_id="release_drafts_include",
    tags=["release drafts"],
)
@project_endpoint(POST=Permission.CHANGE_RELEASES)
def include(request: Request, project: Project, pk: int) -> Response:
    """Include excluded items again. The gates check the draft again."""
    found = _draft(request, project, pk)
    sent = body(request, ChosenDraftItemsSerializer)
    with transaction.atomic():
        n = services.include_items(actor=signed_in(request), draft=found, **sent)
        return start(DRAFT_CHECK, found.pk, items=n)


@extend_schema(
    request=ReturnedDraftItemsSerializer,
    responses={202: ChangedDraftItemsSerializer},
    operation_id="release_drafts_return",
    tags=["release drafts"],
)
@project_endpoint(POST=Permission.CHANGE_RELEASES)
def send_back(request: Request, project: Project, pk: int) -> Response:
    """Return items behind a finding to review, at most 200 at once. The gates check the draft again."""
    found = _draft(request, project, pk)
    sent = body(request, ReturnedDraftItemsSerializer)
    with transaction.atomic():
        n = services.return_items(actor=signed_in(request), draft=found, **sent)
        return start(DRAFT_CHECK, found.pk, items=n)


@extend_schema(
    request=NewGateOverrideSerializer,
    responses={201: GateOverrideSerializer},
    operation_id="release_drafts_override",
    tags=["release drafts"],
)
@project_endpoint(POST=Permission.CHANGE_RELEASES)
def overrides(request: Request, project: Project, pk: int) -> Response:
    """Override a gate, so that it does not stop the build. The data card has the reason and your name."""
    found = _draft(request, project, pk)
    sent = body(request, NewGateOverrideSerializer)
    made = services.override_gate(actor=signed_in(request), draft=found, **sent)
    address = reverse("api_release_draft_override", args=[project.slug, pk, made.gate])
    return created(_override_row(made), address)


@extend_schema(responses={204: None}, operation_id="release_drafts_remove_override", tags=["release drafts"])
@project_endpoint(DELETE=Permission.CHANGE_RELEASES)
def override(request: Request, project: Project, pk: int, gate: str) -> Response:
    """Remove the override of a gate, so that it can stop the build again."""
    found = _draft(request, project, pk)
    if not queries.overrides_of(found).filter(gate=gate).exists():
        raise Hidden
    services.remove_override(actor=signed_in(request), draft=found, gate=gate)
    return Response(status=204)


@extend_schema(
    parameters=[REPEATABLE],
    request=None,
    responses={202: BuildAcceptedSerializer},
    operation_id="release_drafts_build",
    tags=["release drafts"],
)
@project_endpoint(heavy=True, POST=Permission.CHANGE_RELEASES)
def build(request: Request, project: Project, pk: int) -> Response:
    """Build the draft as a release. Refused while a gate fails or has not checked the current state."""
    found = _draft(request, project, pk)
    with transaction.atomic():
        release = services.build_draft(actor=signed_in(request), draft=found)
        return start(BUILD, release.pk, version=release.version)


@extend_schema(
    request=None,
    responses=ReleaseDraftSerializer,
    operation_id="release_drafts_discard",
    tags=["release drafts"],
)
@project_endpoint(POST=Permission.CHANGE_RELEASES)
def discard(request: Request, project: Project, pk: int) -> Response:
    """Discard the draft. A discarded draft can be restored."""
    services.discard_draft(actor=signed_in(request), draft=_draft(request, project, pk))
    return Response(_row(_draft(request, project, pk)))


@extend_schema(
    request=None,
    responses=ReleaseDraftSerializer,
    operation_id="release_drafts_restore",
    tags=["release drafts"],
)
@project_endpoint(POST=Permission.CHANGE_RELEASES)
def restore(request: Request, project: Project, pk: int) -> Response:
    """Restore a discarded draft."""
    services.restore_draft(actor=signed_in(request), draft=_draft(request, project, pk))
    return Response(_row(_draft(request, project, pk)))
