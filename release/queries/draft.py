"""Queries for drafts of releases: their items, and the findings of the gates."""

import hashlib
import json
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from django.db.models import Count, Exists, F, Func, IntegerField, Max, OuterRef, Q, QuerySet, Sum
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.models import Item, State
from core.errors import Hidden, require
from corpus.models import Story, StoryRevision
from corpus.queries import story_unit
from jobs.queries import unfinished_jobs
from parable.quality.gates import ERROR, GATES
from projects.models import Project
from projects.permissions import Permission, has_permission
from release.assembly.identity import published_reason
from release.assembly.recipe import Recipe
from release.assembly.versions import PATCH, step
from release.models import (
    DraftExclusion,
    DraftFinding,
    DraftOverride,
    Release,
    ReleaseDraft,
    ReleaseItem,
    ReleaseState,
)
from release.options import OPTIONS, FormData, Kind, blank, typed_of
from release.queries.choice import chosen_items
from release.queries.gate import what_stands
from release.queries.lineage import chain_numbers
from release.queries.release import LEFT_BEHIND, STANDING

DRAFT_CHECK: Final = "check_release_draft"
"""The kind of the jobs that run the gates on a draft."""
NEW, REWORDED, RETIRED, EXCLUDED, UNVERIFIED = "new", "reworded", "retired", "excluded", "unverified"
LISTS: Final = (NEW, REWORDED, RETIRED, EXCLUDED, UNVERIFIED)
HELD: Final = "held"
"""The name of the list of all items in a draft.

Items in this list, and in the lists of new and reworded items, can be excluded by hand.
"""
HOLDING: Final = (HELD, NEW, REWORDED)
LARGEST_SEED: Final = 1_000_000


def drafts(project: Project) -> QuerySet[ReleaseDraft]:
    """Return the project's drafts that can be changed, newest first."""
    is_open = Q(release=None) | Q(release__state=ReleaseState.FAILED)
    found = ReleaseDraft.objects.filter(is_open, project=project, discarded_at=None)
    return found.select_related("created_by").order_by("-pk")


def discarded_drafts(project: Project) -> QuerySet[ReleaseDraft]:
    """Return the project's discarded drafts, most recently discarded first. They can be restored."""
    found = ReleaseDraft.objects.filter(project=project, discarded_at__isnull=False)
    return found.select_related("created_by").order_by("-discarded_at")


def drafts_in(project: Project, state: str = "") -> QuerySet[ReleaseDraft]:
    """Return the project's drafts with their releases: all, or those that are open, built or discarded."""
    found = ReleaseDraft.objects.filter(project=project).select_related("release", "created_by")
    is_open = Q(release=None) | Q(release__state=ReleaseState.FAILED)
    wanted = {
        "open": Q(is_open, discarded_at=None),
        "built": Q(~is_open, discarded_at=None),
        "discarded": Q(discarded_at__isnull=False),
    }
    return found.filter(wanted[state]) if state else found


def get_draft(*, user: User, project: Project, pk: int) -> ReleaseDraft:
    """Return a draft. Raise `Hidden` if the project has no such draft, `Forbidden` without permission."""
    require(has_permission(user, project, Permission.SEE_RELEASES))
    found = ReleaseDraft.objects.select_related("project", "release", "created_by")
    draft = found.filter(project=project, pk=pk).first()
    if draft is None:
        raise Hidden(_("There is no such draft here."))
    return draft


def draft_of(release: Release) -> ReleaseDraft | None:
    """Return the newest draft from which this release was built, or None.

    Discarded drafts do not count.
    """
    return ReleaseDraft.objects.filter(release=release, discarded_at=None).first()


def recipe_of(draft: ReleaseDraft) -> Recipe:
    """Return the recipe for a build of the draft: its settings, exclusions and overridden gates."""
    overrides = list(overrides_of(draft))
    recipe = Recipe.from_json(draft.recipe)
    return replace(
        recipe,
        without=tuple(sorted(excluded_numbers(draft))),
        allow=tuple(sorted(one.gate for one in overrides)),
        reason=_reasons(overrides, is_anonymous=recipe.anonymous),
    )


def _reasons(overrides: Iterable[DraftOverride], *, is_anonymous: bool) -> str:
    """Return the reasons for the overridden gates as text for the card; with names unless it is anonymous."""
    overrides = list(overrides)
    reasons = [
        published_reason(one.reason, one.overridden_by, is_anonymous=is_anonymous) for one in overrides
    ]
    if len(reasons) < 2:
        return "".join(reasons)
    return " ".join(f"{one.gate}: {reason}" for one, reason in zip(overrides, reasons, strict=True))


