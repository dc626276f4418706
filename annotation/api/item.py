"""Items: their list, one with its key, and what people do with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import services
from annotation.content import to_json
from annotation.importer import IMPORT_STATES, import_rows
from annotation.kinds import task_choices
from annotation.models import Item, State, Style
from annotation.queries.assignment import waiting_for_somebody
from annotation.queries.contest import contestable
from annotation.queries.item import (
    captions_of,
    get_item,
    items_seen_by,
    listed,
    present_words,
    source_id,
    story_was_reworded,
    typed,
)
from annotation.serializers import ContentSerializer, FindingsSerializer
from core.errors import Hidden, Unusable
from core.numbers import LARGEST
from corpus.endpoint import MOST_ROWS, ReportSerializer, RowField, json_lines, report_of
from corpus.queries import SEARCH, get_story
from corpus.services import LARGEST_UPLOAD
from jobs.hooks import dispatch
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import MEMBER, Permission
from projects.queries import members
from web.endpoint import (
    IF_MATCH,
    PAGING,
    REPEATABLE,
    body,
    created,
    filters,
    match,
    one,
    page,
    page_of,
    tag,
)
from web.files import takes_files
from web.requests import signed_in
from web.rows import Values
from web.serializers import ListField

LONGEST_REASON: Final = 4000


class ItemSerializer(serializers.Serializer[Item]):
    """An item as lists show it: without options and key. `source_id` is its id in the file it came from."""

    id = serializers.IntegerField()
    source_id = serializers.CharField()
    story = serializers.IntegerField()
    task = serializers.ChoiceField(choices=task_choices())
    style: Any = serializers.ChoiceField(choices=Style.choices)
    state = serializers.ChoiceField(choices=State.choices)
    writer = serializers.IntegerField()
    revision = serializers.IntegerField(
        allow_null=True, help_text="Number of its newest wording; null for an incomplete import."
    )
    stem = serializers.CharField()
    types = serializers.ListField(child=serializers.CharField())
    offered_at = serializers.DateTimeField(
        allow_null=True, help_text="Since when any writer may take it over."
    )
    created_at = serializers.DateTimeField()
    changed_at = serializers.DateTimeField()


class OneItemSerializer(ItemSerializer):
    """An item with its wording and key."""

    story_title = serializers.CharField()
    content = ContentSerializer()
    generators = serializers.ListField(child=serializers.CharField())
    story_was_reworded = serializers.BooleanField(
        help_text="Whether the story has other words than when this was written."
    )
    contestable = serializers.ChoiceField(
        choices=["", "rejection", "edit"], help_text="The decision that the caller may contest now."
    )


class NewItemSerializer(serializers.Serializer[Item]):
    """A new item, which goes to review. Each warning is to be fixed, or explained by its key."""

    story = serializers.IntegerField(min_value=0, max_value=LARGEST)
    task = serializers.ChoiceField(choices=task_choices())
    style: Any = serializers.ChoiceField(choices=Style.choices, default=Style.HUMAN)
    content = ContentSerializer()


class NewItemsSerializer(serializers.Serializer[Item]):
    """Up to 1,000 items in the form of Parable JSONL, imported by a manager; all of them, or none."""

    items = ListField(child=RowField(), min_length=1, max_length=MOST_ROWS)
    state = serializers.ChoiceField(
        choices=IMPORT_STATES,
        default=State.IN_REVIEW,
        help_text="State of complete items; those without a key become drafts.",
    )
    writer = serializers.CharField(
        max_length=150, default="Imported", help_text="Name of the writer; it is not linked to an account."
    )
    replace = serializers.BooleanField(
        default=False, help_text="Whether a row may replace an item of the same id about another story."
    )
    dry_run = serializers.BooleanField(default=False, help_text="Whether nothing is to be written.")


class ItemFilters(serializers.Serializer[Item]):
    """Filters of the list of items."""

    state = serializers.ChoiceField(choices=State.choices, required=False)
    task = serializers.ChoiceField(choices=task_choices(), required=False)
    style: Any = serializers.ChoiceField(choices=Style.choices, required=False)
    type = serializers.CharField(max_length=30, required=False)
    writer = serializers.IntegerField(min_value=0, max_value=LARGEST, required=False)
    story = serializers.IntegerField(min_value=0, max_value=LARGEST, required=False)
    source_id = serializers.CharField(max_length=200, required=False)
    changed_since = serializers.DateTimeField(required=False)


class ReasonSerializer(serializers.Serializer[Item]):
    """The reason for an action."""

    reason = serializers.CharField(max_length=LONGEST_REASON)


class OptionalReasonSerializer(serializers.Serializer[Item]):
    """The reason for an action."""

    reason = serializers.CharField(max_length=LONGEST_REASON, required=False, allow_blank=True, default="")


class ReceiverSerializer(serializers.Serializer[Item]):
    """The writer who gets an item."""

    writer = serializers.IntegerField(min_value=0, max_value=LARGEST)


NO_CAPTION: Final = (None, "", ())
"""The number, stem and types in a list of an item whose import was incomplete."""
_PATHS: Final = {
    "source_id": "ref",
    "changed_since": "changed_at__gte",
    **{name: name for name in ("state", "task", "style", "writer", "story")},
}


@takes_files(LARGEST_UPLOAD)
@extend_schema(
    methods=["GET"],
    parameters=[*PAGING, ItemFilters],
    responses=page_of(ItemSerializer),
    operation_id="items_list",
    tags=["items"],
)
@extend_schema(
    methods=["POST"],
    parameters=[REPEATABLE],
    request=PolymorphicProxySerializer(
        component_name="NewItemOrItems",
        serializers=[NewItemSerializer, NewItemsSerializer],
        resource_type_field_name=None,
    ),
    responses={
        200: ReportSerializer,
        201: PolymorphicProxySerializer(
            component_name="CreatedItemOrItems",
            serializers=[OneItemSerializer, ReportSerializer],
            resource_type_field_name=None,
        ),
    },
    operation_id="items_create",
    tags=["items"],
)
@project_endpoint(GET=MEMBER, POST=Permission.ADD_ITEMS)
def items(request: Request, project: Project) -> Response:
    """Return the items that the caller may see; POST submits one, or imports many under `items`."""
    if request.method == "POST":
        is_many = isinstance(request.data, Mapping) and "items" in request.data
        return _create_many(request, project) if is_many else _create_one(request, project)
    asked = filters(request, ItemFilters)
    found = items_seen_by(signed_in(request), project)
    if kind := asked.pop("type", ""):
        found = found.filter(current__in=typed(project, [kind]))
    found = found.filter(**{_PATHS[name]: value for name, value in asked.items()})
    return page(request, listed(found), _rows)


def _rows(found: Sequence[Values]) -> Iterable[Mapping[str, Any]]:
    captions = captions_of([row["current"] for row in found if row["current"]])
    for row in found:
        caption = captions.get(row.pop("current"), NO_CAPTION)
        row["revision"], row["stem"], row["types"] = caption
        row["source_id"] = source_id(row.pop("ref"))
    return found


def _create_one(request: Request, project: Project) -> Response:
    user, sent = signed_in(request), body(request, NewItemSerializer)
    story = get_story(user=user, project=project, pk=sent.pop("story"))
    made = services.submit_item(actor=user, project=project, story=story, **sent)
    item = get_item(user=user, project=project, pk=made.pk)
    whole = whole_item(request, item)
    return created(whole, reverse("api_item", args=[project.slug, made.pk]), tag(whole))


def _create_many(request: Request, project: Project) -> Response:
    sent = body(request, NewItemsSerializer)
    with transaction.atomic():
        imported = import_rows(
            actor=signed_in(request),
            project=project,
            rows=json_lines(sent["items"]),
            state=sent["state"],
            writer_name=sent["writer"],
            dry_run=sent["dry_run"],
            may_replace=sent["replace"],
        )
        dispatch(SEARCH, project.pk)  # if it has added stories
    return report_of(imported.result, imported.ids)


@extend_schema(responses=OneItemSerializer, operation_id="items_read", tags=["items"])
@project_endpoint(GET=MEMBER)
def item(request: Request, project: Project, pk: int) -> Response:
    """Return an item with its wording and key, which is recorded: the caller can no longer solve it blind."""
    return _shown(request, project, pk)


@extend_schema(
    parameters=[IF_MATCH],
    request=OptionalReasonSerializer,
    responses=OneItemSerializer,
    operation_id="items_withdraw",
    tags=["items"],
)
@project_endpoint(POST=MEMBER)
def withdraw(request: Request, project: Project, pk: int) -> Response:
    """Withdraw an item: it stays, but is no longer reviewed or released. Its writer and managers may."""
    with transaction.atomic():
        found = held_item(request, project, pk)
        sent = body(request, OptionalReasonSerializer)
        services.withdraw_item(actor=signed_in(request), item=found, **sent)
    return _shown(request, project, pk)


@extend_schema(
    parameters=[IF_MATCH],
    request=ReasonSerializer,
    responses=OneItemSerializer,
    operation_id="items_retire",
    tags=["items"],
)
@project_endpoint(POST=Permission.CHANGE_ITEMS)
def retire(request: Request, project: Project, pk: int) -> Response:
    """Exclude a verified item from all later releases."""
    with transaction.atomic():
        found = held_item(request, project, pk)
        services.retire_item(actor=signed_in(request), item=found, **body(request, ReasonSerializer))
    return _shown(request, project, pk)


@extend_schema(
    parameters=[IF_MATCH],
    request=ReasonSerializer,
    responses=OneItemSerializer,
    operation_id="items_review_again",
    tags=["items"],
)
@project_endpoint(POST=Permission.CHANGE_ITEMS)
def review_again(request: Request, project: Project, pk: int) -> Response:
    """Send a verified item for re-review."""
    with transaction.atomic():
        found = held_item(request, project, pk)
        services.request_another_look(actor=signed_in(request), item=found, **body(request, ReasonSerializer))
    return _shown(request, project, pk)


@extend_schema(
    parameters=[IF_MATCH],
    request=OptionalReasonSerializer,
    responses=OneItemSerializer,
    operation_id="items_contest",
    tags=["items"],
)
@project_endpoint(POST=MEMBER)
def contest(request: Request, project: Project, pk: int) -> Response:
    """Contest a rejection, or a reviewer's edit, with a reason. Only the writer may, and only once."""
    with transaction.atomic():
        found = held_item(request, project, pk)
        sent = body(request, OptionalReasonSerializer)  # the service asks for the reason, of who may contest
        ask = services.contest_rejection if found.state == State.REJECTED else services.contest_edit
        ask(actor=signed_in(request), item=found, **sent)
    return _shown(request, project, pk)


