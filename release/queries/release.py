"""Queries for releases and for the items that can be released."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from accounts.models import AuditEvent, User
from annotation.models import Cause, Item, RevisionAuthor, State, Transition
from core.errors import Hidden
from core.files import DamagedFile
from corpus.models import Story
from corpus.queries import group_names, rights_of, story_unit
from generation.queries.trial import providers_that_saw, stories_sent
from jobs.errors import FAULT
from jobs.queries import job_of
from parable.formats.format import Writer
from parable.formats.parable_jsonl import answer_fields
from parable.kinds import KINDS, codes
from parable.splits import SPLITS
from projects.models import CommonsenseType, Project
from projects.permissions import Permission, permissions_of
from release.assembly.recipe import Recipe
from release.assembly.records import FrozenItem
from release.card.card import Frozen
from release.card.changes import Changes
from release.card.facts import Facts
from release.files.metadata import is_program
from release.models import Artifact, Failure, Release, ReleaseItem, ReleaseState, Split
from release.permissions import may_list_releases
from release.queries.choice import chosen_items
from release.queries.file import stored_at
from release.queries.provenance import people_figures, sent_to_models, work_load, written
from review.models import Review, Stage
from review.queries.model_rater import judges_that_saw
from web.cached_counts import COUNTED_ANEW, cached, named

STANDING: Final = (ReleaseState.READY, ReleaseState.WITHDRAWN)
"""The states of a release whose items are frozen."""
BUILD: Final = "build_release"
"""The kind of the jobs that build a release."""
REBUILD: Final = "rebuild_release"
"""The kind of the jobs that render a release again and compare its files."""


def releases(project: Project) -> QuerySet[Release]:
    """Return the project's releases, newest first."""
    return Release.objects.filter(project=project).select_related("created_by").order_by("-pk")


def listed_releases(project: Project) -> QuerySet[Release]:
    """Return the project's releases, each version once. A failed build is listed only if none succeeded."""
    same = Release.objects.filter(project=OuterRef("project"), version=OuterRef("version"))
    better = same.filter(~Q(state=ReleaseState.FAILED) | Q(pk__gt=OuterRef("pk")))
    return releases(project).exclude(Exists(better), state=ReleaseState.FAILED)


def live_release(project: Project, version: str) -> Release | None:
    """Return the release of this version that is building, ready or withdrawn, or None."""
    return releases(project).filter(version=version).exclude(state=ReleaseState.FAILED).first()


def why_ended(release: Release) -> str:
    """Return why a release failed or was withdrawn, or "".

    If an error in Parable stopped the build, this is the reason of the job, if known.
    """
    build = job_of(BUILD, release.pk) if release.failure == Failure.FAULT else None
    return build.why if build and build.reason not in {"", FAULT} else release.why


def get_release(*, user: User, project: Project, version: str) -> Release:
    """Return the release of this version or, if none exists, its last failed build.

    Raise `Hidden` if there is none, or if the user may not see it.
    """
    found = live_release(project, version) or releases(project).filter(version=version).first()
    if found is None or not may_list_releases(user, project):
        raise Hidden(_("Release not found."))
    return found


# --- items that could be released -----------------------------------------------------------------


def facts(project: Project, recipe: Recipe) -> Facts:
    """Return the facts for the card about the project and the items that match the recipe."""
    verified = chosen_items(project, recipe)
    brought = _last_causes(verified)[Cause.IMPORTED]
    kinds = CommonsenseType.objects.filter(project=project)
    stories = Story.objects.filter(pk__in=verified.values("story"))
    wrote = RevisionAuthor.objects.filter(item__in=verified)
    authors = User.objects.filter(pk__in=wrote.values("user"))
    people = people_figures(project)
    return Facts(
        slug=project.slug,
        name=project.name,
        language=project.language,
        licence=project.licence,
        description=project.description,
        types=tuple(
            (kind.code, kind.name_zh, kind.name_en)
            for kind in sorted(kinds, key=lambda kind: (kind.order, kind.code))
        ),
        rights=rights_of(stories, group_names(project)),
        standard_stem=project.moral_stem,
        writers=authors.filter(is_placeholder=False).count(),
        named_writers=authors.filter(is_placeholder=True).count(),
        reviewers=_judges(verified, Stage.CROSS_CHECK),
        verifiers=_judges(verified, Stage.VERIFICATION),
        brought_verified=brought,
        judged_here=verified.count() - brought,
        older_wording=verified.exclude(current__story_revision=F("story__current")).count(),
        reviewer_may_verify=project.reviewer_may_verify,
        written=written(project),
        accuracy=people.accuracy,
        agreement=people.agreement,
        styles=people.styles,
        sent=sent_to_models(project, verified),
        load=work_load(project),
    )


