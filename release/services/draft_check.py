"""The job that runs the gates on a draft. Each result is saved as soon as it is computed."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from corpus.models import Story
from corpus.queries import group_names, rights_of, suspected_names
from jobs.job_types import Report, quiet
from parable.quality.gates import GATES, Answered, GateResult, ItemSet, judge_one_by_one
from release.assembly import counts
from release.assembly.records import FrozenItem
from release.models import DraftFinding, Release, ReleaseDraft
from release.queries.choice import chosen_items
from release.queries.draft import recipe_of, what_stands_for
from release.queries.lineage import inherited
from release.queries.release import live_release
from release.queries.source import sources
from release.services.build import candidates, item_set, place_items

SHOWN_OFFENDERS: Final = 3
KEPT_APART: Final = frozenset({"stands_out", "tried", "contradicting"})
"""Details of a gate's result that are not stored, because pages display them elsewhere or not at all."""


def check_draft(*, draft_id: int, report: Report = quiet) -> None:
    """Run every gate on the items of a draft, in the splits of a build. Safe to call twice."""
    began = timezone.now()
    report(0, 0, len(GATES))
    ReleaseDraft.objects.filter(pk=draft_id).update(checks=F("checks") + 1, seen=[])
    draft = ReleaseDraft.objects.select_related("project", "created_by").get(pk=draft_id)
    seen = what_stands_for(draft)  # before anything is read, so that concurrent changes are noticed
    items, whole = _place(draft)
    genres = {line.name[0]: dict(line.of_split) for line in counts.by_genre(items)}
    ReleaseDraft.objects.filter(pk=draft.pk).update(counts=counts.by_task(items), genres=genres)
    by_id = {one.public_id: one for one in items}
    asked: set[str] = set()

    def keep(answers: Iterable[Answered]) -> None:
        for one in answers:
            asked.add(one.result.id)
            _keep(draft, one, by_id)
        report(0, len(asked), len(GATES))

    checked = judge_one_by_one(whole, keep) if items else []
    _finish(draft, began, seen, checked, by_id)


def _place(draft: ReleaseDraft) -> tuple[tuple[FrozenItem, ...], ItemSet]:
    """Return the items as a build of this draft would freeze them, and the item set for the gates."""
    recipe, project = recipe_of(draft), draft.project
    release = Release(
        project=project,
        version=draft.version,
        seed=draft.seed,
        recipe=recipe.as_json(),
        extends=live_release(project, recipe.extends) if recipe.extends else None,
        created_by=draft.created_by,
    )
    base = inherited(release)
    # no variable refers to the sources, so that their memory is free while the gates run
    items = place_items(release, sources(project, recipe, only=candidates(base)), base, slug=project.slug)
    names = group_names(project)
    rights = rights_of(Story.objects.filter(pk__in=chosen_items(project, recipe).values("story")), names)
    whole = item_set(
        items,
        recipe,
        rights=rights,
        standard_stem=project.moral_stem,
        keeps_places=base is not None,
        suspected=suspected_names(project, names),
    )
    return items, whole


def _keep(draft: ReleaseDraft, one: Answered, by_id: Mapping[str, FrozenItem]) -> None:
    """Save a gate's result, replacing the result of the previous check.

    A preliminary result does not replace the item lists, because a user may be selecting from them.
    """
    result, remedy = one.result, one.remedy
    answer: dict[str, object] = {
        "check_number": draft.checks,
        "is_settled": one.is_settled,
        "answer": {**result.as_json(), "items": []},
        "detail": _detail(result, [by_id[name] for name in remedy.items]),
    }
    behind: dict[str, object] = {
        "items": [by_id[name].handle for name in remedy.items],
        "leave_out": [by_id[name].handle for name in remedy.leave_out],
        "without": _short(remedy.without),
    }
    DraftFinding.objects.update_or_create(
        draft=draft,
        gate=result.id,
        task=result.task or "",
        defaults={**answer, **behind} if one.is_settled else answer,
        create_defaults={**answer, **behind},
    )


def _detail(result: GateResult, behind: Sequence[FrozenItem]) -> dict[str, object]:
    """Return the details of a result for the page, with the first of the items behind it."""
    detail = {name: value for name, value in result.detail.items() if name not in KEPT_APART}
    offenders = [
        {
            "item": one.handle,
            "id": one.source_id,
            "title": one.record["title"],
            "stem": one.record["question"],
        }
        for one in behind[:SHOWN_OFFENDERS]
    ]
    stands_out = "stands_out" in result.detail
    return {
        **detail,
        "looked_at": result.looked_at,
        "stands_out": stands_out,
        "offenders": offenders,
        "named": len(behind),
    }


def _short(result: GateResult | None) -> dict[str, object] | None:
    if result is None:
        return None
    chance = result.detail.get("chance")
    return {**result.as_json(), "items": [], "chance": chance, "looked_at": result.looked_at}


@transaction.atomic
def _finish(
    draft: ReleaseDraft,
    began: datetime,
    seen: list[Any],
    answers: Iterable[Answered],
    by_id: Mapping[str, FrozenItem],
) -> None:
    """Save the final results, delete the findings of earlier checks, and set the draft as checked."""
    for one in answers:
        _keep(draft, one, by_id)
    # findings on an earlier state of the draft
    DraftFinding.objects.filter(draft=draft, check_number__lt=draft.checks).delete()
    now = timezone.now()
    ReleaseDraft.objects.filter(pk=draft.pk).update(
        checked_at=now, check_seconds=(now - began).total_seconds(), seen=seen
    )
