"""Queries of narratives, of rankings of proverbs, and of pairs of near-synonyms."""

# Names tasks: narratives are what proverb items are made from.

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from annotation.models import Item, State
from core.errors import Hidden
from corpus.models import Story
from corpus.queries import exported_id
from generation.models import ProverbPair, ProverbProposal, ProverbRanking, RankedNarrative
from parable.formats.options import normalise_option
from parable.kinds.proverb import NARRATIVES
from parable.kinds.proverb_choice import Pair
from projects.models import Project

UNDECIDED: Final = "undecided"
SYNONYMS: Final = "synonyms"
DIFFERENT: Final = "different"
DECISIONS: Final[Mapping[str, bool | None]] = {UNDECIDED: None, SYNONYMS: True, DIFFERENT: False}
"""What a person has said of a pair, by the name in the address of its list."""


def narratives(project: Project) -> QuerySet[Item]:
    """Return the verified narratives of a project."""
    return Item.objects.filter(project=project, task=NARRATIVES.code, state=State.VERIFIED)


def proverbs(project: Project) -> QuerySet[Story]:
    """Return the stories of a project that are proverbs: those that have narratives."""
    of_story = Item.objects.filter(story=OuterRef("pk"), task=NARRATIVES.code)
    return Story.objects.filter(Exists(of_story), project=project).select_related("current")


def proverbs_by_name(project: Project) -> dict[str, int]:
    """Return the ids of the proverbs by their ids in exports and by their texts, both normalised."""
    found: dict[str, int] = {}
    for story in proverbs(project):
        found[normalise_option(exported_id(story))] = story.pk
        if story.current is not None:
            found[normalise_option(story.current.text)] = story.pk
    return found


def rankings(project: Project) -> QuerySet[ProverbRanking]:
    """Return the rankings of a project, the best examinee first."""
    return ProverbRanking.objects.filter(project=project).order_by("-reciprocal_rank__0", "examinee")


def pairs(project: Project, decision: str) -> QuerySet[ProverbPair]:
    """Return the pairs about which a person has said this, or nothing yet; the earliest first."""
    found = ProverbPair.objects.filter(project=project, is_synonym=DECISIONS[decision])
    return found.select_related("first__current", "second__current", "decided_by")


def pair_counts(project: Project) -> dict[str, int]:
    """Return the number of pairs by decision."""
    counted = ProverbPair.objects.filter(project=project).order_by().values_list("is_synonym")
    found = dict(counted.annotate(n=Count("pk")))
    return {name: found.get(said, 0) for name, said in DECISIONS.items()}


def get_pair(project: Project, pk: int) -> ProverbPair:
    """Return a pair of the project. Raise `Hidden` if there is none."""
    found = ProverbPair.objects.filter(project=project, pk=pk).first()
    if found is None:
        raise Hidden(_("Pair not found."))
    return found


def left_out(project: Project) -> set[Pair]:
    """Return the pairs of which one proverb is no option where the other is the key, by ids as texts.

    These are the near-synonyms, and the pairs that nobody has decided yet.
    """
    found = ProverbPair.objects.filter(project=project).exclude(is_synonym=False)
    return {frozenset((str(one), str(other))) for one, other in found.values_list("first", "second")}


def unproposed(ranking: ProverbRanking) -> QuerySet[RankedNarrative]:
    """Return the ranked narratives that are verified and for which no item was proposed yet, oldest first."""
    proposed = ProverbProposal.objects.filter(source=OuterRef("item"))
    found = RankedNarrative.objects.filter(~Exists(proposed), ranking=ranking, item__state=State.VERIFIED)
    return found.select_related("item__story__current", "item__current__narrative").order_by("item")


@dataclass(frozen=True, slots=True)
class Proposed:
    """The numbers of verified narratives, of proposed items, and of those that are submitted."""

    narratives: int
    proposed: int
    submitted: int


def proposed(project: Project) -> Proposed:
    """Return how far the proverb items of a project are."""
    counted = ProverbProposal.objects.filter(source__project=project).aggregate(
        n=Count("pk"), submitted=Count("pk", filter=Q(draft__submitted_as__isnull=False))
    )
    return Proposed(narratives(project).count(), counted["n"], counted["submitted"])
