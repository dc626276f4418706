"""Queries of the models used for an item before its release: adopted candidates, and trials."""

from django.db.models import Q

from annotation.models import Item, ItemDraft
from generation.models import Adoption, Trial

MOST_TRIALS = 200


def adoptions_of(item: Item) -> list[Adoption]:
    """Return the adoptions of all options of the item, oldest revision first."""
    found = Adoption.objects.filter(option__revision__item=item)
    found = found.select_related("option__revision", "candidate__template", "adopted_by")
    return list(found.order_by("option__revision__number", "option__position"))


def trials_on(item: Item) -> list[Trial]:
    """Return at most `MOST_TRIALS` answered trials of the item's drafts and revisions, newest first."""
    drafts = ItemDraft.objects.filter(Q(item=item) | Q(submitted_as__item=item), project=item.project_id)
    of_item = Q(revision__item=item) | Q(draft__in=drafts.values("client_id"))
    found = Trial.objects.filter(of_item, endpoint__project=item.project_id).exclude(outcome="")
    return list(found.select_related("call", "asked_by").order_by("-pk")[:MOST_TRIALS])
