"""Queries of what the site holds of a person: as counts before an account is closed, and as all rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.db.models import F, Q, QuerySet

from accounts.models import AuditEvent, User
from accounts.queries import sessions_of, subject_type_of
from annotation.content import to_json
from annotation.models import (
    Cause,
    Comment,
    Item,
    ItemDraft,
    KeyExposure,
    Revision,
    Transition,
    WritingAssignment,
)
from annotation.queries.item import revision_content
from dashboard.models import SavedView
from parable.formats.options import letter
from projects.models import AccessToken, GuidelineAcknowledgement, Invitation, Project
from projects.queries import only_managed_by
from review.models import RequestState, Review, ReviewRequest

ROWS_AT_ONCE: Final = 500
OF_OWN_HAND: Final = (
    Cause.WRITTEN, Cause.REVISED, Cause.IMPORTED, Cause.REWORDED_BY_IMPORT, Cause.WITHDRAWN, Cause.RETIRED,
    Cause.ANOTHER_LOOK, Cause.SENT_BACK, Cause.TAKEN_BACK, Cause.CONTESTED, Cause.CONTESTED_EDIT,
)  # fmt: skip
"""The causes of moves that a person makes knowingly.

The other moves follow from the verdicts of all reviewers, which are hidden from those who may still solve the
item.
"""
Rows = Iterable[Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class Holdings:
    """What closing an account ends, and what it keeps; `alone` are projects without another manager."""

    projects: int
    tokens: int
    sessions: int
    requests: int
    items: int
    drafts: int
    reviews: int
    comments: int
    alone: list[Project]


def holdings_of(user: User) -> Holdings:
    """Return the numbers of a person's rows, for the page on which an account is closed."""
    return Holdings(
        projects=Project.objects.filter(memberships__user=user).distinct().count(),
        tokens=AccessToken.objects.filter(user=user, revoked_at=None).count(),
        sessions=sessions_of(user).count(),
        requests=ReviewRequest.everything.filter(claimed_by=user, state=RequestState.CLAIMED).count(),
        items=Item.objects.filter(writer=user).count(),
        drafts=ItemDraft.objects.filter(writer=user, deleted_at=None, submitted_as=None).count(),
        reviews=Review.everything.filter(reviewer=user, judged_at__isnull=False).count(),
        comments=Comment.objects.filter(author=user).count(),
        alone=only_managed_by(user),
    )


def data_of(user: User) -> Iterator[tuple[str, Rows]]:
    """Yield the name and the rows of each kind of data that the site holds of a person, to be read lazily.

    Others' items and stories are named by number alone, so that no key or moral is shown that the person has
    not written. Reviews name no item, since those of practice items would differ; whether an answer was right
    is in them only after the verdict, when the reviewer sees it as well.
    """
    yield "account", [_account(user)]
    yield "memberships", _named(user.memberships.order_by("pk"), "role", "created_at")
    yield "sessions", _plain(sessions_of(user), "address", "user_agent", "since", "seen_at", "expire_date")
    yield "access_tokens", _named(
        user.access_tokens.order_by("pk"), "name", "hint", "scopes", "created_at", "expires_at", "revoked_at",
        "used_at", "used_from",
    )  # fmt: skip
    yield (
        "second_factors",
        _plain(Authenticator.objects.filter(user=user), "type", "created_at", "last_used_at"),
    )
    accounts = SocialAccount.objects.filter(user=user)
    yield "provider_accounts", _plain(accounts, "uid", "extra_data", "date_joined", "last_login")
    yield "invitations", _named(Invitation.objects.filter(accepted_by=user), "name", "roles", "accepted_at")
    read = GuidelineAcknowledgement.objects.filter(user=user).order_by("pk")
    yield (
        "confirmed_guidelines",
        _plain(read, "at", number=F("guideline__number"), project_slug=F("guideline__project__slug")),
    )
    yield (
        "saved_views",
        _named(SavedView.objects.filter(owner=user), "listing", "name", "query", "shared", "created_at"),
    )
    yield from _written(user)
    yield "reviews", _reviews(user)
    yield "events", _events(user)