def _last_causes(verified: QuerySet[Item]) -> Counter[str]:
    """Return the number of these items by the reason code of their last transition to verified.

    Undone transitions are ignored.
    """
    moves = Transition.objects.filter(item__in=verified, to_state=State.VERIFIED).order_by("pk")
    moves = moves.exclude(cause=Cause.TAKEN_BACK)
    return Counter(dict(moves.values_list("item", "cause")).values())


def _judges(verified: QuerySet[Item], stage: str) -> int:
    judged = Review.objects.filter(item__in=verified, stage=stage, judged_at__isnull=False)
    return judged.values("reviewer").distinct().count()


@dataclass(frozen=True, slots=True)
class Share:
    """The number of items of a task and style that are verified, still under way, and retired."""

    task: str
    style: str
    verified: int
    under_way: int
    retired: int


@dataclass(frozen=True, slots=True)
class Preview:
    """The contents that a release would have if it were built now."""

    shares: tuple[Share, ...]
    stories: int
    unknown_rights: int
    older_wording: int

    @property
    def verified(self) -> int:
        """The number of items that the release would contain."""
        return sum(share.verified for share in self.shares)


LEFT_BEHIND: Final = (State.REJECTED, State.WITHDRAWN, State.RETIRED)


def preview(project: Project) -> Preview:
    """Return the contents that a release would have. Large counts are cached for a minute."""
    return cached(
        named("preview:1", project),
        lambda: _preview(project),
        is_large=lambda found: sum(one.verified + one.under_way for one in found.shares) > COUNTED_ANEW,
    )


def _preview(project: Project) -> Preview:
    items = Item.objects.filter(project=project)
    rows = (
        items.values("task", "style")
        .annotate(
            verified=Count("pk", filter=Q(state=State.VERIFIED)),
            under_way=Count("pk", filter=~Q(state__in=[State.VERIFIED, *LEFT_BEHIND])),
            retired=Count("pk", filter=Q(state=State.RETIRED)),
        )
        .order_by("task", "style")
    )
    counts = items.filter(state=State.VERIFIED).aggregate(
        stories=Count(story_unit("story"), distinct=True),
        unknown=Count("story", distinct=True, filter=Q(story__rights="")),
        older=Count("pk", filter=~Q(current__story_revision=F("story__current"))),
    )
    return Preview(
        shares=tuple(Share(**row) for row in rows),
        stories=counts["stories"],
        unknown_rights=counts["unknown"],
        older_wording=counts["older"],
    )


# --- items that have been released -----------------------------------------------------------------


def frozen(release: Release) -> Frozen:
    """Return the frozen data of a release, from which its files are rendered."""
    hashes = dict(artifacts(release).values_list("name", "sha256"))
    programs = {}
    for name in filter(is_program, sorted(hashes)):
        with suppress(FileNotFoundError, DamagedFile):
            programs[name] = stored_at(hashes[name]).read_text()
    return Frozen(
        version=release.version,
        seed=release.seed,
        recipe=Recipe.from_json(release.recipe),
        facts=Facts.from_json(release.manifest["facts"]),
        gates=tuple(release.manifest["gates"]),
        items=tuple(frozen_items(release)),
        since=Changes.from_json(release.manifest.get("since")),
        programs=programs,
    )


def frozen_items(release: Release, items: Iterable[int] | None = None) -> Iterator[FrozenItem]:
    """Yield the items of a release in the order of their numbers.

    With `items`, yield only these item ids.
    """
    rows = ReleaseItem.objects.filter(release=release).order_by("number")
    if items is not None:
        rows = rows.filter(item__in=list(items))
    for values in rows.values_list("number", "public_id", "split", "record", "item"):
        yield FrozenItem(*values)


def artifacts(release: Release) -> QuerySet[Artifact]:
    """Return the files of a release, ordered by name."""
    return Artifact.objects.filter(release=release).order_by("name")


