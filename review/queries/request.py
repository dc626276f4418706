"""Queries of review requests: claims, and the parts of an item that a reviewer may see."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Case, Exists, OuterRef, Q, QuerySet, When
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.content import ItemContent, from_json
from annotation.kinds import item_kind, item_name
from annotation.kinds.base import AnswerRows
from annotation.models import Item, State
from core.errors import Hidden
from corpus.models import Story
from parable.kinds import kind_of
from projects.models import CommonsenseType, Project
from review.models import (
    AnswerDraft,
    AnswerJudgement,
    RequestState,
    Review,
    ReviewRequest,
    Stage,
    verdict_words,
)
from review.sql import HELD_REQUEST, REQUEST_WITH_WORDS, REQUESTS, REQUESTS_WITH_WORDS, REVIEWS, WORDS

STATE_OF = {
    Stage.CROSS_CHECK: State.IN_REVIEW,
    Stage.VERIFICATION: State.IN_VERIFICATION,
    Stage.ADJUDICATION: State.IN_ADJUDICATION,
}


def my_claim(user: User, project: Project, stage: str) -> ReviewRequest | None:
    """Return the request that this user has claimed and not judged at this stage, practice included.

    Return None if there is none.
    """
    sent = Review.everything.filter(request=OuterRef("pk"), reviewer=user, sent_at__isnull=False)
    held = ReviewRequest.everything.filter(claimed_by=user, state=RequestState.CLAIMED)
    return held.filter(project=project, stage=stage).exclude(Exists(sent)).first()


def request_for(user: User, item: Item) -> ReviewRequest | None:
    """Return the item's request that this user has claimed or may claim, or None.

    A claimed request comes first.
    """
    mine = Q(claimed_by=user, state=RequestState.CLAIMED)
    open_to_them = Q(state=RequestState.OPEN) & ~Q(excluded__contains=[user.pk])
    found = ReviewRequest.objects.filter(mine | open_to_them, item=item)
    return found.order_by(Case(When(mine, then=0), default=1), "pk").first()


class HeldRequest(NamedTuple):
    """A request, and the user's review of its revision at its stage.

    `review` is None if there is none.
    """

    request: ReviewRequest
    review: Review | None


def get_held_request(*, user: User, project: Project, pk: UUID, with_words: bool = False) -> HeldRequest:
    """Return a request that the user has claimed, lost with its lease, or judged.

    Also return the user's review. Raise `Hidden` for any other request. `with_words`: load the content that
    the request's page displays; otherwise it is loaded on access.
    """
    values = {"user": user.pk, "project": project.pk, "request": pk}
    rows, sql = (REQUESTS_WITH_WORDS, REQUEST_WITH_WORDS) if with_words else (REQUESTS, HELD_REQUEST)
    request, review = next(iter(rows.read_joined(REVIEWS, sql, values)), (None, None))
    if request is None or not _is_theirs(user, request, review):
        raise Hidden(_("You have not claimed this item."))
    request.project = project
    if review and review.request_id == request.pk:
        review.request = request
    return HeldRequest(request, review)


def _is_theirs(user: User, request: ReviewRequest, review: Review | None) -> bool:
    if user.pk in {request.claimed_by_id, request.freed_from_id}:
        return True
    return review is not None and review.request_id == request.pk


def _words(request: ReviewRequest) -> dict[str, Any]:
    """Return the attributes of a request, including its item's content, which is loaded once per object."""
    if "words" not in vars(request):
        values = {
            "user": request.claimed_by_id, "project": request.project_id, "request": request.public_id,
        }  # fmt: skip
        (worded, _mine), *_others = REQUESTS_WITH_WORDS.read_joined(REVIEWS, REQUEST_WITH_WORDS, values)
        vars(request).update({name: vars(worded)[name] for name in WORDS})
    return vars(request)


def wording_of(request: ReviewRequest) -> ItemContent:
    """Return the content of the request's item, with options in the writer's order."""
    found = _words(request)
    if "wording" not in found:
        types = [kind["code"] for kind in json.loads(found["types"])]
        words = from_json({"types": types} | json.loads(found["words"]))
        # practice items already include the fields of their kind
        if not kind_of(request.task).has_options and request.revision is not None:
            words = replace(words, own=item_kind(request.task).own_of(request.revision))
        found["wording"] = words
    wording: ItemContent = found["wording"]
    return wording


def story_of(request: ReviewRequest) -> str:
    """Return the text of the story revision that the request's item was written on."""
    return str(_words(request)["text"])


def begun_answer(user: User, request: ReviewRequest) -> AnswerDraft | None:
    """Return this user's draft of a blind answer to the request, or None."""
    if kind_of(request.task).answer != "own":
        return None
    return AnswerDraft.objects.filter(request=request, reviewer=user).first()


