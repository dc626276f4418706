"""Queries of the audit trail as pages show it: the names of actions, and the events about a project."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, Final, NamedTuple

from django.core.exceptions import FieldDoesNotExist
from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from accounts.models import AuditEvent, Scope, User
from accounts.queries import subject_type_of
from annotation.models import HandOver, Item, Pilot
from corpus.models import Story, StoryGroup
from dashboard.models import BulkAction, Verb
from evaluation.models import PanelSeat, Run
from generation.models import PromptTemplate
from jobs.models import AllowedHost, Endpoint, Job, KeyBinding
from projects.models import AccessToken, CommonsenseType, Guideline, Invitation, Project, Role
from release.models import Erratum, ErrorReport, Release, ReleaseDraft, Team, Upload
from review.models import PracticeItem, ReviewRequest

PAGE: Final = 50
MOST_EXPORTED: Final = 100_000
"""The most events of a file; a longer trail is exported in parts, by dates."""
LONGEST_DETAIL: Final = 300
"""The most characters of an event's detail that a page shows."""


class Action(NamedTuple):
    """The name of an action, and the keys of its events' details that pages show.

    Details that are not listed are not shown: they may quote what others wrote about an item.
    """

    name: str | Promise
    shows: tuple[str, ...] = ()


ACTIONS: Final[Mapping[str, Action]] = {
    # people and access
    "sign_in": Action(gettext_lazy("signed in"), ("address",)),
    "sign_out": Action(gettext_lazy("signed out"), ("address",)),
    "sign_out_elsewhere": Action(gettext_lazy("signed out elsewhere"), ("sessions",)),
    "failed_sign_ins": Action(gettext_lazy("recorded failed sign-ins"), ("failures", "address")),
    "lock_sign_in": Action(gettext_lazy("locked sign-in for a while"), ("limit", "address")),
    "create_user": Action(gettext_lazy("created an account")),
    "import_writer": Action(gettext_lazy("imported a writer's name")),
    "set_password": Action(gettext_lazy("set a password")),
    "issue_reset_link": Action(gettext_lazy("created a password link")),
    "update_profile": Action(gettext_lazy("changed the profile")),
    "stop_mail": Action(gettext_lazy("stopped the daily mail")),
    "allow_projects": Action(gettext_lazy("changed who may create projects"), ("allowed",)),
    "close_account": Action(gettext_lazy("closed an account")),
    "export_own_data": Action(gettext_lazy("downloaded the own data")),
    "add_second_factor": Action(gettext_lazy("set up a second factor")),
    "remove_second_factor": Action(gettext_lazy("removed a second factor")),
    "renew_recovery_codes": Action(gettext_lazy("created new recovery codes")),
    "create_token": Action(gettext_lazy("created an access token"), ("name", "scopes", "days")),
    "revoke_token": Action(gettext_lazy("revoked an access token"), ("name",)),
    "export_activity": Action(gettext_lazy("exported the activity")),
    # projects
    "create_project": Action(gettext_lazy("created the project"), ("like",)),
    "update_project": Action(gettext_lazy("changed settings"), ("*",)),
    "archive_project": Action(gettext_lazy("archived the project")),
    "restore_project": Action(gettext_lazy("restored the project")),
    "set_roles": Action(gettext_lazy("changed roles"), ("user", "roles")),
    "invite": Action(gettext_lazy("created an invitation")),
    "accept_invitation": Action(gettext_lazy("accepted an invitation")),
    "revoke_invitation": Action(gettext_lazy("withdrew an invitation")),
    "publish_guideline": Action(gettext_lazy("published a guideline version")),
    "add_type": Action(gettext_lazy("added a commonsense type")),
    "rename_type": Action(gettext_lazy("renamed a commonsense type")),
    "retire_type": Action(gettext_lazy("retired a commonsense type")),
    "restore_type": Action(gettext_lazy("restored a commonsense type")),
    # stories and items
    "import_stories": Action(gettext_lazy("imported stories")),
    "import_items": Action(gettext_lazy("imported items")),
    "revise_story": Action(gettext_lazy("revised a story"), ("number",)),
    "set_rights": Action(gettext_lazy("set the rights of a story"), ("rights",)),
    "confirm_story_group": Action(gettext_lazy("confirmed similar stories")),
    "undo_story_group": Action(gettext_lazy("split a group of similar stories")),
    "reject_story_group": Action(gettext_lazy("rejected a group of similar stories")),
    "reopen_story_pair": Action(gettext_lazy("reopened a pair of similar stories")),
    "name_writers": Action(gettext_lazy("assigned a story"), ("writers", "due_on")),
    "take_back_story": Action(gettext_lazy("withdrew an assignment"), ("writer",)),
    "hold_back_stories": Action(gettext_lazy("held back stories, or made them available")),
    "reserve_story": Action(gettext_lazy("reserved a story"), ("writer",)),
    "end_reservation": Action(gettext_lazy("ended a reservation"), ("writer",)),
    "set_type_targets": Action(gettext_lazy("changed the writing plan")),
    "hand_over": Action(gettext_lazy("handed over work"), ("leaver", "receiver")),
    "hand_back": Action(gettext_lazy("undid a handover")),
    "take_over_item": Action(gettext_lazy("took over an item"), ("from",)),
    "assign_item": Action(gettext_lazy("assigned an item"), ("from", "to")),
    "start_pilot": Action(gettext_lazy("started a pilot")),
    "end_pilot": Action(gettext_lazy("ended a pilot")),
    "table_taken_out": Action(gettext_lazy("exported a table"), ("table", "kind")),
    "bulk_action": Action(gettext_lazy("started a bulk action"), ("verb",)),
    "undo_bulk_action": Action(gettext_lazy("undid a bulk action")),
    # reviews; no reasons, which may say what a reviewer found
    "set_priority": Action(gettext_lazy("changed the review priority"), ("items",)),
    "skip_place": Action(gettext_lazy("skipped a review")),
    "name_deputy": Action(gettext_lazy("named a substitute"), ("person",)),
    "make_practice_item": Action(gettext_lazy("created a practice item")),
    "retire_practice_item": Action(gettext_lazy("retired a practice item")),
    "restore_practice_item": Action(gettext_lazy("restored a practice item")),
    # models and jobs
    "create_template": Action(gettext_lazy("saved a prompt")),
    "create_webhook": Action(gettext_lazy("added a webhook"), ("server",)),
    "change_webhook": Action(gettext_lazy("changed a webhook")),
    "replace_webhook_secret": Action(gettext_lazy("replaced the secret of a webhook")),
    "reseal_webhook_secret": Action(gettext_lazy("encrypted the secret of a webhook again")),
    "delete_webhook": Action(gettext_lazy("deleted a webhook"), ("server",)),
    "repeat_delivery": Action(gettext_lazy("sent an event again")),
    "create_endpoint": Action(gettext_lazy("added a model")),
    "edit_endpoint": Action(gettext_lazy("changed a model"), ("changed",)),
    "retire_endpoint": Action(gettext_lazy("retired a model")),
    "bring_back_endpoint": Action(gettext_lazy("restored a model")),
    "try_endpoint": Action(gettext_lazy("tested a model")),
    "store_key": Action(gettext_lazy("stored an API key"), ("server",)),
    "discard_key": Action(gettext_lazy("deleted an API key")),
    "reseal_key": Action(gettext_lazy("encrypted an API key anew")),
    "allow_host": Action(gettext_lazy("allowed a key server"), ("host",)),
    "withdraw_host": Action(gettext_lazy("withdrew a key server"), ("host",)),
    "bind_key": Action(gettext_lazy("bound a key variable"), ("variable", "host")),
    "unbind_key": Action(gettext_lazy("unbound a key variable"), ("variable", "host")),
    "set_project_budget": Action(gettext_lazy("set the budget"), ("limit",)),
    "start_job": Action(gettext_lazy("started a job")),
    "pause_job": Action(gettext_lazy("paused a job")),
    "resume_job": Action(gettext_lazy("resumed a job")),
    "cancel_job": Action(gettext_lazy("cancelled a job")),
    "retry_failed": Action(gettext_lazy("retried failed calls"), ("calls",)),
    # releases
    "create_release_draft": Action(gettext_lazy("began a release"), ("version",)),
    "discard_release_draft": Action(gettext_lazy("discarded a release draft")),
    "restore_release_draft": Action(gettext_lazy("restored a release draft")),
    "exclude_from_release": Action(gettext_lazy("excluded items from a release"), ("gate",)),
    "include_in_release": Action(gettext_lazy("included items in a release again")),
    "return_from_release": Action(gettext_lazy("returned items from a release draft"), ("gate",)),
    "override_gate": Action(gettext_lazy("overrode a gate"), ("gate", "reason")),
    "remove_override": Action(gettext_lazy("removed the override of a gate"), ("gate",)),
    "order_release": Action(gettext_lazy("started a release build"), ("version",)),
    "build_release": Action(gettext_lazy("built a release"), ("version",)),
    "stop_release": Action(gettext_lazy("stopped a release at its gates"), ("gates",)),
    "fail_release": Action(gettext_lazy("failed to build a release")),
    "withdraw_release": Action(gettext_lazy("withdrew a release"), ("reason",)),
    "download_release": Action(gettext_lazy("downloaded a release file"), ("file",)),
    "push_release": Action(gettext_lazy("sent a release to a hub"), ("version", "repo")),
    "set_publication": Action(gettext_lazy("changed the public page of a release")),
    "invite_team": Action(gettext_lazy("invited a team")),
    "revoke_team": Action(gettext_lazy("withdrew a team's link")),
    "limit_uploads": Action(gettext_lazy("limited uploads"), ("from", "to")),
    "upload_responses": Action(gettext_lazy("received a team's responses"), ("team",)),
    "report_error": Action(gettext_lazy("reported an error")),
    "answer_report": Action(gettext_lazy("answered an error report"), ("remedy",)),
    "issue_erratum": Action(gettext_lazy("published an erratum"), ("remedy",)),
    # evaluation
    "import_responses": Action(gettext_lazy("imported responses"), ("file",)),
    "open_panel": Action(gettext_lazy("created a panel")),
    "invite_to_panel": Action(gettext_lazy("invited people to a panel"), ("people",)),
    "withdraw_seat": Action(gettext_lazy("withdrew a panel link")),
}
"""What the audit trail records, by verb. A verb that is not listed is shown as it is."""


