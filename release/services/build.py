"""The build of a release that has been ordered.

It can be interrupted and repeated at any point.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from accounts.services import record_event
from core.files import StoreUnavailable
from corpus.queries import group_names, suspected_names
from events.models import EventKind
from jobs.job_types import Report, quiet
from parable.quality.gates import ERROR, GateResult, ItemSet, judge
from release.assembly import SHARING, assemble, counts
from release.assembly.assembly_items import AssemblyItem
from release.assembly.identity import set_name
from release.assembly.recipe import Recipe
from release.assembly.records import FrozenItem, domains, freeze
from release.assembly.versions import PATCH
from release.card.card import Frozen
from release.card.changes import find_changes
from release.card.facts import Facts
from release.files.folder import Entry, each_file, manifest, manifest_file
from release.models import Artifact, Failure, Release, ReleaseItem, ReleaseState, Step
from release.queries.lineage import Inherited, inherited
from release.queries.release import facts
from release.queries.source import sources
from release.services.release import publish_release
from release.services.storage import keep
from web.rows import create_rows

SHOWN_OFFENDERS: Final = 6


@dataclass(frozen=True, slots=True)
class _Plan:
    """The data to freeze in a release, and the results of the gates."""

    frozen: Frozen
    results: tuple[GateResult, ...]

    @property
    def stopped(self) -> list[str]:
        """The ids of the gates that stop the build: failed and not overridden."""
        failed = {result.id for result in self.results if result.verdict == ERROR}
        return sorted(failed - set(self.frozen.recipe.allow))


def finish_release(*, release_id: int, report: Report = quiet) -> Release:
    """Build a release that has been ordered; return it as ready, or as failed with the reason.

    Safe to call twice, even from two workers at once: both produce the same bytes, and only one freezes the
    release.
    """
    release = Release.objects.select_related("project", "created_by", "extends").get(pk=release_id)
    if release.state != ReleaseState.BUILDING:
        return release
    report(Step.CHOOSING)
    base = inherited(release)
    recipe = Recipe.from_json(release.recipe)
    chosen = sources(release.project, recipe, only=candidates(base))
    release_facts = facts(release.project, recipe)
    if not chosen:
        return fail_release(release_id=release_id, failure=Failure.NOTHING_VERIFIED)
    report(Step.PLACING)
    items = place_items(release, chosen, base, slug=release_facts.slug)
    del chosen  # for a large release this frees half of the memory, which the gates will need
    plan = _plan(release, items, release_facts, base)
    report(Step.JUDGING)
    if plan.stopped:
        return _stop(release, plan)
    report(Step.WRITING)
    try:
        entries = []
        for file in each_file(plan.frozen):  # stored as it is rendered, to save memory
            keep(file.content)
            entries.append(file.entry)
    except StoreUnavailable:
        raise  # an outage: the job is done again
    except OSError as error:
        details = {"reason": error.strerror or str(error)}
        return fail_release(release_id=release_id, failure=Failure.NOT_WRITTEN, details=details)
    report(Step.FREEZING)
    return _freeze(release, plan, entries)


def candidates(base: Inherited | None) -> Collection[int] | None:
    """Return the ids of the items that a patch may include: those in the releases that it extends.

    Return None if the release is not a patch.
    """
    return base.unchanged if base is not None and base.before.kind == PATCH else None


def _plan(
    release: Release, items: tuple[FrozenItem, ...], release_facts: Facts, base: Inherited | None
) -> _Plan:
    recipe = Recipe.from_json(release.recipe)
    suspected = suspected_names(release.project, group_names(release.project))
    whole = item_set(
        items,
        recipe,
        rights=release_facts.rights,
        standard_stem=release_facts.standard_stem,
        keeps_places=base is not None,
        suspected=suspected,
    )
    stories = counts.stories_in(items)
    release_facts = replace(
        release_facts, suspected={story: suspected[story] for story in suspected if story in stories}
    )
    results = tuple(judge(whole))
    gates = tuple(result.as_json() for result in results)
    since = None
    if base is not None:
        since = find_changes(base.before, items, version=release.version, is_withheld=recipe.withhold_test)
    return _Plan(Frozen(release.version, release.seed, recipe, release_facts, gates, items, since), results)


def place_items(
    release: Release, chosen: Iterable[AssemblyItem], base: Inherited | None, *, slug: str
) -> tuple[FrozenItem, ...]:
    """Return the items with their split, order of options and public id.

    If the split rule divides stories between splits, a record states if its story is also in another split.
    """
    recipe = Recipe.from_json(release.recipe)
    placed = assemble(
        chosen,
        rule=recipe.split,
        share=recipe.share,
        seed=release.seed,
        unchanged=base.unchanged if base else {},
        last_number=base.last_number if base else 0,
        dev_items=recipe.dev_items,
        out_stories=recipe.out_stories,
        train=recipe.train,
    )
    name = set_name(slug, is_anonymous=recipe.anonymous)
    domain = domains(placed) if recipe.split in SHARING else {}
    return tuple(freeze(one, name, domain.get(one.item.story)) for one in placed)


def item_set(
    items: tuple[FrozenItem, ...],
    recipe: Recipe,
    *,
    rights: Mapping[str, str],
    standard_stem: str,
    keeps_places: bool,
    suspected: Mapping[str, str],
) -> ItemSet:
    """Return the frozen items of a release as an item set for the gates."""
    return ItemSet(
        items=tuple(item.item() for item in items),
        rights=rights,
        standard_stems=frozenset({standard_stem}),
        in_order=frozenset(one.public_id for one in counts.standing_in_order(items, recipe)),
        keeps_places=keeps_places,
        suspected=suspected,
    )


def _manifest(plan: _Plan) -> dict[str, object]:
    """Return the manifest as stored in a release, both if it is frozen and if a gate stops it."""
    details = []
    for result in plan.results:
        worst = set(result.items[:SHOWN_OFFENDERS])
        offenders = [
            {"id": one.public_id, "item": one.handle, "title": one.record["title"]}
            for one in plan.frozen.items
            if one.public_id in worst
        ]
        details.append({"looked_at": result.looked_at, "offenders": offenders, **result.detail})
    return {
        "facts": plan.frozen.facts.as_json(),
        "canary": plan.frozen.canary,
        "gates": list(plan.frozen.gates),
        "details": details,
        "counts": counts.by_task(plan.frozen.items),
        "keys": counts.by_key(plan.frozen.items),
        "stories": len(counts.stories_in(plan.frozen.items)),
        **({"since": plan.frozen.since.as_json()} if plan.frozen.since else {}),
    }


@transaction.atomic
def _stop(release: Release, plan: _Plan) -> Release:
    release = _lock(release.pk)
    if release.state != ReleaseState.BUILDING:
        return release
    release.state = ReleaseState.FAILED
    release.manifest = {**_manifest(plan), "stopped": plan.stopped}
    release.save(update_fields=["state", "manifest"])
    record_event(
        actor=release.created_by, verb="stop_release", subject=release, detail={"gates": plan.stopped}
    )
    publish_release(release, EventKind.RELEASE_FAILED)
    return release


@transaction.atomic
def fail_release(*, release_id: int, failure: str, details: Mapping[str, Any] | None = None) -> Release:
    """Set a release that is building to failed. `details` are the values for the sentence of `failure`."""
    release = _lock(release_id)
    if release.state == ReleaseState.BUILDING:
        release.state = ReleaseState.FAILED
        release.failure, release.failure_details = failure, dict(details or {})
        release.save(update_fields=["state", "failure", "failure_details"])
        record_event(
            actor=release.created_by,
            verb="fail_release",
            subject=release,
            detail={"failure": failure, **release.failure_details},
        )
        publish_release(release, EventKind.RELEASE_FAILED)
    return release


@transaction.atomic
def _freeze(release: Release, plan: _Plan, entries: Sequence[Entry]) -> Release:
    """Freeze a release: write all its rows in one transaction, so that it is never partly ready."""
    release = _lock(release.pk)
    if release.state != ReleaseState.BUILDING:
        return release
    release.ready_at = timezone.now()
    said = manifest(plan.frozen, entries)
    listing = manifest_file(said, release.ready_at.isoformat(timespec="seconds"))
    keep(listing.content)
    create_rows(
        ReleaseItem(
            release_id=release.pk,
            item_id=one.handle,
            revision_id=one.revision,
            split=one.split,
            number=one.number,
            public_id=one.public_id,
            order=list(one.order),
            record=dict(one.record),
        )
        for one in plan.frozen.items
    )
    Artifact.objects.bulk_create(
        Artifact(release=release, **entry._asdict()) for entry in sorted([*entries, listing.entry])
    )
    release.state = ReleaseState.READY
    release.manifest = _manifest(plan)
    release.save(update_fields=["state", "manifest", "ready_at"])
    record_event(
        actor=release.created_by,
        verb="build_release",
        subject=release,
        detail={
            "version": release.version,
            "items": len(plan.frozen.items),
            "allowed": list(plan.frozen.recipe.allow),
        },
    )
    publish_release(release, EventKind.RELEASE_READY)
    return release


def _lock(release_id: int) -> Release:
    found = Release.objects.select_for_update(of=("self",)).select_related("project", "created_by")
    return found.get(pk=release_id)
