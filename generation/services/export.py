"""Service that records the keys that an export of candidates reveals."""

from django.db import transaction
from django.db.models import Q, QuerySet

from accounts.models import User
from annotation.models import Item
from annotation.services import record_exposure, record_table_taken_out
from corpus.models import Story
from generation.models import Adoption, Candidate, Purpose
from parable.kinds import codes
from projects.models import Project


@transaction.atomic
def record_candidates_exported(
    *, actor: User, project: Project, kind: str, candidates: QuerySet[Candidate]
) -> None:
    """Record the actor's export of these candidates, and the exposure to the keys that they reveal."""
    for_stem = candidates.filter(template__purpose=Purpose.WRONG_OPTIONS)
    for_moral = candidates.exclude(template__purpose=Purpose.WRONG_OPTIONS)
    stories = Story.objects.filter(pk__in=for_moral.order_by().values("story"))
    used = Adoption.objects.filter(candidate__in=for_stem.order_by().values("pk"))
    of_moral = Q(story__in=stories, task__in=codes("key_from_moral"))
    keys = Item.objects.filter(of_moral | Q(pk__in=used.values("option__revision__item")))
    record_table_taken_out(
        actor=actor, project=project, table="candidates", kind=kind, keys=keys, morals=stories
    )
    for story in stories.filter(current__moral="").order_by("pk"):  # these stories have no moral yet
        record_exposure(actor=actor, story=story)
