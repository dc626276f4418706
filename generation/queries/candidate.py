"""Queries of candidates: search in their texts, and conditions for the users who may read them."""

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
    """Return a `Q` on candidates that contain all search terms. Not filtered by permission."""
    return bigrams.holding(CandidateText, terms, _COLUMNS)


def is_known(user: User) -> Q:
    """Return a `Q` on candidates whose text this user may read. The text hints at the key.

    Users who have seen the story's moral may read candidates for moral items; the user who requested
    candidates for a stem may read these.
    """
    return (~_FOR_STEM & is_moral_seen(user)) | (_FOR_STEM & _asked_by(user))


def all_known(user: User, project: Project) -> Q:
    """Return a `Q` equal to `is_known` but faster for many candidates: it begins with the user's rows."""
    listed = Candidate.objects.filter(project=project).order_by().values("pk")
    return Q(
        pk__in=listed.filter(~_FOR_STEM, story__in=morals_seen(user)).union(
            listed.filter(_FOR_STEM, call__in=StemQuestion.objects.filter(asked_by=user).values("call"))
        )
    )


def is_listed(user: User) -> Q:
    """Return a `Q` on candidates that a list may include for this user, even if their text is hidden."""
    return ~_FOR_STEM | _asked_by(user) | Q(Exists(Adoption.objects.filter(candidate=OuterRef("pk"))))


def known_among(user: User, pks: Sequence[int]) -> set[int]:
    """Return the ids of the candidates in `pks` whose text this user may read."""
    found = Candidate.objects.filter(is_known(user), pk__in=pks).order_by()
    return set(found.values_list("pk", flat=True))


def adopted_among(pks: Sequence[int]) -> set[int]:
    """Return the ids of the candidates in `pks` that became an option of an item."""
    return set(Adoption.objects.filter(candidate__in=pks).values_list("candidate_id", flat=True))


_FOR_STEM: Final = Q(template__purpose=Purpose.WRONG_OPTIONS)


def _asked_by(user: User) -> Q:
    return Q(Exists(StemQuestion.objects.filter(call=OuterRef("call"), asked_by=user)))
