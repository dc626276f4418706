"""Queries of candidates: search by their words, and which of them a user may read."""

from collections.abc import Sequence
from typing import Final

from django.db.models import Exists, OuterRef, Q

from accounts.models import User
from annotation.queries.exposure import is_moral_seen, morals_seen
from generation.models import Adoption, Candidate, CandidateText, Purpose, StemQuestion
from projects.models import Project
from web import bigrams

_COLUMNS: Final = ("text",)


def holding(terms: Sequence[str]) -> Q:
    """Return a `Q` for candidates that contain all search terms. Not filtered by permission."""
    return bigrams.holding(CandidateText, terms, _COLUMNS)


def is_known(user: User) -> Q:
    """Return a `Q` for candidates that this user may read; their text hints at the key.

    Candidates for moral items may be read by users who have seen the story's moral, candidates for a stem by
    the user who requested them.
    """
    return (~_FOR_STEM & is_moral_seen(user)) | (_FOR_STEM & _asked_by(user))


def all_known(user: User, project: Project) -> Q:
    """Return a `Q` like that of `is_known`, for many candidates: it selects by what this user has seen."""
    listed = Candidate.objects.filter(project=project).order_by().values("pk")
    return Q(
        pk__in=listed.filter(~_FOR_STEM, story__in=morals_seen(user)).union(
            listed.filter(_FOR_STEM, call__in=StemQuestion.objects.filter(asked_by=user).values("call"))
        )
    )


def is_listed(user: User) -> Q:
    """Return a `Q` for candidates that a list may count for this user, even if their text is hidden."""
    return ~_FOR_STEM | _asked_by(user) | Q(Exists(Adoption.objects.filter(candidate=OuterRef("pk"))))


_FOR_STEM: Final = Q(template__purpose=Purpose.WRONG_OPTIONS)


def _asked_by(user: User) -> Q:
    return Q(Exists(StemQuestion.objects.filter(call=OuterRef("call"), asked_by=user)))