class Subject(NamedTuple):
    """A kind of object that events are about: its name, its table, and the lookup of its project."""

    name: str | Promise
    model: type[Model]
    project: str = ""
    route: str = ""
    """The page of an object in its project, which takes its id."""


_SUBJECTS: Final = (
    Subject(pgettext_lazy("activity", "person"), User),
    Subject(gettext_lazy("project"), Project, "pk"),
    Subject(gettext_lazy("access token"), AccessToken, "project"),
    Subject(gettext_lazy("invitation"), Invitation, "project"),
    Subject(gettext_lazy("guideline"), Guideline, "project"),
    Subject(gettext_lazy("commonsense type"), CommonsenseType, "project"),
    Subject(gettext_lazy("story"), Story, "project", "corpus:story"),
    Subject(gettext_lazy("group of similar stories"), StoryGroup, "project"),
    Subject(gettext_lazy("item"), Item, "project", "dashboard:item"),
    Subject(gettext_lazy("handover"), HandOver, "project"),
    Subject(gettext_lazy("pilot"), Pilot, "project", "dashboard:pilot"),
    Subject(gettext_lazy("bulk action"), BulkAction, "project"),
    Subject(gettext_lazy("review request"), ReviewRequest, "project"),
    Subject(gettext_lazy("practice item"), PracticeItem, "project"),
    Subject(gettext_lazy("prompt"), PromptTemplate, "project", "generation:prompt"),
    Subject(gettext_lazy("model"), Endpoint, "project", "generation:endpoint"),
    Subject(gettext_lazy("job"), Job, "project", "jobs:job"),
    Subject(gettext_lazy("key server"), AllowedHost),
    Subject(gettext_lazy("key variable"), KeyBinding),
    Subject(gettext_lazy("release"), Release, "project"),
    Subject(gettext_lazy("release draft"), ReleaseDraft, "project"),
    Subject(gettext_lazy("error report"), ErrorReport, "released__release__project"),
    Subject(gettext_lazy("erratum"), Erratum, "released__release__project"),
    Subject(gettext_lazy("team"), Team, "release__project"),
    Subject(gettext_lazy("upload"), Upload, "team__release__project"),
    Subject(gettext_lazy("run"), Run, "release__project", "evaluation:run"),
    Subject(gettext_lazy("panel link"), PanelSeat, "run__release__project"),
)
SUBJECTS: Final[Mapping[str, Subject]] = {subject_type_of(one.model()): one for one in _SUBJECTS}
"""The kinds of objects by their type in the audit trail."""

