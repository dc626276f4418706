"""Queries of trials, in which models solve items before their release."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from django.db import connection
from django.db.models import OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.models import Item, ItemDraft
from generation.models import Outcome, StemQuestion, Trial
from jobs.errors import sentence
from jobs.models import CallState, Endpoint
from projects.models import Project

TRY = "try"
"""The kind of the jobs that ask a model to solve an item."""

WAITING, FAILED = "waiting", "failed"
MOST_SHOWN = 50
SILENCE = timedelta(seconds=60)
_LOST = (CallState.FAILED, CallState.CANCELLED)


def same_trial(endpoint: Endpoint, words: str) -> Trial | None:
    """Return the newest trial of an equal item at this endpoint that did not fail, or None."""
    found = Trial.objects.filter(endpoint=endpoint, words=words).exclude(call__state__in=_LOST)
    return found.filter(call__model=endpoint.model, call__parameters=endpoint.parameters).first()


@dataclass(frozen=True, slots=True)
class TrialView:
    """A trial as its user sees it. `solved`: whether the model chose the key; None if unknown or hidden."""

    trial: Trial
    status: str
    picked: str
    solved: bool | None
    is_current: bool
    reason: str = ""


def trials_of(
    user: User, project: Project, draft: UUID, *, words: str = "", key: str = ""
) -> list[TrialView]:
    """Return the trials of the user's own draft, and trials of an equal item by anyone, newest first.

    `words` (a hash) and `key` describe the form's present content; a trial with another hash is of an earlier
    wording. At most `MOST_SHOWN` trials are returned.
    """
    mine = Q(asked_by=user, draft=draft)
    found = Trial.objects.filter(mine | Q(words=words) if words else mine, endpoint__project=project)
    newest = found.select_related("endpoint", "call").order_by("-pk")[:MOST_SHOWN]
    return [_shown(trial, user, words, key) for trial in newest]


def _shown(trial: Trial, user: User, words: str, key: str) -> TrialView:
    status, reason = trial.outcome, ""
    if not status:
        status, reason = _without_answer(trial)
    picked = trial.options[trial.choice] if trial.choice is not None else ""
    is_current = bool(words) and trial.words == words
    # The key that another user has marked in an equal item is not revealed.
    solved = trial.is_correct if trial.asked_by_id == user.pk else None
    if picked and is_current and key:
        solved = picked == key.strip()
    return TrialView(trial, status, picked, solved, is_current, reason)


def _without_answer(trial: Trial) -> tuple[str, str]:
    call = trial.call
    if call.state == CallState.REFUSED:
        return Outcome.REFUSED, sentence(call.reason_code)
    if call.state in (*_LOST, CallState.DONE):
        return FAILED, sentence(call.reason_code)
    is_forgotten = not call.attempts and trial.at < timezone.now() - SILENCE
    return WAITING, _("No worker has picked this up for a while.") if is_forgotten else ""


@dataclass(frozen=True, slots=True)
class Tally:
    """The number of endpoints that answered the present wording, and the number that chose the key."""

    asked: int
    solved: int


def tally(trials: Iterable[TrialView]) -> Tally:
    """Count each endpoint's newest answer to the present wording. Waiting and failed trials are ignored."""
    newest: dict[int, bool] = {}
    for one in trials:
        if one.is_current and one.status not in (WAITING, FAILED):
            newest.setdefault(one.trial.endpoint_id, one.solved is True)
    return Tally(len(newest), sum(newest.values()))


@dataclass(frozen=True, slots=True, order=True)
class Provider:
    """The provider of a language model: the model's name and its server's host."""

    model: str
    host: str


def providers_that_saw(items: Iterable[Item]) -> dict[int, tuple[Provider, ...]]:
    """Return the providers to which an item was sent while it was being written, by item id.

    Providers are sorted. A sent item counts even if no answer came, or if the wording changed afterwards.
    """
    wanted = [item.pk for item in items]
    drafts = ItemDraft.objects.filter(client_id=OuterRef("draft"), project=OuterRef("endpoint__project"))
    became = drafts.annotate(of=Coalesce("submitted_as__item", "item")).exclude(of=None).values("of")[:1]
    sent = Trial.objects.filter(call__attempts__gt=0).annotate(
        of=Coalesce("revision__item", Subquery(became))
    )
    asked = StemQuestion.objects.filter(call__attempts__gt=0).annotate(
        of=Coalesce("revision__item", Subquery(became))
    )
    found: dict[int, set[Provider]] = {pk: set() for pk in wanted}
    named = ("of", "call__model", "endpoint__base_url")
    rows = [set(seen.filter(of__in=wanted).values_list(*named)) for seen in (sent, asked)]
    for item, model, base_url in set().union(*rows):
        found[item].add(provider_of(model, base_url))
    return {item: tuple(sorted(names)) for item, names in found.items()}


def provider_of(model: str, base_url: str) -> Provider:
    """Return the provider of a model. Its host is "" for an endpoint that is used by hand."""
    return Provider(model, urlsplit(base_url).hostname or "")


# The stored prompt itself is searched for the text and the moral, whatever variables its template has.
_STORIES_SENT: Final = """
SELECT coalesce(nullif(call.subject ->> 'answered_by', ''), call.model), endpoint.base_url, wording.story_id,
    bool_or(position(btrim(wording.text, E' \\n\\r\\t') IN call.prompt) > 0),
    bool_or(wording.moral <> '' AND position(btrim(wording.moral, E' \\n\\r\\t') IN call.prompt) > 0)
FROM jobs_call AS call JOIN jobs_endpoint AS endpoint ON endpoint.id = call.endpoint_id
JOIN corpus_storyrevision AS wording
    ON wording.id = coalesce(call.subject ->> 'story_revision', call.subject ->> 'solves')::bigint
WHERE endpoint.project_id = %s AND call.attempts > 0
GROUP BY 1, 2, 3
"""


@dataclass(frozen=True, slots=True)
class StoryExposure:
    """A provider that was sent a prompt about a story, and whether the prompt had its text or its moral."""

    provider: Provider
    story: int
    text: bool
    moral: bool


def stories_sent(project: Project) -> list[StoryExposure]:
    """Return the providers that were sent a prompt about a story, one row for each provider and story.

    A sent prompt counts even if no answer came.
    """
    with connection.cursor() as cursor:
        cursor.execute(_STORIES_SENT, [project.pk])
        rows = cursor.fetchall()
    return [StoryExposure(provider_of(model, url), *sent) for model, url, *sent in rows]
