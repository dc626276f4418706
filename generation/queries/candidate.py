"""Candidates by their words, and who knows them already. Reads only."""

from collections.abc import Sequence
from typing import Final

from django.db.models import Exists, OuterRef, Q

from accounts.models import User
from annotation.queries.exposure import is_moral_seen
from generation.models import Adoption, CandidateText, Purpose, StemQuestion
from web import bigrams

_COLUMNS: Final = ("text",)


def holding(terms: Sequence[str]) -> Q:
    """Candidates whose text holds every one of these terms; of those that somebody may not read, too."""
    return bigrams.holding(CandidateText, terms, _COLUMNS)


def is_known(user: User) -> Q:
    """Candidates that this person may read: what they are like tells the key of the item they are for.

    Those for moral items are for who has seen the story's moral, those for a stem for who asked for them.
    """
    return (~_FOR_STEM & is_moral_seen(user)) | (_FOR_STEM & _asked_by(user))


def is_listed(user: User) -> Q:
    """Candidates that a list may count, also where their text is hidden: a stem's once an item uses them."""
    return ~_FOR_STEM | _asked_by(user) | Q(Exists(Adoption.objects.filter(candidate=OuterRef("pk"))))


_FOR_STEM: Final = Q(template__purpose=Purpose.WRONG_OPTIONS)


def _asked_by(user: User) -> Q:
    return Q(Exists(StemQuestion.objects.filter(call=OuterRef("call"), asked_by=user)))