_PEOPLE: Final = ("user", "person", "writer", "leaver", "receiver", "from", "to")
"""Keys of details with the id of a user; `from` and `to` are such for items alone."""
_OF_ITEMS: Final = ("take_over_item", "assign_item")


@dataclass(frozen=True, slots=True)
class Activity:
    """An event as pages and files show it; `url` is the page of its object, or ""."""

    pk: int
    at: datetime
    actor: str
    action: str
    detail: str
    subject: str
    url: str = ""


def events_of_site() -> QuerySet[AuditEvent]:
    """Return all audit events, newest first."""
    return AuditEvent.objects.select_related("actor").order_by("-pk")


def events_of(project: Project) -> QuerySet[AuditEvent]:
    """Return the audit events about the project and its objects, newest first."""
    of_project = Q(subject_type=subject_type_of(project.created_by), detail__project=project.slug)
    for kind, subject in SUBJECTS.items():
        if subject.project == "pk":
            of_project |= Q(subject_type=kind, subject_id=project.pk)
        elif subject.project:
            rows = subject.model._base_manager.filter(pk=OuterRef("subject_id"), **{subject.project: project})
            of_project |= Q(Exists(rows), subject_type=kind)
    return events_of_site().filter(of_project)


def filtered(
    events: QuerySet[AuditEvent],
    *,
    person: str = "",
    action: str = "",
    about: str = "",
    since: date | None = None,
    until: date | None = None,
) -> QuerySet[AuditEvent]:
    """Return the events of a person (part of name or user name), action, kind of object and period.

    Days are those of the reader's time zone; `until` is the last day.
    """
    if person:
        matching = User.objects.filter(Q(name__icontains=person) | Q(username__icontains=person))
        events = events.filter(actor__in=matching.values("pk"))
    if action:
        events = events.filter(verb=action)
    if about:
        events = events.filter(subject_type=about)
    if since:
        events = events.filter(at__gte=_midnight(since))
    if until:
        events = events.filter(at__lt=_midnight(until + timedelta(days=1)))
    return events


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))