def items_released_as(user: User, projects: Iterable[Project], public_id: str) -> list[int]:
    """Return the ids of the items with this public id in releases that the user may see.

    The public id reveals the split, which only users who may see releases are allowed to know.
    """
    seen = [project for project in projects if Permission.SEE_RELEASES in permissions_of(user, project)]
    if not seen:
        return []
    made = Release.objects.filter(project__in=seen).values("pk")
    found = ReleaseItem.objects.filter(release__in=made, public_id=public_id.strip())
    return list(found.order_by("item").values_list("item", flat=True).distinct())


def get_artifact(release: Release, name: str) -> Artifact:
    """Return a file of a ready release. Raise `Hidden` if there is no such file."""
    found = artifacts(release).filter(name=name).first()
    if found is None or release.state != ReleaseState.READY:
        raise Hidden(_("File not found."))
    return found


def item_files(release: Release) -> dict[tuple[str, str], str]:
    """Return the hash of each item file by (split, task). Raise `Hidden` unless the release is ready."""
    if release.state != ReleaseState.READY:
        raise Hidden(_("File not found."))
    names = {f"{split}/{task}.jsonl": (split, task) for split in SPLITS for task in codes()}
    hashes = artifacts(release).filter(name__in=names).values_list("name", "sha256")
    return {names[name]: sha256 for name, sha256 in hashes}


def with_answers(release: Release) -> QuerySet[ReleaseItem]:
    """Return the items of a release whose answers are not withheld."""
    rows = ReleaseItem.objects.filter(release=release)
    return rows.exclude(split=Split.TEST) if release.recipe["withhold_test"] else rows


def count_written(release: Release, writer: Writer) -> int:
    """Return the number of published items that a tool's format can contain, from the stored counts."""
    counted: Mapping[str, Mapping[str, int]] = release.manifest.get("counts", {})
    withheld = {Split.TEST} if release.recipe["withhold_test"] else set()
    return sum(
        n
        for task, of_split in counted.items()
        if task in KINDS and writer.kinds(KINDS[task])
        for split, n in of_split.items()
        if split not in withheld
    )


def downloads(release: Release) -> QuerySet[AuditEvent]:
    """Return the audit events of a release's downloads, newest first. `detail["file"]` is `*` for all."""
    events = AuditEvent.objects.filter(subject_type=Release._meta.label_lower, subject_id=release.pk)
    return events.filter(verb="download_release").select_related("actor").order_by("-pk")


def withheld_answers(release: Release) -> list[dict[str, object]]:
    """Return the answers that a release's files withhold, one dict for each item; [] if there are none."""
    if not release.recipe["withhold_test"]:
        return []
    whole = frozen(release)
    marker = whole.canary
    return [
        {
            "id": one.public_id,
            **answer_fields(one.item()),
            "explanation": one.record["explanation"],
            "canary": marker,
        }
        for one in whole.items
        if one.split == Split.TEST
    ]


def next_version(project: Project) -> str:
    """Return the minor version after the highest version, or 1.0.0; failed builds are ignored."""
    held = releases(project).exclude(state=ReleaseState.FAILED).values_list("version", flat=True)
    numbers = [tuple(map(int, version.partition("-")[0].split("."))) for version in held]
    if not numbers:
        return "1.0.0"
    major, minor, _patch = max(numbers)
    return f"{major}.{minor + 1}.0"


def models_that_saw(release: Release) -> dict[int, frozenset[str]]:
    """Return {released item id: names of the models that were sent the item before its release}.

    Items that no model was sent are omitted. If a model was sent a story's moral, it counts as having been
    sent every item whose key is that moral.
    """
    places = dict(ReleaseItem.objects.filter(release=release).values_list("item", "pk"))
    items = Item.objects.filter(pk__in=places)
    found = {item: {one.model for one in saw} for item, saw in providers_that_saw(items.only("pk")).items()}
    for item, judges in judges_that_saw(items.only("pk")).items():
        found[item] |= {model for model, _url in judges}
    morals_sent = [sent for sent in stories_sent(release.project) if sent.moral]
    by_story = items.filter(task__in=codes("key_from_moral"), story__in={sent.story for sent in morals_sent})
    for item, story in by_story.values_list("pk", "story"):
        found[item] |= {sent.provider.model for sent in morals_sent if sent.story == story}
    return {places[item]: frozenset(models) for item, models in found.items() if models}