def own_answer(review: Review, task: str) -> dict[str, Any] | None:
    """Return a blind answer in the form in which it was sent, or None if the kind's answers are positions."""
    if kind_of(task).answer != "own":
        return None
    spans = [vars(row) for row in review.answer_spans.all()]
    judgement = AnswerJudgement.objects.filter(review=review).values().first()
    return item_kind(task).read_rows(AnswerRows(spans, judgement))


def answers_to(request: ReviewRequest) -> list[tuple[Review, dict[str, Any]]]:
    """Return the blind answers to the request's revision, oldest first.

    Return [] for kinds whose answers an adjudicator cannot merge.
    """
    if not item_kind(request.task).merges:
        return []
    reviews = (
        Review.objects.filter(revision=request.revision_id, solved_at__isnull=False, misclick=False)
        .select_related("reviewer")
        .prefetch_related("answer_spans")
        .order_by("solved_at", "pk")
    )
    return [(review, own) for review in reviews if (own := own_answer(review, request.task))]


def is_reworded(request: ReviewRequest) -> bool:
    """Return whether the story has a newer revision than the one that the item was written for."""
    return not _words(request)["is_current"]


def is_new(request: ReviewRequest) -> bool:
    """Return whether the claimant has neither reviewed nor written another item about this story."""
    return bool(_words(request)["is_new"])


@dataclass(frozen=True, slots=True)
class Undoable:
    """A verdict that can still be undone: the public id of its request, and the verdict's label."""

    request: str
    verdict: str


def undoable_verdict(request: ReviewRequest) -> Undoable | None:
    """Return the last verdict that the claimant sent in this project, if it can still be undone, or None."""
    sent = json.loads(_words(request)["undoable"] or "null")
    return sent and Undoable(sent["request"], verdict_words(sent["stage"])[sent["disposition"]])


def types_of(request: ReviewRequest) -> list[CommonsenseType]:
    """Return the commonsense types of the request's item, with only their names loaded."""
    return [CommonsenseType(**names) for names in json.loads(_words(request)["types"])]


@dataclass(frozen=True, slots=True)
class BlindItem:
    """The content of an item that a reviewer may see before answering it.

    It has no key, author, style, moral or option id; its options are in the order drawn for this user.
    `shown` has what the item's kind displays, including options.
    """

    task: str
    title: str
    language: str
    text: str
    stem: str
    shown: Mapping[str, Any]

    @property
    def options(self) -> tuple[str, ...]:
        """The texts of the options; empty for kinds without options."""
        options: tuple[str, ...] = self.shown.get("options", ())
        return options

    @property
    def byline(self) -> str:
        """Return the name of this kind of item, displayed instead of an author's name."""
        return item_name(self.task)


def blind_item(request: ReviewRequest, drawn: Sequence[int] | None = None) -> BlindItem:
    """Return the item of a request as its claimant may see it before answering.

    `drawn`: the order of its options, if it is not the order drawn for the present claimant.
    """
    story, item = _words(request), wording_of(request)
    return BlindItem(
        task=request.task,
        title=story["title"],
        language=Story(language=story["language"]).lang,
        text=story["text"],
        stem=item.stem,
        shown=item_kind(request.task).blind(item, request.drawn_order if drawn is None else drawn),
    )


def requests_as_substitute(user: User, project: Project) -> QuerySet[ReviewRequest]:
    """Return the unjudged requests for which this user is a substitute, oldest first."""
    mine = ReviewRequest.objects.filter(project=project, substitutes__person=user)
    return (
        mine.filter(Q(state=RequestState.OPEN) | Q(state=RequestState.CLAIMED, claimed_by=user))
        .exclude(excluded__contains=[user.pk], state=RequestState.OPEN)
        .select_related("revision__story_revision", "story")
        .order_by("pk")
    )


def get_request(*, project: Project, pk: UUID) -> ReviewRequest:
    """Return the review request of this project with this public id. Raise `Hidden` if there is none.

    The caller must check that the user may name, or is, a substitute.
    """
    request = ReviewRequest.objects.filter(project=project, public_id=pk).select_related("project").first()
    if request is None:
        raise Hidden(_("You have not claimed this item."))
    return request


def items_at(project: Project, stage: str) -> int:
    """Return how many of the project's items are at this stage."""
    return Item.objects.filter(project=project, state=STATE_OF[Stage(stage)]).count()


def requests_held(project: Project, person: User) -> QuerySet[ReviewRequest]:
    """Return the requests that this user has claimed."""
    return ReviewRequest.objects.filter(
        project=project, claimed_by=person, state=RequestState.CLAIMED
    ).order_by("pk")