def activities(events: Sequence[AuditEvent], project: Project | None = None) -> list[Activity]:
    """Return these events as pages show them; `project` is that of all of them, for links."""
    names = _names(events)
    return [
        Activity(
            pk=event.pk,
            at=event.at,
            actor=str(event.actor),
            action=action_name(event.verb),
            detail=", ".join(_details(event, names))[:LONGEST_DETAIL],
            subject=_subject(event, names),
            url=_url(event, project),
        )
        for event in events
    ]


def all_activities(events: QuerySet[AuditEvent]) -> Iterator[Activity]:
    """Yield the events of a file, newest first, read in parts."""
    rows: list[AuditEvent] = []
    for event in events[:MOST_EXPORTED].iterator(PAGE * 10):
        rows.append(event)
        if len(rows) == PAGE * 10:
            yield from activities(rows)
            rows = []
    yield from activities(rows)


def action_name(verb: str) -> str:
    """Return the name of an action; a verb without one is returned as it is."""
    return str(ACTIONS[verb].name) if verb in ACTIONS else verb


def _url(event: AuditEvent, project: Project | None) -> str:
    subject = SUBJECTS.get(event.subject_type)
    if project is None or subject is None or not subject.route:
        return ""
    return reverse(subject.route, args=[project.slug, event.subject_id])


def _subject(event: AuditEvent, names: Mapping[int, str]) -> str:
    if event.subject_type in SUBJECTS and SUBJECTS[event.subject_type].model is User:
        return names.get(event.subject_id, f"#{event.subject_id}")
    known = SUBJECTS.get(event.subject_type)
    return f"{known.name if known else event.subject_type} #{event.subject_id}"


def _names(events: Iterable[AuditEvent]) -> dict[int, str]:
    """Return the names of all people whom these events name, by id, with one query."""
    found: set[int] = set()
    for event in events:
        found.update(value for key, value in event.detail.items() if _is_person(event, key, value))
        found.update(one for one in _listed(event.detail.get("writers")) if isinstance(one, int))
        if event.subject_type in SUBJECTS and SUBJECTS[event.subject_type].model is User:
            found.add(event.subject_id)
    return {user.pk: str(user) for user in User.objects.filter(pk__in=found)} if found else {}


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _is_person(event: AuditEvent, key: str, value: Any) -> bool:
    is_of_item = event.verb in _OF_ITEMS or key not in ("from", "to")
    return key in _PEOPLE and is_of_item and isinstance(value, int) and not isinstance(value, bool)


def _details(event: AuditEvent, names: Mapping[int, str]) -> Iterator[str]:
    shows = ACTIONS[event.verb].shows if event.verb in ACTIONS else ()
    if shows == ("*",):  # the names of changed settings, without their values
        yield from map(_setting, event.detail)
        return
    for key in shows:
        value = event.detail.get(key)
        if _is_person(event, key, value):
            yield names.get(value, f"#{value}")
        elif key == "writers":
            yield from (names.get(one, f"#{one}") for one in _listed(value))
        elif isinstance(value, list):
            yield from (_label(key, one) for one in value)
        elif value not in (None, ""):
            yield _label(key, value)


def _setting(name: str) -> str:
    try:
        return str(Project._meta.get_field(name).verbose_name)  # type: ignore[union-attr]  # no reverse relation
    except FieldDoesNotExist:
        return name


_LABELS: Final[Mapping[str, Mapping[str, Any]]] = {
    "roles": dict(Role.choices),
    "scopes": dict(Scope.choices),
    "verb": dict(Verb.choices),
}


def _label(key: str, value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return str(_LABELS.get(key, {}).get(value, value))