def overrides_of(draft: ReleaseDraft) -> QuerySet[DraftOverride]:
    """Return the overridden gates of a draft, ordered by the name of the gate."""
    return DraftOverride.objects.filter(draft=draft).select_related("overridden_by").order_by("gate")


def excluded_numbers(draft: ReleaseDraft) -> list[int]:
    """Return the ids of the items that are excluded from a draft."""
    return list(DraftExclusion.objects.filter(draft=draft).values_list("item", flat=True))


def excluded_among(draft: ReleaseDraft, items: Iterable[int]) -> set[int]:
    """Return which of these item ids are excluded from a draft."""
    found = DraftExclusion.objects.filter(draft=draft, item__in=list(items))
    return set(found.values_list("item", flat=True))


@dataclass(frozen=True, slots=True)
class Excluded:
    """The number of items excluded because of a finding, with the user and time of the last exclusion."""

    items: int
    by: User
    at: datetime


def exclusions_by_finding(draft: ReleaseDraft) -> dict[tuple[str, str], Excluded]:
    """Return the exclusions of a draft by (gate, task)."""
    found = DraftExclusion.objects.filter(draft=draft)
    counted = found.values("gate", "task").annotate(n=Count("pk"))
    last = found.order_by("gate", "task", "-pk").distinct("gate", "task").select_related("excluded_by")
    by_finding = {(one.gate, one.task): one for one in last}
    return {
        key: Excluded(row["n"], by_finding[key].excluded_by, by_finding[key].excluded_at)
        for row in counted
        if (key := (row["gate"], row["task"])) in by_finding
    }


def findings(draft: ReleaseDraft) -> list[DraftFinding]:
    """Return the findings about a draft in the order of the gates, annotated with `behind` and `proposed`.

    `behind`: the number of items behind a finding. `proposed`: the number of items to exclude. The lists of
    items are deferred.
    """
    order = list(GATES)
    found = DraftFinding.objects.filter(draft=draft).order_by("task").defer("items", "leave_out")
    counted = found.annotate(behind=_length("items"), proposed=_length("leave_out"))
    return sorted(counted, key=lambda one: order.index(one.gate) if one.gate in order else len(order))


def _length(field: str) -> Func:
    return Func(F(field), function="jsonb_array_length", output_field=IntegerField())


def get_finding(draft: ReleaseDraft, gate: str, task: str) -> DraftFinding:
    """Return a gate's finding for a task. Raise `Hidden` if there is none."""
    found = DraftFinding.objects.filter(draft=draft, gate=gate, task=task).first()
    if found is None:
        raise Hidden(_("This gate has not been checked yet."))
    return found


def unresolved(draft: ReleaseDraft) -> list[DraftFinding]:
    """Return the findings that would stop the build: failed gates that are not overridden."""
    overridden = set(DraftOverride.objects.filter(draft=draft).values_list("gate", flat=True))
    return [one for one in findings(draft) if one.answer["verdict"] == ERROR and one.gate not in overridden]


def what_stands_for(draft: ReleaseDraft, excluded: Iterable[int] | None = None) -> list[Any]:
    """Return a fingerprint of the gates' input, which changes whenever the draft or its items change.

    `excluded`: the ids of the excluded items, to save a query.
    """
    numbers = sorted(excluded_numbers(draft) if excluded is None else excluded)
    of_draft = json.dumps([draft.version, draft.seed, draft.recipe, numbers], sort_keys=True)
    project = draft.project
    wording = StoryRevision.objects.filter(story__project=project).aggregate(last=Max("pk"))["last"]
    rights = Story.objects.filter(project=project, rights="").aggregate(n=Count("pk"), which=Sum("pk"))
    newest = Release.objects.filter(project=project, state=ReleaseState.READY).aggregate(last=Max("pk"))
    found = Story.objects.filter(project=project).exclude(genre="").order_by("pk")
    genres = json.dumps(list(found.values_list("pk", "genre"))) if found.exists() else ""
    of_draft += project.moral_stem + genres
    digest = hashlib.sha256(of_draft.encode()).hexdigest()
    of_stories = [wording or 0, rights["n"], int(rights["which"] or 0)]
    return [*what_stands(project), newest["last"] or 0, *of_stories, digest]


