"""Queries of the list of candidates, with its columns and filters."""

from functools import partial
from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.queries.item import items_seen_by
from core.numbers import whole_number
from generation.models import Adoption, Candidate, PromptTemplate, Purpose
from generation.queries.batch import templates
from generation.queries.candidate import all_known, holding, is_listed
from generation.queries.yields import Filter as YieldFilter
from generation.queries.yields import yielded
from jobs.models import Endpoint
from projects.models import Project
from web.long_list import Asked, Column, Filter, Listing, day

CANDIDATES: Final = "candidates"
USED: Final = "used"
OUTCOMES: Final = (
    ("proposed", _("proposed")), ("kept", _("used")), ("unchanged", _("unchanged")),
    ("distractors", _("used as distractor")),
)  # fmt: skip


def candidates_listing(project: Project) -> Listing:
    """Return the columns and filters of the list of candidates.

    The list cannot be ordered by text, as the order would reveal texts that the user may not read.
    """
    prompts = templates(project).values_list("name", flat=True)
    models = Endpoint.objects.filter(project=project).order_by("name", "pk").values_list("pk", "name")
    return Listing(
        CANDIDATES,
        columns=(
            Column("candidate", _("Candidate"), always=True),
            Column("story", _("Story"), ("story__current__title", "-pk"), complete=True),
            Column("prompt", _("Prompt"), ("template__name", "template__version", "-pk")),
            Column("model", _("Model"), ("generator", "-pk")),
            Column("items", _("Used in")),
            Column("added", _("Added"), ("pk",), number=True),
            Column("purpose", _("Purpose"), ("template__purpose", "-pk"), shown=False),
            Column("number", _("ID"), ("pk",), shown=False, number=True),
        ),
        filters=(
            Filter("story", _("Story"), several=False),
            Filter("purpose", _("Purpose"), tuple(Purpose.choices)),
            Filter("prompt", _("Prompt"), tuple((name, name) for name in prompts)),
            Filter("model", _("Model"), tuple((str(pk), name) for pk, name in models)),
            Filter(USED, _("Used"), (("yes", _("used in an item")), ("no", _("not used"))), several=False),
            Filter("item", _("Item (ID)"), several=False),
            Filter("version", _("Prompt"), several=False, linked=True, named=partial(_version, project)),
            Filter("outcome", _("Yield"), OUTCOMES, several=False, linked=True),
            Filter("batch", _("Batch"), several=False, linked=True),
            Filter("since", _("Answered from"), several=False, linked=True),
            Filter("until", _("until"), several=False, linked=True),
        ),
        sort="-added",
    )


def _version(project: Project, pk: str) -> str:
    found = PromptTemplate.objects.filter(pk=whole_number(pk) or 0, project=project).first()
    return str(found) if found else pk


def candidates_asked(user: User, project: Project, asked: Asked) -> QuerySet[Candidate]:
    """Return the candidates that match the list's query string.

    A search covers only the texts that this user may read, so that its results reveal no other text.
    """
    # a candidate whose text the user may read is always listed
    open_to = all_known(user, project) & holding(asked.terms) if asked.q else is_listed(user)
    found = Candidate.objects.filter(open_to, project=project)
    paths = {"purpose": "template__purpose", "prompt": "template__name", "model": "endpoint"}
    for name, path in paths.items():
        if values := asked.values.get(name):
            found = found.filter(**{f"{path}__in": values})
    if any(asked.one(name) for name in ("version", "outcome", "batch", "since", "until")):
        wanted = YieldFilter(
            batch=whole_number(asked.one("batch")),
            since=day(asked.one("since")),
            until=day(asked.one("until")),
        )
        found = found.filter(
            yielded(wanted, version=whole_number(asked.one("version")), outcome=asked.one("outcome"))
        )
    if story := asked.one("story"):
        found = found.filter(Q(story__ref=story) | Q(story__current__title__icontains=story))
    if used := asked.one(USED):
        is_adopted = Exists(Adoption.objects.filter(candidate=OuterRef("pk")))
        found = found.filter(is_adopted if used == "yes" else ~is_adopted)
    if item := asked.one("item"):
        named = items_seen_by(user, project).filter(pk=whole_number(item.removeprefix("#")) or 0)
        adoptions = Adoption.objects.filter(candidate=OuterRef("pk"), option__revision__item__in=named)
        found = found.filter(Exists(adoptions))
    return found


def items_using(pks: list[int]) -> dict[int, list[int]]:
    """Return a dictionary from candidate id to the ids of the items that use it, oldest item first.

    All revisions of an item count.
    """
    rows = Adoption.objects.filter(candidate__in=pks).order_by("option__revision__item")
    found: dict[int, list[int]] = {}
    for candidate, item in rows.values_list("candidate", "option__revision__item").distinct():
        found.setdefault(candidate, []).append(item)
    return found