@extend_schema(
    request=None,
    responses=OneItemSerializer,
    operation_id="items_take_over",
    tags=["items"],
)
@project_endpoint(POST=Permission.WRITE)
def take_over(request: Request, project: Project, pk: int) -> Response:
    """Take over an item that is offered to all writers, or was returned long ago."""
    user = signed_in(request)
    found = waiting_for_somebody(project, user).filter(pk=pk).first()
    if found is None:
        raise Hidden(_("Item not found."))
    services.take_over_item(actor=user, item=found)
    return _shown(request, project, pk)


@extend_schema(
    parameters=[IF_MATCH],
    request=ReceiverSerializer,
    responses=OneItemSerializer,
    operation_id="items_assign",
    tags=["items"],
)
@project_endpoint(POST=Permission.CHANGE_WRITING)
def assign(request: Request, project: Project, pk: int) -> Response:
    """Make another writer the writer of an item that must be revised."""
    with transaction.atomic():
        found = held_item(request, project, pk)
        writer = _writer(project, body(request, ReceiverSerializer)["writer"])
        services.assign_item(actor=signed_in(request), item=found, writer=writer)
    return _shown(request, project, pk)


@extend_schema(request=None, responses=FindingsSerializer, operation_id="items_check", tags=["items"])
@project_endpoint(POST=MEMBER)
def check(request: Request, project: Project, pk: int) -> Response:
    """Check an item's present wording: what is wrong, why it matters, how to fix it."""
    found = get_item(user=signed_in(request), project=project, pk=pk)
    services.record_key_exposures(actor=signed_in(request), items=[found.pk])
    problems = []
    for remark in services.judge_item(actor=signed_in(request), item=found):
        problem = asdict(services.message_of(remark))
        problem["field"] = problem.pop("place")
        problems.append(problem)
    return Response({"problems": problems})