def is_checked(draft: ReleaseDraft) -> bool:
    """Return whether the gates have finished checking the current state of the draft."""
    if draft.checked_at is None or draft.seen != what_stands_for(draft):
        return False
    return not unfinished_jobs(DRAFT_CHECK, draft.pk).exists()


# --- contents of a draft --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents of a draft: items by task, stories, and the differences from the release `since`."""

    tasks: Mapping[str, int]
    stories: int
    since: str
    lists: Mapping[str, int]

    @property
    def items(self) -> int:
        """The number of items of all tasks."""
        return sum(self.tasks.values())


def usual_split(project: Project) -> dict[str, str]:
    """Return the default split settings of a release that extends no other."""
    shares = {"train_share": project.train_share, "dev_share": project.dev_share}
    typed = {name: f"{share.normalize():f}" if share else "" for name, share in shares.items()}
    return {"split": project.split_rule, **typed}


def usual_settings(project: Project, base: Release | None) -> FormData:
    """Return the settings of an earlier release as typed, or the project's defaults if `base` is None."""
    usual: FormData = {
        **usual_split(project),
        "seed": str(secrets.randbelow(LARGEST_SEED)),
        **{option.name: False for option in OPTIONS if option.kind is Kind.SWITCH},
    }
    if base is None:
        return usual
    seed = {} if base.recipe["withhold_test"] else {"seed": base.seed}
    return {**usual, **seed, **typed_of(base.recipe, blank().keys() - {"extends"})}


def base_of(draft: ReleaseDraft) -> Release | None:
    """Return the release to compare the draft with: the extended or else the newest one, or None."""
    standing = Release.objects.filter(project=draft.project, state__in=STANDING).defer("manifest")
    extended = draft.recipe.get("extends", "")
    return (standing.filter(version=extended) if extended else standing.order_by("-pk")).first()


def contents(draft: ReleaseDraft) -> Contents:
    """Return the current contents of a draft. The number of queries does not depend on its size."""
    recipe, base = recipe_of(draft), base_of(draft)
    taken = _taken(draft, recipe, base)
    rows = taken.order_by("task").values("task").annotate(n=Count("pk")).values_list("task", "n")
    names = LISTS if base else (EXCLUDED, UNVERIFIED)
    return Contents(
        tasks=dict(rows),
        stories=taken.aggregate(n=Count(story_unit("story"), distinct=True))["n"],
        since=base.version if base else "",
        lists={name: _listed(draft, recipe, base, name).count() for name in names},
    )


def listed_items(draft: ReleaseDraft, which: str) -> QuerySet[Item]:
    """Return the items of the list `which` of a draft, such as the excluded items."""
    return _listed(draft, recipe_of(draft), base_of(draft), which).order_by("pk")


def _listed(draft: ReleaseDraft, recipe: Recipe, base: Release | None, which: str) -> QuerySet[Item]:
    of_project = Item.objects.filter(project=draft.project)
    if which == EXCLUDED:
        return of_project.filter(Exists(DraftExclusion.objects.filter(draft=draft, item=OuterRef("pk"))))
    if which == UNVERIFIED:
        return of_project.exclude(state__in=[State.VERIFIED, State.DRAFT, *LEFT_BEHIND])
    if which == HELD:
        return _taken(draft, recipe, base)
    before = ReleaseItem.objects.filter(release=base, item=OuterRef("pk"))
    if base is None:
        return of_project.none()
    if which == RETIRED:
        return of_project.filter(Exists(before), state=State.RETIRED)
    taken = _taken(draft, recipe, base)
    if which == REWORDED:
        return taken.filter(Exists(before.exclude(revision=OuterRef("current"))))
    return taken.filter(~Exists(before))


def _taken(draft: ReleaseDraft, recipe: Recipe, base: Release | None) -> QuerySet[Item]:
    """Return the items that the release would include. A patch includes only previously released items."""
    found = chosen_items(draft.project, recipe)
    if base is None or not recipe.extends or step(base.version, draft.version) != PATCH:
        return found
    earlier = ReleaseItem.objects.filter(release__in=chain_numbers(base), item=OuterRef("pk"))
    return found.filter(Exists(earlier))


def with_wording(found: QuerySet[Item]) -> QuerySet[Item]:
    """Return the queryset with the current revisions of items and stories selected."""
    return found.select_related("story__current", "current")
