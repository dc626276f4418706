"""Queries of the candidates for a stem that is being written, compared with the present content."""

import hashlib
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.content import ItemContent, tidy
from core.errors import Unusable
from core.invariants import present
from corpus.models import Story
from generation.models import Candidate, PromptTemplate, Purpose, StemQuestion
from generation.prompt import fill_stem_prompt, needs_key
from generation.queries.batch import STORED_FLAGS, templates
from generation.similarity import CLOSE_TO_MORAL, Finding, Fold, folds, length_flag, overlap
from jobs.errors import sentence
from jobs.models import CallState, Endpoint
from projects.models import Project

MOST_SHOWN = 50
_LOST = (CallState.FAILED, CallState.CANCELLED)
_WAITING = (CallState.PENDING, CallState.RUNNING)


def stem_templates(project: Project) -> QuerySet[PromptTemplate]:
    """Return the newest version of each template that asks for distractors for a stem."""
    return templates(project).filter(purpose=Purpose.WRONG_OPTIONS, text__contains="{stem}")


def stem_prompt(template: PromptTemplate, story: Story, content: ItemContent) -> str:
    """Return the prompt for the present stem, exactly as it is sent.

    Raise `Unusable` if the stem, or a key that the prompt needs, is missing.
    """
    current, words = present(story.current, "every story has a first revision"), tidy(content)
    key = words.key.text if words.key else ""
    if not words.stem:
        raise Unusable(_("Write the stem first."))
    if needs_key(template.text) and not key:
        raise Unusable(_("Mark the key first: this prompt uses it."))
    return fill_stem_prompt(
        template.text,
        title=current.title,
        story=current.text,
        stem=words.stem,
        key=key,
        wanted=template.wanted,
    )


def words_of(prompt: str) -> str:
    """Return the SHA-256 of a prompt.

    It finds requests with the same prompt.
    """
    return hashlib.sha256(prompt.encode()).hexdigest()


def same_question(
    endpoint: Endpoint, template: PromptTemplate, prompt: str, asked_by: User | None = None
) -> StemQuestion | None:
    """Return the newest request with this prompt that did not fail, or None.

    With `asked_by`, only this user's requests count.
    """
    found = StemQuestion.objects.filter(endpoint=endpoint, template=template, words=words_of(prompt))
    if asked_by is not None:
        found = found.filter(asked_by=asked_by)
    as_now = found.filter(call__model=endpoint.model, call__parameters=endpoint.parameters)
    return as_now.exclude(call__state__in=_LOST).select_related("call").first()


@dataclass(frozen=True, slots=True)
class Offer:
    """A candidate compared with the present key; `fold` is set if it resembles an earlier candidate."""

    candidate: Candidate
    flags: tuple[Finding, ...]
    likeness: float
    fold: Fold | None


@dataclass(frozen=True, slots=True)
class Offered:
    """The candidates of one request.

    Without candidates, `reason` states why, unless the request still `waits`.
    """

    question: StemQuestion
    offers: tuple[Offer, ...]
    is_current: bool
    waits: bool
    reason: str


def offers_of(user: User, story: Story, draft: UUID, content: ItemContent) -> list[Offered]:
    """Return the requests of the user's own draft with their candidates, newest request first.

    Candidates are compared with the present stem and key.
    """
    candidates = Candidate.objects.select_related("template").order_by("position")
    asked = StemQuestion.objects.filter(asked_by=user, draft=draft, story_revision__story=story)
    questions = list(
        asked.select_related("endpoint", "template", "call").prefetch_related(
            Prefetch("call__candidates", candidates)
        )[:MOST_SHOWN]
    )
    words = tidy(content)
    key = words.key.text if words.key else ""
    texts = {one.pk: one.text for question in questions for one in question.call.candidates.all()}
    folded = folds(list(texts.items()))  # each candidate once, in the order of the page
    return [_offered(question, words.stem, key, folded) for question in questions]


def _offered(question: StemQuestion, stem: str, key: str, folded: dict[int, Fold]) -> Offered:
    call = question.call
    shows_key = needs_key(question.template.text)
    is_current = question.stem == stem and (not shows_key or question.key == key)
    waits = call.state in _WAITING
    offers = tuple(_offer(one, key, folded.get(one.pk)) for one in call.candidates.all())
    reason = "" if waits or offers else sentence(call.reason_code)
    return Offered(question, offers, is_current, waits, reason)


def _offer(candidate: Candidate, key: str, fold: Fold | None) -> Offer:
    likeness = overlap(candidate.text, key) if key else 0.0
    found = [Finding("close_to_key")] if likeness >= CLOSE_TO_MORAL else []
    if length := length_flag(candidate.text, key):
        found.append(length)
    found += [Finding(flag["code"]) for flag in candidate.flags if flag["code"] in STORED_FLAGS]
    if fold is not None:
        found.append(Finding("like_another"))
    return Offer(candidate, tuple(found), likeness, fold)