def _writer(project: Project, pk: int) -> Any:
    found = members(project, Permission.WRITE).filter(pk=pk).first()
    if found is None:
        message = _("Select at least one writer.")
        raise Unusable(message, "writer")
    return found


def held_item(request: Request, project: Project, pk: int) -> Item:
    """Return an item, locked until the transaction ends. Raise `Stale` if the client read another state."""
    found = get_item(user=signed_in(request), project=project, pk=pk)
    Item.objects.select_for_update(of=("self",)).get(pk=found.pk)
    if "If-Match" in request.headers:
        found = get_item(user=signed_in(request), project=project, pk=pk)
        match(request, tag(whole_item(request, found)))
    return found


def _shown(request: Request, project: Project, pk: int) -> Response:
    """Return an item with its key, and record that the caller has seen it."""
    found = get_item(user=signed_in(request), project=project, pk=pk)
    services.record_key_exposures(actor=signed_in(request), items=[found.pk])
    whole = whole_item(request, found)
    return one(request, whole, tag(whole))


def whole_item(request: Request, found: Item) -> Values:
    """Return the JSON of an item with its wording."""
    words, story = present_words(found), found.story.current
    return {
        "id": found.pk,
        "source_id": source_id(found.ref),
        "story": found.story_id,
        "story_title": story.title if story else "",
        "task": found.task,
        "style": found.style,
        "state": found.state,
        "writer": found.writer_id,
        "revision": found.current.number if found.current else None,
        "stem": words.stem,
        "types": list(words.types),
        "offered_at": found.offered_at,
        "created_at": found.created_at,
        "changed_at": found.changed_at,
        "content": to_json(words),
        "generators": list(found.generators),
        "story_was_reworded": story_was_reworded(found),
        "contestable": contestable(signed_in(request), found),
    }