def _written(user: User) -> Iterator[tuple[str, Rows]]:
    yield "assignments", _plain(
        WritingAssignment.objects.filter(writer=user).order_by("pk"),
        "story_id", "source", "due_on", "created_at", "given_back_at",
        project_slug=F("story__project__slug"),
    )  # fmt: skip
    yield "items", _named(
        Item.objects.filter(writer=user).order_by("pk"), "id", "story_id", "task", "style", "state",
        "created_at", "changed_at",
    )  # fmt: skip
    yield "revisions", _revisions(user)
    yield "drafts", _named(
        ItemDraft.objects.filter(writer=user).order_by("pk"), "story_id", "item_id", "task", "style",
        "content", "created_at", "updated_at", "deleted_at", "active_seconds",
    )  # fmt: skip
    comments = Comment.objects.filter(author=user).order_by("pk")
    yield (
        "comments",
        _plain(comments, "item_id", "about", "text", "at", project_slug=F("item__project__slug")),
    )
    moves = Transition.objects.filter(actor=user, cause__in=OF_OWN_HAND).order_by("pk")
    yield "moves", _plain(moves, "item_id", "from_state", "to_state", "cause", "reason", "at")
    exposures = KeyExposure.objects.filter(user=user).order_by("pk")
    yield "exposures", _plain(exposures, "story_id", "item_id", "task", "at")


def _account(user: User) -> Mapping[str, object]:
    names = (
        "id", "username", "name", "email", "language", "time_zone", "wants_mail", "may_create_projects",
        "is_superuser", "date_joined", "last_login", "inbox_seen_at", "mailed_at",
    )  # fmt: skip
    return {name: getattr(user, name) for name in names}


def _plain(rows: QuerySet[Any], *names: str, **expressions: F) -> Rows:
    return rows.values(*names, **expressions).iterator(ROWS_AT_ONCE)


def _named(rows: QuerySet[Any], *names: str) -> Rows:
    """Return these columns of rows, with the short name of their project."""
    return rows.values(*names, project_slug=F("project__slug")).iterator(ROWS_AT_ONCE)


def _revisions(user: User) -> Iterator[Mapping[str, object]]:
    mine = Revision.objects.filter(author=user).select_related("item__project").order_by("pk")
    for revision in mine.prefetch_related("options", "types").iterator(ROWS_AT_ONCE):
        yield {
            "item_id": revision.item_id,
            "project_slug": revision.item.project.slug,
            "number": revision.number,
            "content": to_json(revision_content(revision, revision.item.task)),
            "created_at": revision.created_at,
        }


def _reviews(user: User) -> Iterator[Mapping[str, object]]:
    names = (
        "stage", "answer", "misclick", "solved_at", "rating", "flaws", "comment", "about", "disposition",
        "proposed_edit", "sent_at", "judged_at", "late_at", "seconds", "active_seconds", "created_at",
    )  # fmt: skip
    mine = Review.everything.filter(reviewer=user).select_related("project").order_by("pk")
    for review in mine.iterator(ROWS_AT_ONCE):
        chosen = [review.chosen_position] if review.chosen_position is not None else review.several_positions
        yield {
            "project_slug": review.project.slug,
            # in the order that the reviewer saw; the writer's order is not shown to reviewers
            "chosen": [letter(place) for place in chosen],
            "is_correct": review.is_correct if review.judged_at else None,
            **{name: getattr(review, name) for name in names},
        }


def _events(user: User) -> Rows:
    """Return the audit events by or about the person; who else acted is the business of others."""
    about = Q(subject_type=subject_type_of(user), subject_id=user.pk)
    found = AuditEvent.objects.filter(Q(actor=user) | about).order_by("pk")
    return _plain(found, "at", "verb", "subject_type", "subject_id", "detail")
